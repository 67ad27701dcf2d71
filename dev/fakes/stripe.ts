/** A fake of Stripe: its API, checkout page and webhooks. In memory only; moves no money. */
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
import { type CreditNoteParams, creditNote } from './stripe/credit-notes.ts'
import { closeDispute, dispute } from './stripe/disputes.ts'
import type { ApiEnv } from './stripe/env.ts'
import type { ConnectEvent } from './stripe/event-shapes.ts'
import type { StripeFailure } from './stripe/failures.ts'
import { accountOfKey, keyOf } from './stripe/keys.ts'
import { createAccount, recipient } from './stripe/new-account.ts'
import { STRIPE_PATH } from './stripe/pages/layout.ts'
import { createPages } from './stripe/pages.ts'
import { createPlatforms, type Platform } from './stripe/platforms.ts'
import { captureInPart, failRefund, refund } from './stripe/refunds.ts'
import { createStore } from './stripe/store.ts'
import { renew } from './stripe/subscriptions.ts'
import { createWebhooks, type EndpointParams } from './stripe/webhooks.ts'

export { STRIPE_PATH }

/** A running fake, with functions that act as buyers, banks, account owners and Stripe itself. */
export type StripeFake = Awaited<ReturnType<typeof startStripe>>

type StripeOptions = {
  /** Public URL of its pages; by default the fake's own. */
  pagesUrl?: string
  /** Sends the events of one action concurrently, in random order. */
  shuffle?: boolean
  /** The current time at Stripe. */
  now?: () => Date
  /** Awaited before each API call is carried out. */
  onCall?: Hook
  /** Awaited after each API call, before the response. */
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
  /**
   * A transfer takes the failures planned for its platform first, then those for all platforms,
   * then those for all calls.
   */
  const nextFailure = (c: Context<ApiEnv>) => {
    calls++
    const key = keyOf(c.req.header('Authorization'))
    const isTransfer = key && c.req.method === 'POST' && c.req.path === '/v1/transfers'
    const queues = isTransfer
      ? [platforms.of(key).failures, transferFailures, failures]
      : [failures]
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
    dashboardOf: (account) => pageAt(`#${account}`),
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
  const platformsOf = (key: string | undefined) =>
    key === undefined ? platforms.list() : [platforms.of(key)]

  return {
    url: listening.url,
    stop: async () => {
      await webhooks.stop()
      await listening.stop()
    },

    /** Creates a coupon and, given a code, its promotion code. */
    addCoupon: (params: Parameters<typeof addCoupon>[1], code?: string) => {
      const coupon = addCoupon(store, params)
      return {
        coupon,
        promotionCode: code === undefined ? null : addPromotionCode(store, code, coupon.id),
      }
    },
    /**
     * Registers a webhook endpoint. It receives the Connect events of the key's account, or of all
     * accounts.
     */
    addEndpoint: ({ key, ...params }: Omit<EndpointParams, 'platform'> & { key?: string }) =>
      webhooks.addEndpoint({ ...params, ...(key && { platform: accountOfKey(key) }) }),

    /** Pays a checkout session, as a buyer does on its page. */
    pay: (session: string, buyer: Buyer): Stripe.Checkout.Session =>
      pay(store, webhooks, session, buyer),
    /** Starts a subscription's next period. @returns its invoice */
    renew: (subscription: string): Stripe.Invoice => renew(store, webhooks, subscription),
    /** Refunds a charge or payment intent; by default all that is left. */
    refund: (payment: string, amount?: number): Stripe.Refund =>
      refund(store, webhooks, { payment, amount }),
    /** Captures a checkout's payment in part, after the checkout has completed. */
    captureInPart: (payment: string, amount: number): void =>
      captureInPart(store, webhooks, payment, amount),
    /** Credits part of a paid invoice to its customer's balance. */
    creditNote: (
      invoice: string,
      amount: number,
      lines: CreditNoteParams['lines'] = [],
    ): Stripe.CreditNote => creditNote(store, webhooks, { invoice, amount, lines }),
    failRefund: (id: string): Stripe.Refund => failRefund(store, webhooks, id),
    dispute: (payment: string): Stripe.Dispute => dispute(store, webhooks, payment),
    closeDispute: (id: string, status: 'won' | 'lost'): Stripe.Dispute =>
      closeDispute(store, webhooks, id, status),

    /**
     * Connects an account to a key's platform, as the payouts Worker does by the API.
     * @returns its id
     */
    addAccount: (key: string, owner: { email: string; country: string }): string => {
      const platform = platforms.of(key)
      const account = createAccount(platform, recipient(owner), now())
      connect.emitCreated(platform, account)
      return account.id
    },
    /**
     * Act as the owner of a connected account on Stripe's onboarding pages: finish, or leave
     * half-way.
     */
    onboard: step('onboard'),
    leaveOnboarding: step('leave'),
    /** Act as Stripe or the owner. A closed account can't be restored. */
    reviewAccount: step('review'),
    restrictAccount: step('restrict'),
    rejectAccount: step('reject'),
    restoreAccount: step('restore'),
    closeAccount: step('close'),
    /** Gives the account another bank account, after the bank refused a payout. */
    changeBank: step('change_bank'),
    /**
     * Pays out an account's balance to its bank, which accepts or refuses it. A paid one can be
     * refused later.
     */
    payOut: connect.payOut,
    refusePayout: connect.refusePayout,
    /** Sets the balance in minor units, of a key's platform or of all. */
    setBalance: (currency: string, amount: number, key?: string): void =>
      platforms.setBalance(currency, amount, key === undefined ? undefined : platforms.of(key)),
    /** Sets the least amount that is transferred of a currency. */
    setMinimum: platforms.setMinimum,
    /** The transfers of a platform, or of all, each platform's oldest first. */
    transfers: (key?: string): Stripe.Transfer[] =>
      platformsOf(key).flatMap(({ transfers }) => transfers.list().reverse()),
    /** The connected accounts of a platform, or of all, each platform's oldest first. */
    accounts: (key?: string): Connected[] =>
      platformsOf(key).flatMap(({ accounts }) => accounts.list().reverse()),
    /**
     * Reverses a transfer as the merchant does in Stripe's dashboard; by default all that is left
     * of it.
     */
    reverse: connect.reverse,
    /** Revokes a key. */
    revokeKey: platforms.revoke,

    /** All events but those of Connect, oldest first. */
    events: (): Stripe.Event[] => store.events.list().reverse(),
    /** The Connect events, snapshot and thin, oldest first. */
    connectEvents: (): ConnectEvent[] => store.connectEvents.list().reverse(),
    /** Sends an event again. */
    resend: webhooks.resend,
    deliveries: webhooks.deliveries,
    /** Resolves when every delivery has succeeded or failed for good. */
    settled: webhooks.settled,

    /** Makes the next API calls fail, in order; null lets one succeed. */
    plan: (...next: (StripeFailure | null)[]): void => {
      failures.splice(0, failures.length, ...next)
    },
    /** The same for transfers only: of all platforms, or of a key's. */
    planTransfers: (...next: (StripeFailure | null)[]): void => planTransfers(next),
    planTransfersOf: (key: string, ...next: (StripeFailure | null)[]): void =>
      planTransfers(next, platforms.of(key)),
    /** The hooks of each call, replaceable at any time. */
    hooks,
    /** The number of API calls. */
    calls: () => calls,
  }
}
