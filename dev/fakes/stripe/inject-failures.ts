/** Middleware: makes calls fail as planned. */
import type { Context, MiddlewareHandler } from 'hono'
import type { ApiEnv } from './env.ts'
import { StripeError } from './errors.ts'
import type { StripeFailure } from './failures.ts'

const errorOf = ({
  status,
  code,
  message = 'Simulated failure.',
}: {
  status: 402 | 409 | 429 | 500 | 503
  code?: string
  message?: string
}): StripeError =>
  new StripeError(status, {
    type: status === 402 ? 'card_error' : 'api_error',
    message,
    ...(code && { code }),
  })

const forever = () => new Promise<never>(() => {})

/** Makes a call fail, if a failure is planned for it. */
export const injectFailure = (
  next: (c: Context<ApiEnv>) => StripeFailure | null | undefined,
): MiddlewareHandler<ApiEnv> =>
  async function injectFailure(c, go) {
    const failure = next(c)
    if (failure === 'silence') await forever()
    if (failure === 'garbage') return c.html('<html>One moment, please</html>', 502)
    if (failure === 'cut_before') {
      c.env.outgoing.destroy()
      return c.body(null)
    }
    if (failure && typeof failure === 'object') {
      if (!('kept' in failure)) throw errorOf(failure)
      c.set('storedFailure', failure.kept)
    }
    await go()
    if (failure === 'silence_after') await forever()
    if (failure === 'cut_after') c.env.outgoing.destroy()
  }

/**
 * Throws the error that is to be stored under the idempotency key. Runs inside the idempotency
 * middleware.
 */
export const injectStoredFailure = (): MiddlewareHandler<ApiEnv> =>
  async function injectStoredFailure(c, next) {
    const failure = c.get('storedFailure')
    if (failure !== 'undone') await next()
    if (failure && !c.error) throw errorOf({ status: 500 })
  }
