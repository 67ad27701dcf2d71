/** What an account at Stripe holds, in memory. */
import { randomBytes } from 'node:crypto'
import type Stripe from 'stripe'
import { badParam, Refusal } from './errors.ts'
import type { ConnectEvent } from './event-shapes.ts'

type Kept = { id: string; object: string }

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const ID_LENGTH = 24

/** A random id. They are never counted: what has been told of them outlives the fake. */
export const newId = (prefix: string, length = ID_LENGTH): string =>
  `${prefix}_${Array.from(randomBytes(length), (byte) => LETTERS[byte % LETTERS.length]).join('')}`

/** Things of one kind, in the order in which they were made. */
export const createCollection = <T extends Kept>(object: T['object']) => {
  const all = new Map<string, T>()
  const missing = (id: string) => `No such ${object}: '${id}'`
  return {
    add: (one: T): T => {
      all.set(one.id, one)
      return one
    },
    find: (id: string | null | undefined): T | undefined => (id ? all.get(id) : undefined),
    /** One that a request's path names. @throws when there is none */
    get: (id: string): T => {
      const one = all.get(id)
      if (one) return one
      throw new Refusal(404, { code: 'resource_missing', message: missing(id), param: 'id' })
    },
    /** One that a parameter names. @throws when there is none */
    named: (id: string, param: string): T => {
      const one = all.get(id)
      if (one) return one
      throw badParam(param, missing(id), 'resource_missing')
    },
    /** All of them, newest first. */
    list: (): T[] => [...all.values()].reverse(),
  }
}
export type Collection<T extends Kept> = ReturnType<typeof createCollection<T>>

/** An account's things, each kind by itself, and the account's clock. */
export const createStore = (now: () => Date) => ({
  now,
  /** The time as the first version of the API writes it. */
  seconds: (): number => Math.floor(now().getTime() / 1_000),
  charges: createCollection<Stripe.Charge>('charge'),
  /** What happened to connected accounts, and by them: none of it is among the account's own events. */
  connectEvents: createCollection<ConnectEvent>('event'),
  coupons: createCollection<Stripe.Coupon>('coupon'),
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
  /** What each checkout session sells. */
  lineItems: new Map<string, Stripe.LineItem[]>(),
})
export type Store = ReturnType<typeof createStore>

/** The id of an object that may have been expanded. The store itself never expands. */
export const idOf = (reference: string | { id: string } | null | undefined): string | null =>
  typeof reference === 'object' ? (reference?.id ?? null) : (reference ?? null)

/** A list that is part of an object. */
export const listOf = <T>(data: T[], url: string): Stripe.ApiList<T> => ({
  object: 'list',
  data,
  has_more: false,
  url,
})
