/**
 * A purchase: everything that the received facts say about it. The result depends on the set of
 * facts alone, never on the order in which they arrived.
 */

import { proportionOf } from '../../values/money.ts'
import { clickIdsIn } from '../attribution/click-ids.ts'
import { couponsOf } from '../attribution/discounts.ts'
import { scaledTo } from '../decisions/amounts.ts'
import { isErased } from '../identities/identities.ts'
import { type BoughtIn, boughtIn } from '../purchases/bought.ts'
import {
  type CheckoutFact,
  type Fact,
  type InvoiceFact,
  type Paid,
  reportsSale,
} from '../purchases/facts.ts'
import { type Payment, readPayments } from '../purchases/payments.ts'
import { byText, ofKind, type ReceivedFact } from '../purchases/received.ts'
import { type Returns, readReturns } from '../refunds/returns.ts'

export type Purchase = BoughtIn & {
  /** The sale's external id: its invoice, else its payment. Null while neither is known. */
  externalId: string | null
  /** Null while only refunds or disputes are known. */
  sale: { paid: Paid; paidAt: Date; isProration?: boolean } | null
  checkout: CheckoutFact | null
  /** Until when a payment waits for its invoice or checkout. Then it becomes a sale itself. */
  waitsUntil: Date | null
  /** Coupon ids and promotion code ids: the checkout's, else those of the invoice's discounts. */
  coupons: string[]
  /** The clicks that its checkouts, invoices and payments name. */
  clickIds: string[]
  /** The free checkout or invoice that began its subscription: its coupon or click counts. */
  trial: { ids: string[]; coupons: string[]; clickId: string | null; createdAt: Date } | null
  subscription: string | null
  /** Whether the processor says that its invoice is for a later period of a subscription. */
  isRenewal: boolean
  /** The merchant's ids of the customer. */
  customerExternalIds: string[]
  /** One of them that a buyer may have written: see `readReference`. */
  reference: string | null
  /** When the checkout was created, else the sale paid. Earlier referrals count. */
  referredAt: Date | null
  /** The processor's id of the customer. */
  customer: string | null
  email: string | null
  name: string | null
  /** The fingerprints of the cards and bank accounts that it was paid with. */
  cards: string[]
  /** The addresses that were given with these. */
  billingEmails: string[]
  returns: Returns
}

/**
 * What an event reports: a sale, which decides whom it is credited to, or only what became of it
 * later. A sale is planned `again` when something changed that it depends on. Neither a refund nor
 * that must credit an old sale to the present holder of its coupon.
 */
export type Trigger = 'sale' | 'return' | 'again'

export const triggerOf = (facts: Fact[]): Trigger => {
  if (facts.some(reportsSale)) return 'sale'
  return facts.some(changesAmount) ? 'again' : 'return'
}

/** Whether a fact says that less was received than a checkout asked for. */
const changesAmount = (fact: Fact): boolean =>
  fact.kind === 'charge' && fact.capturedCents !== undefined

const earliest = (dates: Date[]): Date | null =>
  dates.length ? new Date(Math.min(...dates.map(Number))) : null

/**
 * Combines all facts that were received of a purchase, and the discounts of its customer.
 *
 * @param others checkouts of the same subscription, and the invoice that began it
 */
export const readPurchase = (
  received: ReceivedFact[],
  now: Date,
  others: ReceivedFact[] = [],
): Purchase => {
  const intents = ofKind(received, 'intent').map(({ fact }) => fact)
  const isCaptured = ({ payment }: CheckoutFact) => intents.some(({ id }) => id === payment)
  const checkouts = ofKind(received, 'checkout').sort(
    (a, b) =>
      Number(b.fact.paid !== null) - Number(a.fact.paid !== null) ||
      Number(isCaptured(b.fact)) - Number(isCaptured(a.fact)) ||
      Number(a.occurredAt) - Number(b.occurredAt) ||
      byText(a.fact.id, b.fact.id),
  )
  const invoices = ofKind(received, 'invoice')
    .map(({ fact }) => fact)
    .sort((a, b) => byText(a.paidAt, b.paidAt) || byText(a.id, b.id))
  const checkout = checkouts[0]?.fact ?? null
  const invoice = invoices[0] ?? null
  const invoiceIds = [
    ...invoices.map(({ id }) => id),
    ...ofKind(received, 'payment').map(({ fact }) => fact.invoice),
    ...checkouts.flatMap(({ fact }) => fact.invoice ?? []),
  ].sort(byText)
  const own = checkout || invoiceIds.length > 0 ? null : findOwnPayment(received)
  const waitsUntil = own && new Date(Number(own.occurredAt) + WAIT_MS)
  const payment = waitsUntil && waitsUntil <= now ? own : null
  const payments = readPayments(received)
  const sale = payment
    ? { paid: payment.fact.paid, paidAt: payment.occurredAt }
    : invoice
      ? saleOfInvoice(invoice)
      : saleOfCheckout(checkouts, received, payments)
  const methods = ofKind(received, 'payment_method').map(({ fact }) => fact)
  const said = [checkout, invoice, ...intents].filter((fact) => fact !== null)
  const all = [...said, ...checkouts.map(({ fact }) => fact), ...invoices]

  return {
    externalId:
      invoice?.id ?? invoiceIds[0] ?? checkout?.payment ?? checkout?.id ?? own?.fact.id ?? null,
    sale,
    checkout,
    waitsUntil: payment ? null : waitsUntil,
    coupons: checkout?.coupons.length ? checkout.coupons : couponsOfAll(invoices, received),
    clickIds: [...new Set(all.flatMap(({ clickId }) => (clickId ? clickIdsIn(clickId) : [])))],
    trial: findTrial(others, received),
    subscription: [invoice, checkout].find((fact) => fact?.subscription)?.subscription ?? null,
    isRenewal: invoice?.billingReason === 'subscription_cycle',
    customerExternalIds: [...new Set(all.flatMap((fact) => fact.customerExternalId ?? []))].sort(
      byText,
    ),
    reference: checkouts.find(({ fact }) => fact.reference)?.fact.reference ?? null,
    referredAt: checkout ? new Date(checkout.createdAt) : (sale?.paidAt ?? null),
    customer: all.find(({ customer }) => customer)?.customer ?? null,
    email: addressOf(all),
    name: checkout?.name ?? invoice?.name ?? null,
    ...boughtIn(
      invoices.filter(({ id }) => id === invoice?.id),
      checkout,
      intents,
    ),
    cards: [...new Set(methods.map(({ fingerprint }) => fingerprint))],
    billingEmails: [...new Set(methods.flatMap(({ billingEmail }) => billingEmail ?? []))],
    returns: {
      ...readReturns(received, payments),
      excessCents: excessOf(sale?.paid ?? null, invoices, payments),
    },
  }
}

