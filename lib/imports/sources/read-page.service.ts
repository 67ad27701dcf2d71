/** Reads one page of one list from a platform's API. */
import { waitAfterAnswer, waitAfterRefusal } from './limits.ts'
import type { Credentials, Platform } from './platforms/platform.ts'
import type { Resource } from './source.ts'
import type { SourcePage } from './source-rows.ts'

export type SourcesEnv = {
  /** Replaces the platforms' addresses, in tests and the local runtime. */
  SOURCES_URL?: string
}

/** Platforms respond within a second or two. */
const TIMEOUT_MS = 10_000
/** Ten times the size of a hundred partners with all their links. */
const MAX_BYTES = 5 * 1024 * 1024
/** Without a header: the window of most limits. */
const LIMITED_SECONDS = 30

/** Why a page was not read. A retry may succeed. */
type ReadFailure = 'unreachable' | 'timeout' | 'status' | 'redirect' | 'garbage'

/**
 * `limited`: too many requests. `refused`: a retry is of no use. `failed`: a retry may succeed.
 * @property waitSeconds until the next request
 */
export type PageResult =
  | { outcome: 'page'; page: SourcePage; waitSeconds: number }
  | { outcome: 'limited'; waitSeconds: number }
  | { outcome: 'refused'; status: number }
  | { outcome: 'failed'; reason: ReadFailure; status: number | null }

/** The body as JSON; undefined if it is none, or too large. */
const jsonOf = async (response: Response): Promise<unknown> => {
  const reader = response.body?.getReader()
  if (!reader) return undefined
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.byteLength
    if (bytes > MAX_BYTES) {
      await reader.cancel().catch(() => {})
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
  try {
    return JSON.parse(text + decoder.decode())
  } catch {
    return undefined
  }
}

/** Statuses below 500 that a retry may change. */
const REPEATABLE = [408, 425]

/**
 * Reads a page. The token goes to the platform's own address only: redirects are not followed.
 *
 * @param cursor what the page before has said; null for the first
 * @example
 * ```ts
 * const result = await readPage(env, REWARDFUL, { token, account: null }, 'commissions', null)
 * if (result.outcome === 'page') console.log(result.page.rows, result.page.next)
 * ```
 */
export const readPage = async (
  { SOURCES_URL }: SourcesEnv,
  platform: Platform,
  credentials: Credentials,
  resource: Resource,
  cursor: string | null,
): Promise<PageResult> => {
  const base = SOURCES_URL ? `${SOURCES_URL}/${platform.id}` : platform.baseUrl
  const failed = (reason: ReadFailure, status: number | null = null): PageResult => ({
    outcome: 'failed',
    reason,
    status,
  })
  try {
    const response = await fetch(`${base}${platform.path(resource, cursor, credentials)}`, {
      headers: {
        ...platform.headers(credentials),
        Accept: 'application/json',
        'User-Agent': 'Tributary-Import/1',
      },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { ok, status, headers } = response
    if (!ok) {
      await response.body?.cancel().catch(() => {})
      if (status === 429)
        return {
          outcome: 'limited',
          waitSeconds: waitAfterRefusal(headers, new Date(), LIMITED_SECONDS),
        }
      // `opaqueredirect` has the status 0.
      if (status < 400) return failed('redirect', status)
      return status < 500 && !REPEATABLE.includes(status)
        ? { outcome: 'refused', status }
        : failed('status', status)
    }
    const page = platform.read(resource, await jsonOf(response), cursor)
    // A cursor that leads to its own page would never end.
    return page && (page.next === null || page.next !== cursor)
      ? { outcome: 'page', page, waitSeconds: waitAfterAnswer(headers, new Date()) }
      : failed('garbage', status)
  } catch (failure) {
    return failed((failure as Error).name === 'TimeoutError' ? 'timeout' : 'unreachable')
  }
}
