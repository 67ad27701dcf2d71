import { type AuthContext, type AuthEnv, openAuth } from '../../lib/auth/context.ts'
import { limitFailures } from '../../lib/auth/keys/failed-attempts.ts'
import { newToken } from '../../lib/db/ids.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { form } from '../../lib/http/validate.ts'
import * as m from '../../lib/languages/messages.ts'
import { renderPage } from '../../lib/pages/layout/render.tsx'
import { textsOf } from '../../lib/pages/layout/text.ts'
import { sha256 } from '../../lib/platform/sha256.ts'
import { CodePage, ShownCodePage } from '../../lib/sign-in/code-pages.tsx'
import { badLink, browserOf, enter, limitCaller } from '../../lib/sign-in/replies.tsx'
import {
  askState,
  type CodeCandidate,
  passLink,
  setCode,
  takeAttempt,
} from '../../lib/sign-in/requests/link-requests.queries.ts'
import { readLink, redeemLink } from '../../lib/sign-in/requests/links.ts'
import { isCode, newCode, readCode, signCode } from '../../lib/sign-in/requests/sign-in-codes.ts'

/** The page for a code, with the state of the link that this browser requested. */
const showCodePage = async (c: AuthContext, problem?: string) => {
  const { browserHash } = await browserOf(c)
  const state = await askState(c.var.db, browserHash, c.var.now)
  const children = <CodePage state={state} problem={problem} />
  return renderPage(c, { title: textsOf(c)(m.code_title), children }, problem ? 400 : 200)
}

/** The link of this browser that has this code, if any. Counts each attempt before it compares. */
const findMatch = async (c: AuthContext, code: string): Promise<CodeCandidate | undefined> => {
  const { browserHash } = await browserOf(c)
  const matches: CodeCandidate[] = []
  await limitFailures(c, `code ${browserHash}`, async () => {
    for (const candidate of await takeAttempt(c.var.db, browserHash, c.var.now))
      if (await isCode(c.env.AUTH_SECRET, candidate.id, code, candidate.codeHash))
        matches.push(candidate)
    return matches.length > 0
  })
  return matches[0]
}

/** Shows a code where a link was opened, and takes it in the browser that requested the link. */
export default createRoutes<AuthEnv>()
  .post('/auth/code', openAuth(), form(), async (c) => {
    await limitCaller(c)
    const { token = '' } = c.req.valid('form')
    const link = await readLink(c, token)
    if (!link?.ask) return badLink(c)
    const { networkHash, browser: openedIn } = await browserOf(c)
    const code = newCode()
    const isSet = await setCode(
      c.var.db,
      { tokenHash: await sha256(token), networkHash, openedIn, now: c.var.now },
      (askId) => signCode(c.env.AUTH_SECRET, askId, code),
    )
    if (!isSet) return badLink(c)
    const children = <ShownCodePage code={code} browser={link.ask.browser} email={link.email} />
    return renderPage(c, { title: textsOf(c)(m.code_title), children })
  })
  .get('/sign-in/code', openAuth(), (c) => showCodePage(c))
  .post('/sign-in/code', openAuth(), form(), async (c) => {
    await limitCaller(c)
    const code = readCode(c.req.valid('form').code)
    const match = code === null ? undefined : await findMatch(c, code)
    if (!match) return showCodePage(c, textsOf(c)(m.code_wrong))
    const token = newToken()
    const isPassed = await passLink(c.var.db, match, await sha256(token))
    const signedIn = isPassed ? await redeemLink(c, token) : null
    return signedIn ? enter(c, signedIn) : showCodePage(c, textsOf(c)(m.code_wrong))
  })
