/** A fake of Stripe: its API, its checkout page, and its webhooks. It keeps everything in memory, and moves no money. */
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import type Stripe from 'stripe'
import { type Listening, listen } from './ports.ts'
import { type Bindings, createApi, type StripeTrouble } from './stripe/api.ts'
import { type Buyer, pay } from './stripe/buyer.ts'
import { addCoupon, addPromotionCode } from './stripe/coupons.ts'
import { closeDispute, dispute } from './stripe/disputes.ts'
import { STRIPE_PATH } from './stripe/pages/layout.ts'
import { createPages } from './stripe/pages.ts'
import { failRefund, refund } from './stripe/refunds.ts'
import { createStore } from './stripe/store.ts'
import { renew } from './stripe/subscriptions.ts'
import { createWebhooks } from './stripe/webhooks.ts'

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
}: StripeOptions = {}) => {
  const store = createStore(now)
  const webhooks = createWebhooks(store, { shuffle })
  const troubles: (StripeTrouble | null)[] = []
  let calls = 0
  let listening: Listening = { url: '', stop: async () => {} }

  const pageOf = (session: string) => `${pagesUrl ?? listening.url}${STRIPE_PATH}/pay/${session}`
  const nextTrouble = () => {
    calls++
    return troubles.shift()
  }
  const api = createApi(store, webhooks, pageOf, nextTrouble)
  const pages = createPages(store, webhooks)
  const app = new Hono<Bindings>().all('*', (c) =>
    (c.req.path === STRIPE_PATH || c.req.path.startsWith(`${STRIPE_PATH}/`) ? pages : api).fetch(
      c.req.raw,
      c.env,
    ),
  )
  listening = await listen(createServer(getRequestListener(app.fetch)))

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
    /** Registers a webhook endpoint. */
    addEndpoint: webhooks.addEndpoint,

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

    /** What has happened, oldest first. */
    events: (): Stripe.Event[] => store.events.list().reverse(),
    /** Sends an event once more. */
    resend: webhooks.resend,
    deliveries: webhooks.deliveries,
    /** Resolves when every event is delivered, or given up. */
    settled: webhooks.settled,

    /** Gives the next calls of the API trouble, in order; null lets one pass. */
    plan: (...next: (StripeTrouble | null)[]): void => {
      troubles.splice(0, troubles.length, ...next)
    },
    /** How many times the API was called. */
    calls: () => calls,
  }
}
