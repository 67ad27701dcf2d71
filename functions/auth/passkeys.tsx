import type { Context } from 'hono'
import { every } from 'hono/combine'
import * as z from 'zod'
import { openAuth } from '../../lib/auth/context.ts'
import { isFresh } from '../../lib/auth/fresh-sign-in.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { nudge } from '../../lib/http/rpc/nudge.service.ts'
import { body, checked, form } from '../../lib/http/validate.ts'
import * as m from '../../lib/languages/messages.ts'
import { noticeFor } from '../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../lib/pages/layout/render.tsx'
import { textsOf } from '../../lib/pages/layout/text.ts'
import { PASSKEY_SCRIPTS } from '../../lib/pages/parts/passkeys.tsx'
import { type OwnSessionEnv, ownSession } from '../../lib/sign-in/own-session.ts'
import {
  addByResponse,
  askPasskey,
  ceremonyOf,
  confirmByResponse,
} from '../../lib/sign-in/passkeys/passkey-attempts.ts'
import { removePasskey } from '../../lib/sign-in/passkeys/passkeys.queries.ts'
import { passkeysOf } from '../../lib/sign-in/passkeys/passkeys.service.ts'
import { MAX_PASSKEY_NAME, MAX_PASSKEYS } from '../../lib/sign-in/passkeys/passkeys.ts'
import { PasskeysPage } from '../../lib/sign-in/passkeys/passkeys-page.tsx'
import { limitCaller } from '../../lib/sign-in/replies.tsx'
import { browserName } from '../../lib/sign-in/requests/browsers.ts'
import {
  NewPasskeyResponse,
  PasskeyRequest,
  PasskeySignature,
} from '../../lib/sign-in/requests/sign-in.schemas.ts'
import { jsonOf } from '../../lib/values/json.ts'

const PASSKEYS = '/auth/passkeys'

type PasskeyContext = Context<OwnSessionEnv>

/** Requires a session, and redirects to the sign-in page without one. */
const passkeyHolder = () => every(openAuth(), ownSession(PASSKEYS))

const DONE = {
  added: m.passkey_added,
  removed: m.passkey_removed,
  confirmed: m.passkey_confirmed,
}

const browserOf = (c: PasskeyContext): string => browserName(c.req.header('User-Agent'))

const show = async (c: PasskeyContext, problem?: string, status: 200 | 403 | 409 = 200) => {
  const { now, signedInAt, passkeyAt } = c.var
  const t = textsOf(c)
  const done = problem ? undefined : noticeFor(DONE, c.req.query('done'))
  const children = (
    <PasskeysPage
      passkeys={await passkeysOf(ceremonyOf(c))}
      now={now}
      isFresh={isFresh(signedInAt, now)}
      isConfirmed={passkeyAt !== null && isFresh(passkeyAt, now)}
      name={browserOf(c)}
      problem={problem}
      done={done && t(done)}
    />
  )
  const page = { title: t(m.passkeys_title), scripts: PASSKEY_SCRIPTS, path: PASSKEYS, children }
  return renderPage(c, page, status)
}

/** A short name, which fits a table. */
const nameIn = (typed: string | undefined, fallback: string): string =>
  typed?.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_PASSKEY_NAME) || fallback

/** /auth/passkeys: a person's passkeys, which confirm a session. */
export default createRoutes<OwnSessionEnv>()
  .get(PASSKEYS, passkeyHolder(), (c) => show(c))
  .post(`${PASSKEYS}/options`, passkeyHolder(), body(PasskeyRequest), async (c) => {
    await limitCaller(c)
    return c.json(await askPasskey(c, c.req.valid('json').purpose))
  })
  .post(`${PASSKEYS}/confirm`, passkeyHolder(), body(PasskeySignature), async (c) => {
    await limitCaller(c)
    await confirmByResponse(c, c.req.valid('json'))
    return c.json({ confirmed: true })
  })
  .post(`${PASSKEYS}/add`, passkeyHolder(), form(), async (c) => {
    await limitCaller(c)
    const t = textsOf(c)
    const { signedInAt, now } = c.var
    if (!isFresh(signedInAt, now)) return show(c, t(m.confirm_identity), 403)
    const { name, response } = c.req.valid('form')
    const { data } = checked(NewPasskeyResponse, jsonOf(response))
    const browser = browserOf(c)
    const about = { name: nameIn(name, browser), browser }
    const isAdded = data !== undefined && (await addByResponse(c, data, about))
    if (!isAdded) return show(c, t(m.passkey_not_added, { max: String(MAX_PASSKEYS) }), 409)
    nudge(c, 'OUTBOX')
    return c.redirect(`${PASSKEYS}?done=added`, 303)
  })
  .post(`${PASSKEYS}/remove`, passkeyHolder(), form(), async (c) => {
    const { db, now, signedInAt, user } = c.var
    if (!isFresh(signedInAt, now)) return show(c, textsOf(c)(m.confirm_identity), 403)
    const { passkey } = c.req.valid('form')
    if (z.uuid().safeParse(passkey).success) {
      const url = new URL(PASSKEYS, c.req.url).href
      const details = { change: 'removed', browser: browserOf(c), url } as const
      await removePasskey(db, passkey ?? '', { userId: user.id, email: user.email, now, details })
      nudge(c, 'OUTBOX')
    }
    return c.redirect(`${PASSKEYS}?done=removed`, 303)
  })
