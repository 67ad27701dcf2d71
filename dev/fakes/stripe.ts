/** A fake of Stripe: its API, its checkout page, and its webhooks. It keeps everything in memory, and moves no money. */
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type Stripe from 'stripe'
import { type Listening, listen } from '../runtime/ports.ts'
import { createLinks } from './stripe/account-links.ts'
import type { Connected, Step } from './stripe/accounts.ts'
import { createApi, type Hook, type Hooks } from './stripe/api.ts'
import { type Buyer, pay } from './stripe/buyer.ts'
import { createConnect } from './stripe/connect.ts'
import { addCoupon, addPromotionCode } from './stripe/coupons.ts'
import { closeDispute, dispute } from './stripe/disputes.ts'
import type { ApiEnv } from './stripe/env.ts'
import type { ConnectEvent } from './stripe/event-shapes.ts'
import type { StripeFailure } from './stripe/failures.ts'
import { accountOfKey, keyOf } from './stripe/keys.ts'
import { STRIPE_PATH } from './stripe/pages/layout.ts'
import { createPages } from './stripe/pages.ts'
import { createPlatforms, type Platform } from './stripe/platforms.ts'
import { failRefund, refund } from './stripe/refunds.ts'
import { createStore } from './stripe/store.ts'
import { renew } from './stripe/subscriptions.ts'
import { createWebhooks, type EndpointParams } from './stripe/webhooks.ts'

export { STRIPE_PATH }

/** A running fake. What happens at it can be made to happen from here too. */
export type StripeFake = Awaited<ReturnType<typeof startStripe>>

type StripeOptions = {
  /** Where its pages are reached, when that isn't at its own address. */
  pagesUrl?: string
  /** Sends the events of one moment all at once, in a random order. */
  shuffle?: boolean
  /** The account's clock. */
  now?: () => Date
  /** Waited for before each call of the API is carried out. */
  onCall?: Hook
  /** Waited for when a call is done, before it is answered. */
  afterCall?: Hook
}

/**
 * Starts a fake on a free port.
 *
 * @example
 * ```ts
 * const fake = await startStripe()
 * const { hostname: host, port } = new URL(fake.url)
 * const stripe = new Stripe('sk_test_any', { host, port, protocol: 'http' })
 * const session = await stripe.checkout.sessions.create({ ... })
 * fake.pay(session.id, { email: 'ada@example.com' })
 * await fake.settled()
 * ```
 */
