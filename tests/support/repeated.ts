import { vi } from 'vitest'

/**
 * Does something while one request to the database is made twice, as a client does whose first
 * answer was lost.
 *
 * @param part of the statement: the first request that has it is repeated
 * @throws if there was none
 */
export const repeating = async <T>(part: string, work: () => Promise<T>): Promise<T> => {
  const real = fetch
  let isRepeated = false
  vi.stubGlobal('fetch', (async (...request) => {
    const { body } = request[1] ?? {}
    if (!isRepeated && typeof body === 'string' && body.includes(part)) {
      isRepeated = true
      await (await real(...request)).text()
    }
    return real(...request)
  }) satisfies typeof fetch)
  const result = await work().finally(() => vi.unstubAllGlobals())
  if (!isRepeated) throw new Error(`No statement has “${part}”.`)
  return result
}
