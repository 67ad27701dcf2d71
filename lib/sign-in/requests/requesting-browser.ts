/** The browser that asks for a sign-in link or opens one, by its cookie and its network. */
import { parse } from 'hono/utils/cookie'
import { randomBase62 } from '../../db/ids.ts'
import { addressKey } from '../../http/rate-limit.ts'
import { sha256 } from '../../platform/sha256.ts'
import { browserName } from './browsers.ts'
import {
  browserCookie,
  browserCookieName,
  newBrowserValue,
  readBrowserValue,
} from './known-browsers.ts'
import type { Asking } from './link-requests.queries.ts'
import { hashNetwork } from './sign-in-codes.ts'

/** How long a browser that has not signed in is known: longer than its links. */
const ASKING_SECONDS = 86_400

/** A browser, and the Set-Cookie header that makes it known; null if it is known already. */
type AskingBrowser = Asking & { setCookie: string | null }

/** The browser of a request. `CF-Connecting-IP` is trusted, because only Cloudflare sets it. */
export const askingBrowser = async (
  headers: Headers,
  { secret, secure }: { secret: string; secure: boolean },
): Promise<AskingBrowser> => {
  const name = browserCookieName(secure)
  const known = readBrowserValue(parse(headers.get('Cookie') ?? '', name)[name])
  const value = known ?? newBrowserValue()
  const ip = headers.get('CF-Connecting-IP')
  return {
    browserHash: await sha256(value),
    // Without an address, no other request is in its network.
    networkHash: await hashNetwork(secret, ip ? addressKey(ip) : randomBase62(32)),
    browser: browserName(headers.get('User-Agent') ?? undefined),
    setCookie: known ? null : browserCookie(value, secure, ASKING_SECONDS),
  }
}
