import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { SessionEnv } from '../../../lib/auth/session.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { noteForLog } from '../../../lib/http/logging.ts'
import { callerKey, limitRate } from '../../../lib/http/rate-limit.ts'
import * as m from '../../../lib/languages/messages.ts'
import {
  confirmSupportAddress,
  type FoundCheck,
  findSupportCheck,
} from '../../../lib/mail/support-address.queries.ts'
import { noSuchPage, renderPage } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { name } from '../../../lib/pages/parts/tags.tsx'
import { sha256 } from '../../../lib/platform/sha256.ts'

/** The pending confirmation of a link. @throws {ApiError} `not_found`, `rate_limited` */
const readCheck = async (
  c: Context<SessionEnv>,
): Promise<{ check: FoundCheck; tokenHash: string }> => {
  // The page is public, and each response reads the database.
  await limitRate(c.env.RATE_LIMIT, `from ${callerKey(c)}`)
  const tokenHash = await sha256(c.req.param('token') ?? '')
  const check = await findSupportCheck(c.var.db, tokenHash, c.var.now)
  if (!check) throw noSuchPage()
  noteForLog(c, { workspaceId: check.workspaceId })
  return { check, tokenHash }
}

const show = (c: Context<SessionEnv>, title: string, children: Child) =>
  renderPage(c, {
    title,
    home: '/app',
    children: (
      <>
        <h1>{title}</h1>
        {children}
      </>
    ),
  })

const showConfirmed = (c: Context<SessionEnv>, { email, workspaceName, programName }: FoundCheck) =>
  show(
    c,
    textsOf(c)(m.settings_support_address_confirmed),
    <p role="status">
      {textsOf(c)(m.settings_replies_emails_sends, { workspaceName, name, programName, email })}
    </p>,
  )

const PATH = '/confirm-address/:token'

/**
 * /confirm-address/:token: the owner of a support address confirms it by the mailed link, without a
 * session. A GET changes nothing, because mail scanners open links.
 */
export default createRoutes<SessionEnv>()
  .get(PATH, async (c) => {
    const t = textsOf(c)
    const { check } = await readCheck(c)
    if (check.isVerified) return showConfirmed(c, check)
    const { email, workspaceName, programName } = check
    return show(
      c,
      t(m.settings_confirm_support_address),
      <>
        <p>
          {t(m.settings_replies_emails_sends_partners, { workspaceName, name, programName, email })}
        </p>
        <form method="post">
          <button type="submit">{t(m.layout_confirm_address)}</button>
        </form>
      </>,
    )
  })
  .post(PATH, async (c) => {
    const { check, tokenHash } = await readCheck(c)
    if (!(await confirmSupportAddress(c.var.db, tokenHash, check, c.var.now))) throw noSuchPage()
    return showConfirmed(c, check)
  })
