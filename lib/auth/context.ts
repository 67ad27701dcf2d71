/** The context of the auth Worker's handlers. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../http/app.ts'
import type { RateLimiter } from '../http/rate-limit.ts'
import type { NudgeEnv } from '../http/rpc/nudge.service.ts'
import type { MailerService } from '../mail/mailer.rpc.ts'
import type { SignInSettings } from '../mail/outbox/sign-in-quota.ts'
import { createAuth } from './better-auth.ts'
import { isSecure } from './cookies.ts'
import { refuseCrossSite } from './session.ts'

export type AuthBindings = AppEnv['Bindings'] &
  NudgeEnv<'OUTBOX'>['Bindings'] &
  SignInSettings & {
    FAILURE_LIMIT: RateLimiter
    /** Signs the cookies: at least 32 random characters. Changing it signs everybody out. */
    AUTH_SECRET: string
    MAILER: MailerService
  }

export type AuthEnv = AppEnv & {
  Bindings: AuthBindings
  Variables: { auth: ReturnType<typeof createAuth>; secure: boolean }
}

export type AuthContext = Context<AuthEnv>

/**
 * Sets `c.var.auth` and `c.var.secure`. Redirects plain http to https first, because links and
 * cookies are secret.
 *
 * @throws {ApiError} `cross_site_request`
 */
export const openAuth = () =>
  createMiddleware<AuthEnv>(async function openAuth(c, next) {
    const url = new URL(c.req.url)
    const secure = isSecure(c.req.url)
    if (secure && url.protocol !== 'https:') {
      url.protocol = 'https:'
      return c.redirect(url.href, 308)
    }
    refuseCrossSite(c)
    c.set('secure', secure)
    c.set('auth', createAuth({ db: c.var.db, secret: c.env.AUTH_SECRET, secure }))
    return next()
  })
