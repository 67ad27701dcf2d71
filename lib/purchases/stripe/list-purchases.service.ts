/** What Stripe's API lists of purchases, told as Stripe's events would have told it. */
import type Stripe from 'stripe'
import { readEvent, type StripeEvent } from './events.schemas.ts'

/** A purchase, and when it was paid. Of a first invoice, its checkout is a part: only that knows the coupon. */
export type ListedPurchase = { paidAt: Date; events: StripeEvent[] }

/** Purchases, the first first, and the ids of what Stripe gave in a form that is not understood. */
export type Listed = { purchases: ListedPurchase[]; unread: string[] }

/** The most that Stripe gives at once. */
const PAGE = 100
/** A checkout stays open for a day at most, so that of an invoice began no earlier. */
const OPEN_SECONDS = 24 * 60 * 60

/** What an object would have been told by. The id is not one of Stripe's, and the same at each run. */
const tell = (
  type: string,
  { id, livemode }: { id: string; livemode: boolean },
  at: number,
  object: object,
) => readEvent({ id: `reconcile_${id}`, type, created: at, livemode, data: { object } })

const tellInvoice = (invoice: Stripe.Invoice & { id: string }) =>
  tell('invoice.paid', invoice, invoice.status_transitions.paid_at ?? invoice.created, invoice)

/** When it was paid, a checkout doesn't say; but never before it was opened. */
const tellCheckout = (session: Stripe.Checkout.Session) =>
  tell('checkout.session.completed', session, session.created, session)

const idOf = (reference: string | { id?: string } | null | undefined): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null)

/**
 * Lists the paid invoices that were made since a moment, each with its checkout if it came from one, and the paid
 * checkouts since then that have no invoice.
 *
 * Invoices come before checkouts, so that one that is paid meanwhile is not seen without its coupon.
 *
 * @param onRead told the number of invoices and checkouts that are read so far
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
    const event = tellInvoice(invoice)
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
    const event = tellCheckout(session)
    if (!event) unread.push(session.id)
    else if (purchase) purchase.events.push(event)
    else others.push({ paidAt: event.occurredAt, events: [event] })
  }

  const purchases = [...byInvoice.values(), ...others]
  return { purchases: purchases.sort((a, b) => Number(a.paidAt) - Number(b.paidAt)), unread }
}
