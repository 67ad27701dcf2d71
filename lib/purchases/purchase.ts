/**
 * A purchase: everything that the received facts say about it. The result depends on the set of facts alone, never on the
 * order in which they arrived.
 */
import { type CheckoutFact, type Fact, type InvoiceFact, type Paid, reportsSale } from './facts.ts'
import { byText, ofKind, type ReceivedFact } from './received.ts'
import { type Return, readReturns } from './returns.ts'

export type Purchase = {
  /** The id under which the sale is recorded: its invoice, else its payment. Null while neither is known. */
  externalId: string | null
  /** Null while only refunds or disputes are known. */
  sale: { paid: Paid; paidAt: Date; isProration?: boolean } | null
  checkout: CheckoutFact | null
  /** When the checkout was created, else when the sale was paid: a partner who refers the buyer does so by then. */
  referredAt: Date | null
  /** The processor's id of the customer. */
  customer: string | null
  email: string | null
  name: string | null
  returns: Return[]
}

/**
 * What an event reports: a sale, which decides whom it is credited to, or only what became of it later. A refund must not
 * credit an old sale to the present holder of its coupon.
 */
export type Trigger = 'sale' | 'return'

export const triggerOf = (facts: Fact[]): Trigger => (facts.some(reportsSale) ? 'sale' : 'return')

const earliest = (dates: Date[]): Date | null =>
  dates.length ? new Date(Math.min(...dates.map(Number))) : null

/** Combines all facts that were received of a purchase. */
export const readPurchase = (received: ReceivedFact[]): Purchase => {
  const checkouts = ofKind(received, 'checkout').sort(
    (a, b) => Number(b.fact.paid !== null) - Number(a.fact.paid !== null) || Number(a.at) - Number(b.at),
  )
  const invoices = ofKind(received, 'invoice')
    .map(({ fact }) => fact)
    .sort((a, b) => byText(a.paidAt, b.paidAt) || byText(a.id, b.id))
  const checkout = checkouts[0]?.fact ?? null
  const invoice = invoices[0] ?? null
  const sale = findSale(invoice, checkouts)
  const invoiceIds = [
    ...invoices.map(({ id }) => id),
    ...ofKind(received, 'payment').map(({ fact }) => fact.invoice),
    ...checkouts.flatMap(({ fact }) => fact.invoice ?? []),
  ].sort(byText)

  return {
    externalId: invoice?.id ?? invoiceIds[0] ?? checkout?.payment ?? checkout?.id ?? null,
    sale,
    checkout,
    referredAt: checkout ? new Date(checkout.createdAt) : (sale?.paidAt ?? null),
    customer: checkout?.customer ?? invoice?.customer ?? null,
    email: checkout?.email ?? invoice?.email ?? null,
    name: checkout?.name ?? invoice?.name ?? null,
    returns: readReturns(received),
  }
}

/** An invoice is the best source of the amount and time of payment; a checkout without one is the next best. */
const findSale = (
  invoice: InvoiceFact | null,
  checkouts: { fact: CheckoutFact; at: Date }[],
): Purchase['sale'] => {
  if (invoice) {
    const isProration = invoice.billingReason === 'subscription_update'
    return { paid: invoice.paid, paidAt: new Date(invoice.paidAt), isProration }
  }
  const paid = checkouts.filter(({ fact }) => fact.paid)
  const paidAt = earliest(paid.map(({ at }) => at))
  const first = paid[0]?.fact.paid
  return first && paidAt ? { paid: first, paidAt } : null
}
