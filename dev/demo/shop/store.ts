/** The shop's data, in memory: customers, invoices, sessions. */
import { randomBytes, randomInt } from 'node:crypto'
import type { Plan } from './plans.ts'
import type { Delivery } from './tributary.ts'

export type Invoice = {
  id: string
  plan: Plan
  eventName: 'subscription' | 'renewal'
  /** With a coupon, less than the plan's price. */
  paidCents: number
  paidAt: Date
  /** Who reports it to Tributary: the shop, which can repeat its report on request, or Stripe. */
  reported:
    | { by: 'shop'; delivery: Delivery; repeat: Delivery | null }
    | { by: 'stripe'; buyer: StripeBuyer }
}

/** An invoice that Stripe reports. */
export type StripeInvoice = Invoice & { reported: { by: 'stripe' } }

/** A customer at Stripe. */
export type StripeBuyer = {
  /** `cus_...`: for calls of Stripe's API. Tributary never gets it from the shop. */
  id: string
  /** The shop's customer id in the metadata of the checkout session; null for a guest. */
  customerExternalId: string | null
  /**
   * The click that the checkout session carried: in its metadata, or a guest's as its
   * `client_reference_id`.
   */
  clickId: string | null
}

export type Customer = {
  /** The shop's own id, by which Tributary and Stripe know the customer too. */
  id: string
  name: string
  email: string
  /**
   * The click id from the sign-up. Renewals, which involve no browser, are reported with it too.
   */
  clickId: string | undefined
  plan: Plan | null
  invoices: Invoice[]
  /** The id of the next invoice. Forms contain it, so submitting one twice pays once. */
  nextInvoiceId: string
  /** The subscription at Stripe, if the customer pays there. */
  subscription: string | null
  /** The customer at Stripe, after the first payment there. */
  stripe: StripeBuyer | null
  /** The report of the sign-up; null for customers who paid with Stripe first. */
  lead: Delivery | null
}

/**
 * Ids are random, not counters: the shop's data is lost when it stops, but Tributary's is not, and
 * a reused id would count as a repeated report.
 */
export const newCustomerId = (): string => `user_${randomInt(1e9, 1e10)}`
export const newInvoiceId = (): string => `PN-${randomBytes(6).toString('hex').toUpperCase()}`

/** The signed-in customers, by session id. */
export const createSessions = () => {
  const sessions = new Map<string, Customer>()
  return {
    find: (id: string | undefined): Customer | undefined => (id ? sessions.get(id) : undefined),
    /** Opens a session under a new id, which prevents session fixation. */
    open: (customer: Customer): string => {
      const id = randomBytes(32).toString('base64url')
      sessions.set(id, customer)
      return id
    },
    close: (id: string | undefined): void => {
      if (id) sessions.delete(id)
    },
  }
}
