/** Browsers that are known to people: a sign-in in a new one is mailed to the person. */
import { getCookie } from 'hono/cookie'
import { randomBase62 } from '../db/ids.ts'
import { sha256 } from '../sha256.ts'
import { timeWords } from '../time-words.ts'
import { browserName } from './browsers.ts'
import type { AuthContext } from './context.ts'
import { noteBrowser } from './known-browsers.queries.ts'

/** How long a browser is known after a sign-in. Browsers keep no cookie for longer. */
const KNOWN_DAYS = 400

/** 190 bits. */
const COOKIE_LENGTH = 32
const COOKIE = new RegExp(`^[0-9A-Za-z]{${COOKIE_LENGTH}}$`)

/** With the prefix `__Host-`, as the session's: nobody else can set one. */
const cookieName = (secure: boolean): string => `${secure ? '__Host-' : ''}tributary.browser`

const cookieOf = (value: string, secure: boolean): string =>
  `${cookieName(secure)}=${value}; Max-Age=${KNOWN_DAYS * 86_400}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`

/** What Better Auth says of a link that it accepted. Times are JSON. */
export type Verified = { user: { id: string; email: string; createdAt: string } }

/**
 * Mails the person if this browser is new to them, unless they are new themselves. Fails the sign-in if the mail cannot be
 * saved, so that nobody signs in unnoticed.
 *
 * @returns the Set-Cookie header by which the browser is known again
 */
export const knowBrowser = async (c: AuthContext, { user }: Verified): Promise<string> => {
  const { db, now, secure } = c.var
  const sent = getCookie(c, cookieName(secure)) ?? ''
  const value = COOKIE.test(sent) ? sent : randomBase62(COOKIE_LENGTH)
  await noteBrowser(db, {
    userId: user.id,
    email: user.email,
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
  return cookieOf(value, secure)
}
