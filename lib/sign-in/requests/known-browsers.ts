/** Browsers that are known to people: a sign-in in a new one is mailed to the person. */
import { getCookie } from 'hono/cookie'
import type { AuthContext } from '../../auth/context.ts'
import { randomBase62 } from '../../db/ids.ts'
import { sha256 } from '../../platform/sha256.ts'
import { timeWords } from '../../values/time-words.ts'
import { browserName } from './browsers.ts'
import { noteBrowser } from './known-browsers.queries.ts'

/** How long a browser is known after a sign-in. Browsers keep no cookie for longer. */
const KNOWN_DAYS = 400

/** 190 bits. */
const COOKIE_LENGTH = 32
const COOKIE = new RegExp(`^[0-9A-Za-z]{${COOKIE_LENGTH}}$`)

/** With the prefix `__Host-`, as the session's: nobody else can set one. */
export const browserCookieName = (secure: boolean): string =>
  `${secure ? '__Host-' : ''}tributary.browser`

/** The value of the cookie; null if it is none of ours. */
export const readBrowserValue = (sent: string | undefined): string | null =>
  sent !== undefined && COOKIE.test(sent) ? sent : null

export const newBrowserValue = (): string => randomBase62(COOKIE_LENGTH)

/** The Set-Cookie header. */
export const browserCookie = (value: string, secure: boolean, seconds: number): string =>
  `${browserCookieName(secure)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`

/** What Better Auth says of a link that it accepted. Times are JSON. */
export type Verified = { user: { id: string; email: string; createdAt: string } }

/**
 * Mails the person if this browser is new to them, unless they are new themselves. Fails the
 * sign-in if the mail cannot be saved, so that nobody signs in unnoticed.
 *
 * @param tokenHash of the link: whoever waits in the browser that asked for it sees where it was
 *   used
 * @returns the Set-Cookie header by which the browser is known again
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
