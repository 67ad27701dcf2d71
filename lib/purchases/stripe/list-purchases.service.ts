/** Lists purchases by Stripe's API, as the events that would have reported them. */
import type Stripe from 'stripe'
import type { ListedPurchase } from '../facts.ts'
import { readEvent } from './events.schemas.ts'

/** Purchases, oldest first, and the ids of objects in an unknown form. */
export type Listed = { purchases: ListedPurchase[]; unread: string[] }

/** Stripe's maximum. */
const PAGE = 100
/** A checkout stays open for at most a day, so the checkout of an invoice began no earlier. */
const OPEN_SECONDS = 24 * 60 * 60

/** The event that would have reported an object. Its id is not one of Stripe's, and the same at each run. */
const eventOf = (
  type: string,
  { id, livemode }: { id: string; livemode: boolean },
  at: number,
  object: object,
) => readEvent({ id: `reconcile_${id}`, type, created: at, livemode, data: { object } })

const invoiceEvent = (invoice: Stripe.Invoice & { id: string }) =>
  eventOf('invoice.paid', invoice, invoice.status_transitions.paid_at ?? invoice.created, invoice)

/** A checkout has no time of payment, so its creation counts. */
const checkoutEvent = (session: Stripe.Checkout.Session) =>
  eventOf('checkout.session.completed', session, session.created, session)

const idOf = (reference: string | { id?: string } | null | undefined): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null)

/**
 * Lists the paid invoices created since a date, each with its checkout, which alone knows the coupon, and the paid
 * checkouts since then without an invoice.
 *
 * Invoices are listed first, so that one that is paid in between is not listed without its checkout.
 *
 * @param onRead called with the number of invoices and checkouts read so far
 */
export const listPurchases = async (
  stripe: Stripe,
  since: Date,
  onRead: (count: number) => void,
): Promise<Listed> => {
  const from = Math.max(0, Math.floor(since.getTime() / 1000))
  const byInvoice = new Map<string, ListedPurchase>()
  const others: ListedPurchase[] = []
  const unread: string[] = []
  let count = 0

  for await (const invoice of stripe.invoices.list({
    status: 'paid',
    created: { gte: from },
    limit: PAGE,
    expand: ['data.payments'],
  })) {
    onRead(++count)
    const event = invoiceEvent(invoice)
    if (event) byInvoice.set(invoice.id, { paidAt: event.occurredAt, events: [event] })
    else unread.push(invoice.id)
  }

  const opened = { gte: Math.max(0, from - OPEN_SECONDS) }
  for await (const session of stripe.checkout.sessions.list({
    status: 'complete',
    created: opened,
    limit: PAGE,
  })) {
    onRead(++count)
    const invoice = idOf(session.invoice)
    const purchase = invoice === null ? null : byInvoice.get(invoice)
    const isSale =
      session.mode === 'payment' && session.payment_status !== 'unpaid' && session.created >= from
    if (!purchase && (invoice !== null || !isSale)) continue
    const event = checkoutEvent(session)
    if (!event) unread.push(session.id)
    else if (purchase) purchase.events.push(event)
    else others.push({ paidAt: event.occurredAt, events: [event] })
  }

  const purchases = [...byInvoice.values(), ...others]
  return { purchases: purchases.sort((a, b) => Number(a.paidAt) - Number(b.paidAt)), unread }
}
