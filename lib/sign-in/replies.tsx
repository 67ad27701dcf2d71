/** What routes of the auth Worker share. */
import type { Context } from 'hono'
import type { AuthContext, AuthEnv } from '../auth/context.ts'
import { noteForLog } from '../http/logging.ts'
import { callerKey, limitRate } from '../http/rate-limit.ts'
import { nudge } from '../http/rpc/nudge.service.ts'
import * as m from '../languages/messages.ts'
import { renderPage } from '../pages/layout/render.tsx'
import { textsOf } from '../pages/layout/text.ts'
import { keepFormerAccount } from './accounts.ts'
import { BadLinkPage } from './pages.tsx'
import type { SignedIn } from './requests/links.ts'
import { askingBrowser } from './requests/requesting-browser.ts'

/** Limits requests that send or redeem links, by IP address. @throws {ApiError} `rate_limited` */
export const limitCaller = <E extends AuthEnv>(c: Context<E>): Promise<void> =>
  limitRate(c.env.RATE_LIMIT, `from ${callerKey(c)}`)

/** The browser of a request, with a new cookie if it has none. */
export const browserOf = (c: AuthContext) =>
  askingBrowser(c.req.raw.headers, { secret: c.env.AUTH_SECRET, secure: c.var.secure })

/** The page for a link that was used, has expired or is unknown. */
export const badLink = (c: AuthContext) => {
  noteForLog(c, { outcome: 'link_invalid' })
  return renderPage(c, { title: textsOf(c)(m.invalid_link), children: <BadLinkPage /> }, 400)
}

/** Completes a sign-in: sets cookies, keeps the former account, and opens the requested page. */
export const enter = async (c: AuthContext, { userId, cookies, next }: SignedIn) => {
  // The new session is valid even if the former accounts could not be read.
  const others = await keepFormerAccount(c, userId).catch(() => null)
  if (others) c.header('Set-Cookie', others, { append: true })
  // A sign-in in a new browser is mailed.
  nudge(c, 'OUTBOX')
  for (const cookie of cookies) c.header('Set-Cookie', cookie, { append: true })
  return c.redirect(next, 303)
}
