import { createMiddleware } from 'hono/factory'
import type { AuthEnv } from '../auth/context.ts'
import type { User } from '../auth/session.ts'
import { findSession } from './requests/links.ts'

export type OwnSessionEnv = AuthEnv & {
  Variables: { user: User; sessionId: string; signedInAt: Date; passkeyAt: Date | null }
}

/** Sets `c.var.user` and the facts of the session, or redirects to sign in, and back to `page`. */
export const ownSession = (page: string) =>
  createMiddleware<OwnSessionEnv>(async function ownSession(c, next) {
    const session = await findSession(c.var, c.req.header('Cookie'))
    if (!session) return c.redirect(`/sign-in?next=${encodeURIComponent(page)}`, 303)
    for (const cookie of session.setCookie) c.header('Set-Cookie', cookie, { append: true })
    c.set('user', session.user)
    c.set('sessionId', session.id)
    c.set('signedInAt', session.signedInAt)
    c.set('passkeyAt', session.passkeyAt)
    return next()
  })
