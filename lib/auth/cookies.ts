/** The session's cookie. */

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/

/** Whether a request's cookies go over https only: always, but on this very machine, where there is none. */
export const isSecure = (url: string): boolean => {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || !LOOPBACK.test(hostname)
}

/**
 * With the prefix, browsers take the cookie from this very host by https only, so that neither a neighbouring
 * subdomain nor the network can plant one.
 */
export const cookieName = (secure: boolean): string => `${secure ? '__Host-' : ''}tributary.session`

/** The Set-Cookie headers that are the session's. Better Auth also clears cookies that we never set. */
export const sessionCookies = (headers: Headers, secure: boolean): string[] =>
  headers.getSetCookie().filter((cookie) => cookie.startsWith(`${cookieName(secure)}=`))

/** The Set-Cookie header that takes the cookie away. */
export const expiredCookie = (secure: boolean): string =>
  `${cookieName(secure)}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
