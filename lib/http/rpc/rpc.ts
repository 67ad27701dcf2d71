import { Unavailable } from '../../platform/unavailable.ts'

/**
 * Awaits a call of another Worker.
 *
 * @param worker its name, for the log
 * @throws {Unavailable} when the call fails, whatever the reason
 * @example
 * ```ts
 * const session = await rpc('auth', c.env.AUTH.getSession(headers, c.req.url))
 * ```
 */
export const rpc = async <T>(worker: string, call: Promise<T>): Promise<T> => {
  try {
    return await call
  } catch (cause) {
    throw new Unavailable(`The ${worker} Worker did not answer.`, { cause })
  }
}
