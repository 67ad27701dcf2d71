/** Stripe's API: who may call it, what may go wrong with it, and all its resources. */
import type { HttpBindings } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { couponRoutes } from './coupons.ts'
import { customerRoutes } from './customers.ts'
import { disputeRoutes } from './disputes.ts'
import { Refusal, unknownRoute } from './errors.ts'
import { idempotency } from './idempotency.ts'
import { invoiceRoutes } from './invoices.ts'
import { paymentRoutes } from './payments.ts'
import { priceRoutes } from './prices.ts'
import { refundRoutes } from './refunds.ts'
import { sessionRoutes } from './sessions.ts'
import { newId, type Store } from './store.ts'
import { subscriptionRoutes } from './subscriptions.ts'
import { type Webhooks, webhookRoutes } from './webhooks.ts'

/** What may go wrong with a call. */
export type StripeTrouble =
  /** An error of the API. Nothing is done. */
  | { status: 402 | 409 | 429 | 500 | 503; code?: string; message?: string }
  /** Nobody ever answers. Nothing is done. */
  | 'silence'
  /** It is done, and the connection is cut before the answer. */
  | 'cut_after'
  /** A proxy answers with a page of its own. Nothing is done. */
  | 'garbage'

export type Bindings = { Bindings: HttpBindings }

const KEY = /^(Bearer |Basic )(\S+)$/i

/** The caller's secret key, by either scheme that Stripe takes. */
const keyOf = (authorization = ''): string | undefined => {
  const [, scheme, value = ''] = KEY.exec(authorization) ?? []
  if (!scheme) return undefined
  return scheme.trim().toLowerCase() === 'bearer' ? value : atob(value).split(':')[0]
}

const secretKey = (): MiddlewareHandler =>
  async function secretKey(c, next) {
    const key = keyOf(c.req.header('Authorization'))
    if (!key) {
      throw new Refusal(401, {
        message:
          "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
      })
    }
    if (!/^(sk|rk)_test_\w+$/.test(key)) {
      throw new Refusal(401, { message: `Invalid API Key provided: ${key.slice(0, 8)}****` })
    }
    await next()
  }

const troubled = (next: () => StripeTrouble | null | undefined): MiddlewareHandler<Bindings> =>
  async function troubled(c, go) {
    const trouble = next()
    if (trouble === 'silence') await new Promise(() => {})
    if (trouble === 'garbage') return c.html('<html>One moment, please</html>', 502)
    if (trouble && typeof trouble === 'object') {
      const { status, code, message = 'As it was told.' } = trouble
      throw new Refusal(status, {
        type: status === 402 ? 'card_error' : 'api_error',
        message,
        ...(code && { code }),
      })
    }
    await go()
    if (trouble === 'cut_after') c.env.outgoing.destroy()
  }

/**
 * The API under /v1.
 *
 * @param pageOf where the page of a checkout session is
 * @param trouble what goes wrong with the next call, when something does
 */
export const createApi = (
  store: Store,
  webhooks: Webhooks,
  pageOf: (session: string) => string,
  trouble: () => StripeTrouble | null | undefined,
) =>
  new Hono<Bindings>()
    .use(async function requestId(c, next) {
      await next()
      c.header('Request-Id', newId('req', 14))
    })
    .use(troubled(trouble))
    .use(secretKey())
    .use(idempotency())
    .route('/', couponRoutes(store))
    .route('/', priceRoutes(store))
    .route('/', customerRoutes(store, webhooks))
    .route('/', sessionRoutes(store, pageOf))
    .route('/', subscriptionRoutes(store))
    .route('/', invoiceRoutes(store))
    .route('/', paymentRoutes(store))
    .route('/', refundRoutes(store, webhooks))
    .route('/', disputeRoutes(store, webhooks))
    .route('/', webhookRoutes(store, webhooks))
    .notFound((c) => c.json(unknownRoute(c.req.method, c.req.path).body, 404))
    .onError((error, c) => {
      if (error instanceof Refusal) return c.json(error.body, error.status)
      console.error(error)
      const status: ContentfulStatusCode = 500
      return c.json({ error: { type: 'api_error', message: 'The Stripe fake has a fault.' } }, status)
    })
