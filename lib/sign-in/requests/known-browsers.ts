/** The browsers of a person. A sign-in in a new one is mailed to the person. */
import { getCookie } from 'hono/cookie'
import type { AuthContext } from '../../auth/context.ts'
import { randomBase62 } from '../../db/ids.ts'
import { sha256 } from '../../platform/sha256.ts'
import { timeWords } from '../../values/time-words.ts'
import { browserName } from './browsers.ts'
import { noteBrowser } from './known-browsers.queries.ts'

/** After a sign-in. Browsers keep no cookie for longer. */
const KNOWN_DAYS = 400

/** 190 bits. */
const COOKIE_LENGTH = 32
const COOKIE = new RegExp(`^[0-9A-Za-z]{${COOKIE_LENGTH}}$`)

/** With the prefix `__Host-`, like the session's cookie: no other host can set it. */
export const browserCookieName = (secure: boolean): string =>
  `${secure ? '__Host-' : ''}tributary.browser`

/** The value of the cookie; null for any other text. */
export const readBrowserValue = (sent: string | undefined): string | null =>
  sent !== undefined && COOKIE.test(sent) ? sent : null

export const newBrowserValue = (): string => randomBase62(COOKIE_LENGTH)

/** The Set-Cookie header. */
export const browserCookie = (value: string, secure: boolean, seconds: number): string =>
  `${browserCookieName(secure)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`

/** Better Auth's response to a valid link. Times are JSON. */
export type Verified = { user: { id: string; email: string; createdAt: string } }

/**
 * Mails the person about a new browser, unless the person is new too. Without the mail, the sign-in
 * fails, so that nobody signs in unnoticed.
 *
 * @param tokenHash of the link: the browser that asked for it shows where it was used
 * @returns the Set-Cookie header by which the browser is recognized
 */
export const knowBrowser = async (
  c: AuthContext,
  { user }: Verified,
  tokenHash: string,
): Promise<string> => {
  const { db, now, secure } = c.var
  const value = readBrowserValue(getCookie(c, browserCookieName(secure))) ?? newBrowserValue()
  await noteBrowser(db, {
    userId: user.id,
    email: user.email,
    tokenHash,
    browserHash: await sha256(value),
    isFirst: new Date(user.createdAt) >= now,
    now,
    expiresAt: new Date(now.getTime() + KNOWN_DAYS * 86_400_000),
    details: {
      browser: browserName(c.req.header('User-Agent')),
      signedInAt: timeWords(now),
      url: new URL('/auth/sessions', c.req.url).href,
    },
  })
  return browserCookie(value, secure, KNOWN_DAYS * 86_400)
}