/** The buyer's address: the first that is named, unless it was erased since an event named it. */
const addressOf = (facts: { email: string | null }[]): string | null => {
  const emails = facts.flatMap(({ email }) => email ?? [])
  return emails.find(isErased) ?? emails[0] ?? null
}

/** The coupons of the first invoice. Another fact of it may name more of them. */
const couponsOfAll = (invoices: InvoiceFact[], received: ReceivedFact[]): string[] => {
  const same = invoices.filter(({ id }) => id === invoices[0]?.id)
  return [...new Set(same.flatMap((invoice) => couponsOf(invoice, received)))]
}

/**
 * How long a payment waits for the invoice or checkout that it may belong to: older versions of a
 * processor do not say so. Processors report all of them within seconds.
 */
const WAIT_MS = 15 * 60_000

/** The first payment, unless one of them names an invoice or a checkout. */
const findOwnPayment = (received: ReceivedFact[]) => {
  const intents = ofKind(received, 'intent')
  if (intents.some(({ fact }) => fact.pays)) return null
  const [first = null] = intents.sort(
    (a, b) => Number(a.occurredAt) - Number(b.occurredAt) || byText(a.fact.id, b.fact.id),
  )
  return first
}

const findTrial = (others: ReceivedFact[], received: ReceivedFact[]): Purchase['trial'] => {
  const begun = [
    ...ofKind(others, 'checkout').map(({ fact }) => ({ ...fact, begunAt: fact.createdAt })),
    ...ofKind(others, 'invoice').map(({ fact }) => ({
      ...fact,
      begunAt: fact.paidAt,
      coupons: couponsOf(fact, received),
      clickId: fact.clickId ?? null,
    })),
  ]
    .filter(({ paid }) => paid?.grossCents === 0)
    .sort((a, b) => byText(a.begunAt, b.begunAt) || byText(a.id, b.id))
  const first = begun.find(({ coupons, clickId }) => coupons.length > 0 || clickId !== null)
  return first
    ? {
        ids: begun.map(({ id }) => id),
        coupons: first.coupons,
        clickId: first.clickId,
        createdAt: new Date(first.begunAt),
      }
    : null
}

/** An invoice is the best source of the amount and time of payment. */
const saleOfInvoice = ({ isProration, paid, paidAt }: InvoiceFact): Purchase['sale'] => ({
  paid,
  paidAt: new Date(paidAt),
  isProration: isProration ?? false,
})

/**
 * The sale of a checkout without an invoice: as much of it as its payment has received. One that
 * completed unpaid is paid once its payment is captured, or arrives by a delayed method.
 *
 * @param checkouts the paid ones first, then those whose payment has succeeded
 */
const saleOfCheckout = (
  checkouts: { fact: CheckoutFact; occurredAt: Date }[],
  received: ReceivedFact[],
  payments: Payment[],
): Purchase['sale'] => {
  const [first] = checkouts
  const due = first?.fact.paid ?? first?.fact.due
  if (!first || !due) return null
  const id = first.fact.payment
  const payment = payments.find(({ ids }) => id !== null && ids.includes(id))
  const captures = ofKind(received, 'intent').filter(({ fact }) => payment?.ids.includes(fact.id))
  const paidAt =
    earliest(checkouts.filter(({ fact }) => fact.paid).map(({ occurredAt }) => occurredAt)) ??
    earliest(captures.map(({ occurredAt }) => occurredAt))
  return paidAt && { paid: scaledTo(receivedFor(due, payment), due), paidAt }
}

/** What was received for a checkout, in its currency: of another one, the same proportion. */
const receivedFor = ({ grossCents, currency }: Paid, payment: Payment | undefined): number => {
  const { receivedCents, authorizedCents } = payment ?? {
    receivedCents: null,
    authorizedCents: null,
  }
  if (receivedCents === null || !authorizedCents) return grossCents
  return payment?.currency === currency
    ? receivedCents
    : Number(proportionOf(BigInt(grossCents), BigInt(receivedCents), BigInt(authorizedCents)))
}

/** What was received in excess of a sale: an invoice or an order may be paid twice. */
const excessOf = (paid: Paid | null, invoices: InvoiceFact[], payments: Payment[]): bigint => {
  if (!paid) return 0n
  const received = payments
    .filter(({ currency }) => currency === paid.currency)
    .reduce((sum, { receivedCents }) => sum + (receivedCents ?? 0), 0)
  const stated = invoices.map(({ overpaidCents }) => overpaidCents ?? 0)
  return BigInt(Math.max(0, received - paid.grossCents, ...stated))
}
