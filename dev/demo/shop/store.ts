/** What the shop remembers, for as long as it runs: who is signed in, who bought what. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Plan } from './plans.ts'
import type { Delivery } from './tributary.ts'

export type Invoice = {
  id: string
  plan: Plan
  eventName: 'subscription' | 'renewal'
  /** Less than the plan's price under a coupon. */
  paidCents: number
  paidAt: Date
  /**
   * How Tributary hears of it: by the shop's report, and the same one sent once more on request, or from Stripe.
   */
  told: { by: 'shop'; delivery: Delivery; repeat: Delivery | null } | { by: 'stripe' }
}

export type Customer = {
  id: string
  name: string
  email: string
  /**
   * The click that the customer came by, kept from the sign-up on: renewals happen when no browser is
   * there to be asked, and they carry it too.
   */
  clickId: string | undefined
  plan: Plan | null
  invoices: Invoice[]
  /** The invoice that the next payment will be. Forms carry it, so pressing twice pays once. */
  nextInvoiceId: string
  /** The subscription at Stripe, when that is where they pay. */
  subscription: string | null
  /** The report of the sign-up; null when they came to be customers by paying at Stripe. */
  lead: Delivery | null
}

/**
 * Ids are random, not counted: the shop forgets everything when it stops, but Tributary does not,
 * and an id that came back would be taken for a repeated report.
 */
export const newCustomerId = (): string => `user_${randomUUID().replaceAll('-', '').slice(0, 16)}`
export const newInvoiceId = (): string => `PN-${randomBytes(6).toString('hex').toUpperCase()}`

/** The signed-in customers, by the secret in their cookie. */
export const createSessions = () => {
  const sessions = new Map<string, Customer>()
  return {
    find: (id: string | undefined): Customer | undefined => (id ? sessions.get(id) : undefined),
    /** Opens a session under a new id, so that an id planted in a browser before is worth nothing. */
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