export const startStripe = async ({
  pagesUrl,
  shuffle = false,
  now = () => new Date(),
  onCall,
  afterCall,
}: StripeOptions = {}) => {
  const store = createStore(now)
  const webhooks = createWebhooks(store, { shuffle })
  const platforms = createPlatforms()
  const connect = createConnect(store, platforms, webhooks)
  const links = createLinks(store)
  const hooks: Hooks = { onCall, afterCall }
  const failures: (StripeFailure | null)[] = []
  const transferFailures: (StripeFailure | null)[] = []
  let calls = 0
  let listening: Listening = { url: '', stop: async () => {} }

  const pageAt = (path: string) => `${pagesUrl ?? listening.url}${STRIPE_PATH}${path}`
  /** A transfer takes the failures planned for its platform first, then those for all platforms, then those for all calls. */
  const nextFailure = (c: Context<ApiEnv>) => {
    calls++
    const key = keyOf(c.req.header('Authorization'))
    const isTransfer = key && c.req.method === 'POST' && c.req.path === '/v1/transfers'
    const queues = isTransfer ? [platforms.of(key).failures, transferFailures, failures] : [failures]
    return queues.find((queue) => queue.length)?.shift()
  }
  const api = createApi({
    store,
    webhooks,
    connect,
    links,
    hooks,
    pageOf: (session) => pageAt(`/pay/${session}`),
    linkOf: (token) => pageAt(`/connect/${token}`),
    nextFailure,
  })
  const planTransfers = (next: (StripeFailure | null)[], platform?: Platform): void => {
    const queue = platform?.failures ?? transferFailures
    queue.splice(0, queue.length, ...next)
  }
  const pages = createPages({ store, webhooks, connect, links, planTransfers })
  const app = new Hono<ApiEnv>().all('*', (c) =>
    (c.req.path === STRIPE_PATH || c.req.path.startsWith(`${STRIPE_PATH}/`) ? pages : api).fetch(
      c.req.raw,
      c.env,
    ),
  )
  listening = await listen(createServer(getRequestListener(app.fetch)))
  const step = (next: Step) => (accountId: string) => connect.step(accountId, next)
  const whose = (key: string | undefined) => (key === undefined ? platforms.list() : [platforms.of(key)])

  return {
    url: listening.url,
    stop: async () => {
      await webhooks.stop()
      await listening.stop()
    },

    /** Makes a coupon and, when it has a code, the promotion code by which buyers use it. */
    addCoupon: (params: Parameters<typeof addCoupon>[1], code?: string) => {
      const coupon = addCoupon(store, params)
      return { coupon, promotionCode: code === undefined ? null : addPromotionCode(store, code, coupon.id) }
    },
    /** Registers a webhook endpoint. Of Connect it is told what happens to the account of a key, or to all of them. */
    addEndpoint: ({ key, ...params }: Omit<EndpointParams, 'platform'> & { key?: string }) =>
      webhooks.addEndpoint({ ...params, ...(key && { platform: accountOfKey(key) }) }),

    /** Does what the buyer does on the checkout page. */
    pay: (session: string, buyer: Buyer): Stripe.Checkout.Session => pay(store, webhooks, session, buyer),
    /** Lets the next period of a subscription begin. @returns its invoice */
    renew: (subscription: string): Stripe.Invoice => renew(store, webhooks, subscription),
    /** Refunds a charge or payment intent; all that is left, unless told how much. */
    refund: (payment: string, amount?: number): Stripe.Refund => refund(store, webhooks, { payment, amount }),
    failRefund: (id: string): Stripe.Refund => failRefund(store, webhooks, id),
    dispute: (payment: string): Stripe.Dispute => dispute(store, webhooks, payment),
    closeDispute: (id: string, status: 'won' | 'lost'): Stripe.Dispute =>
      closeDispute(store, webhooks, id, status),

    /** Does what the owner of a connected account does on Stripe's pages, to the end or half-way. */
    onboard: step('onboard'),
    leaveOnboarding: step('leave'),
    /** Does what Stripe does to an account, or its owner: only a closed one can't be restored. */
    restrictAccount: step('restrict'),
    rejectAccount: step('reject'),
    restoreAccount: step('restore'),
    closeAccount: step('close'),
    /** Sets what there is to send, in the currency's minor units: for the platform of a key, or for each. */
    setBalance: (currency: string, amount: number, key?: string): void =>
      platforms.setBalance(currency, amount, key === undefined ? undefined : platforms.of(key)),
    /** What a platform has sent, or all of them have, each platform's oldest first. */
    transfers: (key?: string): Stripe.Transfer[] =>
      whose(key).flatMap(({ transfers }) => transfers.list().reverse()),
    /** Who is connected to a platform, or to any, each platform's oldest first. */
    accounts: (key?: string): Connected[] => whose(key).flatMap(({ accounts }) => accounts.list().reverse()),
    /** Takes a key back: from now on it opens nothing. */
    revokeKey: platforms.revoke,

    /** What has happened, oldest first, except by Connect. */
    events: (): Stripe.Event[] => store.events.list().reverse(),
    /** What has happened by Connect, oldest first, whole or by name. */
    connectEvents: (): ConnectEvent[] => store.connectEvents.list().reverse(),
    /** Sends an event once more. */
    resend: webhooks.resend,
    deliveries: webhooks.deliveries,
    /** Resolves when every event is delivered, or given up. */
    settled: webhooks.settled,

    /** Gives the next calls of the API trouble, in order; null lets one pass. */
    plan: (...next: (StripeFailure | null)[]): void => {
      failures.splice(0, failures.length, ...next)
    },
    /** The same for transfers alone: those of any platform, or of a key's. */
    planTransfers: (...next: (StripeFailure | null)[]): void => planTransfers(next),
    planTransfersOf: (key: string, ...next: (StripeFailure | null)[]): void =>
      planTransfers(next, platforms.of(key)),
    /** What is waited for at each call. It may be replaced at any time. */
    hooks,
    /** How many times the API was called. */
    calls: () => calls,
  }
}
