/** Stripe's API: authentication, idempotency, injected failures, and all resources. */
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { accountLinkRoutes, type Links } from './account-links.ts'
import { accountV1Routes } from './accounts-v1.ts'
import { accountV2Routes } from './accounts-v2.ts'
import { secretKey } from './authentication.ts'
import type { Connect } from './connect.ts'
import { countrySpecRoutes } from './country-specs.ts'
import { couponRoutes } from './coupons.ts'
import { creditNoteRoutes } from './credit-notes.ts'
import { customerRoutes } from './customers.ts'
import { disputeRoutes } from './disputes.ts'
import type { ApiEnv } from './env.ts'
import { StripeError, unknownRoute } from './errors.ts'
import { thinEventRoutes } from './events.ts'
import type { StripeFailure } from './failures.ts'
import { idempotency, oneAtATime } from './idempotency.ts'
import { injectFailure, injectStoredFailure } from './inject-failures.ts'
import { invoiceRoutes } from './invoices.ts'
import { paymentRoutes } from './payments.ts'
import { priceRoutes } from './prices.ts'
import { refundRoutes } from './refunds.ts'
import { sessionRoutes } from './sessions.ts'
import { newId, type Store } from './store.ts'
import { subscriptionRoutes } from './subscriptions.ts'
import { transferRoutes } from './transfers.ts'
import { type Webhooks, webhookRoutes } from './webhooks.ts'

/** Awaited at each call; tests use it to act at that point. */
export type Hook = (method: string, path: string) => void | Promise<void>
export type Hooks = {
  /** Before the call is carried out. */
  onCall?: Hook | undefined
  /** After the call is carried out, before the response. */
  afterCall?: Hook | undefined
}

type ApiParts = {
  store: Store
  webhooks: Webhooks
  connect: Connect
  links: Links
  hooks: Hooks
  /** The URL of a checkout session's page. */
  pageOf: (session: string) => string
  /** The URL of an account link. */
  linkOf: (token: string) => string
  /** The URL of a connected account's own dashboard. */
  dashboardOf: (account: string) => string
  /** The failure planned for a call, if any. */
  nextFailure: (c: Context<ApiEnv>) => StripeFailure | null | undefined
}

const hooked = (hooks: Hooks, when: keyof Hooks): MiddlewareHandler =>
  async function hooked(c, next) {
    if (when === 'onCall') await hooks.onCall?.(c.req.method, c.req.path)
    await next()
    if (when === 'afterCall') await hooks.afterCall?.(c.req.method, c.req.path)
  }

/** The API under /v1 and /v2. */
export const createApi = ({
  store,
  webhooks,
  connect,
  links,
  hooks,
  pageOf,
  linkOf,
  dashboardOf,
  nextFailure,
}: ApiParts) =>
  new Hono<ApiEnv>()
    .use(async function requestId(c, next) {
      await next()
      c.header('Request-Id', newId('req', 14))
    })
    .use(injectFailure(nextFailure))
    .use(secretKey(connect.platforms))
    .use(hooked(hooks, 'afterCall'))
    .use(oneAtATime())
    .use(hooked(hooks, 'onCall'))
    .use(idempotency(store.now))
    .use(injectStoredFailure())
    .route('/', couponRoutes(store))
    .route('/', priceRoutes(store))
    .route('/', customerRoutes(store, webhooks))
    .route('/', sessionRoutes(store, pageOf))
    .route('/', subscriptionRoutes(store))
    .route('/', invoiceRoutes(store))
    .route('/', paymentRoutes(store, webhooks))
    .route('/', refundRoutes(store, webhooks))
    .route('/', creditNoteRoutes(store))
    .route('/', disputeRoutes(store, webhooks))
    .route('/', webhookRoutes(store, webhooks))
    .route('/', accountV1Routes(store, dashboardOf))
    .route('/', accountV2Routes(connect))
    .route('/', accountLinkRoutes(store, links, linkOf))
    .route('/', countrySpecRoutes(store))
    .route('/', transferRoutes(store, connect.platforms, webhooks))
    .route('/', thinEventRoutes(store))
    .notFound((c) => c.json(unknownRoute(c.req.method, c.req.path).body, 404))
    .onError((error, c) => {
      if (error instanceof StripeError) return c.json(error.body, error.status)
      console.error(error)
      const status: ContentfulStatusCode = 500
      return c.json(
        { error: { type: 'api_error', message: 'Internal error of the Stripe fake.' } },
        status,
      )
    })
