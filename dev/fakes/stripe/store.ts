/** The objects of a Stripe account, in memory. */
import { randomBytes } from 'node:crypto'
import type Stripe from 'stripe'
import { invalidParam, StripeError } from './errors.ts'
import type { ConnectEvent } from './event-shapes.ts'

type Kept = { id: string; object: string }

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const ID_LENGTH = 24

/** A random id. Not a counter: Tributary's database outlives the fake, so ids must not repeat. */
export const newId = (prefix: string, length = ID_LENGTH): string =>
  `${prefix}_${Array.from(randomBytes(length), (byte) => LETTERS[byte % LETTERS.length]).join('')}`

/** Objects of one type, in order of creation. */
export const createCollection = <T extends Kept>(object: T['object']) => {
  const all = new Map<string, T>()
  const missing = (id: string) => `No such ${object}: '${id}'`
  return {
    add: (one: T): T => {
      all.set(one.id, one)
      return one
    },
    find: (id: string | null | undefined): T | undefined => (id ? all.get(id) : undefined),
    /** The object named in a request's path. @throws when there is none */
    get: (id: string): T => {
      const one = all.get(id)
      if (one) return one
      throw new StripeError(404, { code: 'resource_missing', message: missing(id), param: 'id' })
    },
    /** The object named by a parameter. @throws when there is none */
    named: (id: string, param: string): T => {
      const one = all.get(id)
      if (one) return one
      throw invalidParam(param, missing(id), 'resource_missing')
    },
    /** All objects, newest first. */
    list: (): T[] => [...all.values()].reverse(),
  }
}
export type Collection<T extends Kept> = ReturnType<typeof createCollection<T>>

/** An account's collections, and its current time. */
export const createStore = (now: () => Date) => ({
  now,
  /** The current time in seconds, as v1 of the API has it. */
  seconds: (): number => Math.floor(now().getTime() / 1_000),
  /** Payouts of connected accounts, by id. */
  accountPayouts: new Map<string, Stripe.Payout & { account: string }>(),
  charges: createCollection<Stripe.Charge>('charge'),
  /** Events of connected accounts, which are not among the account's own. */
  connectEvents: createCollection<ConnectEvent>('event'),
  coupons: createCollection<Stripe.Coupon>('coupon'),
  creditNotes: createCollection<Stripe.CreditNote>('credit_note'),
  customers: createCollection<Stripe.Customer>('customer'),
  discounts: createCollection<Stripe.Discount>('discount'),
  disputes: createCollection<Stripe.Dispute>('dispute'),
  endpoints: createCollection<Stripe.WebhookEndpoint>('webhook_endpoint'),
  events: createCollection<Stripe.Event>('event'),
  invoices: createCollection<Stripe.Invoice>('invoice'),
  invoicePayments: createCollection<Stripe.InvoicePayment>('invoice_payment'),
  paymentIntents: createCollection<Stripe.PaymentIntent>('payment_intent'),
  prices: createCollection<Stripe.Price>('price'),
  products: createCollection<Stripe.Product>('product'),
  promotionCodes: createCollection<Stripe.PromotionCode>('promotion_code'),
  refunds: createCollection<Stripe.Refund>('refund'),
  sessions: createCollection<Stripe.Checkout.Session>('checkout.session'),
  subscriptions: createCollection<Stripe.Subscription>('subscription'),
  /** Line items by checkout session. */
  lineItems: new Map<string, Stripe.LineItem[]>(),
  /** All lines by invoice. */
  invoiceLines: new Map<string, Stripe.InvoiceLineItem[]>(),
  /** All lines by credit note. */
  creditNoteLines: new Map<string, Stripe.CreditNoteLineItem[]>(),
})
export type Store = ReturnType<typeof createStore>

/** The id of a reference that may be expanded. */
export const idOf = (reference: string | { id: string } | null | undefined): string | null =>
  typeof reference === 'object' ? (reference?.id ?? null) : (reference ?? null)

/** A list inside an object. */
export const listOf = <T>(data: T[], url: string): Stripe.ApiList<T> => ({
  object: 'list',
  data,
  has_more: false,
  url,
})
