/** The session's cookie. */

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/

/** Whether a request's cookies are sent over https only: always, except on localhost. */
export const isSecure = (url: string): boolean => {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || !LOOPBACK.test(hostname)
}

/**
 * The prefix `__Host-` makes browsers accept the cookie only from this host and over https: no
 * subdomain and no network attacker can set it.
 */
export const cookieName = (secure: boolean): string => `${secure ? '__Host-' : ''}tributary.session`

/** The Set-Cookie headers of the session. Better Auth also clears cookies that we never set. */
export const sessionCookies = (headers: Headers, secure: boolean): string[] =>
  headers.getSetCookie().filter((cookie) => cookie.startsWith(`${cookieName(secure)}=`))

/** The Clear-Site-Data header of a sign-out: the import page stores rows in the browser. */
export const CLEAR_STORAGE = '"storage"'

/** The Set-Cookie header that deletes the cookie. */
export const expiredCookie = (secure: boolean): string =>
  `${cookieName(secure)}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
