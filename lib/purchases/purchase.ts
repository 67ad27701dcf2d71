/**
 * A purchase: what all facts about it come to together, in whatever order they arrived. Every function here gives the
 * same for the same set of facts.
 */
import { proportionOf } from '../money.ts'
import type { Money } from '../tracking/rewards.ts'
import type {
  ChargeFact,
  CheckoutFact,
  DisputeFact,
  InvoiceFact,
  RefundFact,
  StripeFact,
  StripePaid,
} from './facts.ts'

/** A fact, and when Stripe's event told it. */
export type ToldFact = { fact: StripeFact; at: Date }

export type Purchase = {
  /** Under which the sale is recorded: its invoice, else its payment. Null while neither is known. */
  externalId: string | null
  /** What was paid. Null while only refunds and the like are known. */
  sale: { paid: StripePaid; paidAt: Date } | null
  checkout: CheckoutFact | null
  /** When the buyer came to the checkout, or else paid. */
  broughtAt: Date | null
  /** Stripe's customer. */
  customer: string | null
  email: string | null
  name: string | null
  /** What the buyer got back, and what it disputes. */
  returns: Return[]
}

/** What of one payment was refunded, and what is disputed. */
type Return = { refundedCents: bigint; disputedCents: bigint; currency: string; paidCents: bigint | null }

const ofKind = <K extends StripeFact['kind']>(told: ToldFact[], kind: K) =>
  told.flatMap(({ fact, at }) =>
    fact.kind === kind ? [{ fact: fact as Extract<StripeFact, { kind: K }>, at }] : [],
  )

const earliest = (dates: Date[]): Date | null =>
  dates.length ? new Date(Math.min(...dates.map(Number))) : null

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** What all that was told of a purchase comes to. */
export const readPurchase = (told: ToldFact[]): Purchase => {
  const checkouts = ofKind(told, 'checkout').sort(
    (a, b) => Number(b.fact.paid !== null) - Number(a.fact.paid !== null) || Number(a.at) - Number(b.at),
  )
  const invoices = ofKind(told, 'invoice')
    .map(({ fact }) => fact)
    .sort((a, b) => byText(a.paidAt, b.paidAt) || byText(a.id, b.id))
  const checkout = checkouts[0]?.fact ?? null
  const invoice = invoices[0] ?? null
  const sale = findSale(invoice, checkouts)
  const invoiceIds = [
    ...invoices.map(({ id }) => id),
    ...ofKind(told, 'payment').map(({ fact }) => fact.invoice),
    ...checkouts.flatMap(({ fact }) => fact.invoice ?? []),
  ].sort(byText)

  return {
    externalId: invoice?.id ?? invoiceIds[0] ?? checkout?.paymentIntent ?? checkout?.sessionId ?? null,
    sale,
    checkout,
    broughtAt: checkout ? new Date(checkout.createdAt) : (sale?.paidAt ?? null),
    customer: checkout?.customer ?? invoice?.customer ?? null,
    email: checkout?.email ?? invoice?.email ?? null,
    name: checkout?.name ?? invoice?.name ?? null,
    returns: readReturns(told),
  }
}

/** An invoice says best what was paid, and when. A checkout that has none says it too. */
const findSale = (
  invoice: InvoiceFact | null,
  checkouts: { fact: CheckoutFact; at: Date }[],
): Purchase['sale'] => {
  if (invoice) return { paid: invoice.paid, paidAt: new Date(invoice.paidAt) }
  const paid = checkouts.filter(({ fact }) => fact.paid)
  const paidAt = earliest(paid.map(({ at }) => at))
  const first = paid[0]?.fact.paid
  return first && paidAt ? { paid: first, paidAt } : null
}

/** Statuses of a refund that give nothing back after all. */
const NOT_REFUNDED = ['failed', 'canceled']
/** Statuses of a dispute that leave the money with the merchant: a mere inquiry, or one that the merchant has won. */
const NOT_TAKEN = ['warning_needs_response', 'warning_under_review', 'warning_closed', 'won', 'prevented']
/** From what may still change to what is final, for what Stripe told within the same second. */
const STATUS_ORDER = [
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'requires_action',
  'pending',
  'succeeded',
  'needs_response',
  'under_review',
  'lost',
  'appeal_needs_response',
  'appeal_under_review',
  'canceled',
  'failed',
  'prevented',
  'won',
]

/** Of each refund or dispute what was told last. */
const latest = <F extends RefundFact | DisputeFact>(told: { fact: F; at: Date }[]): F[] => {
  const inOrder = [...told].sort(
    (a, b) =>
      Number(a.at) - Number(b.at) ||
      STATUS_ORDER.indexOf(a.fact.status) - STATUS_ORDER.indexOf(b.fact.status) ||
      a.fact.amountCents - b.fact.amountCents,
  )
  return [...new Map(inOrder.map(({ fact }) => [fact.id, fact])).values()]
}

const total = (facts: { amountCents: number }[]): number =>
  facts.reduce((sum, { amountCents }) => sum + amountCents, 0)

const readReturns = (told: ToldFact[]): Return[] => {
  const refunds = latest(ofKind(told, 'refund'))
  const disputes = latest(ofKind(told, 'dispute'))
  const charges = ofKind(told, 'charge').map(({ fact }) => fact)
  const payments = new Set([...refunds, ...disputes, ...charges].map(({ payment }) => payment))
  return [...payments].sort(byText).map((payment) => {
    const of = <F extends { payment: string }>(facts: F[]) => facts.filter((fact) => fact.payment === payment)
    return readReturn(of(refunds), of(disputes), of(charges))
  })
}

/**
 * What was returned of one payment. A charge says what was refunded of it in all, which may leave out refunds that
 * came after it was told, and may count some that have failed since.
 */
const readReturn = (refunds: RefundFact[], disputes: DisputeFact[], charges: ChargeFact[]): Return => {
  const failed = refunds.filter(({ status }) => NOT_REFUNDED.includes(status))
  const made = refunds.filter(({ status }) => !NOT_REFUNDED.includes(status))
  const told = Math.max(0, ...charges.map(({ refundedCents }) => refundedCents))
  const [charge] = charges
  return {
    refundedCents: BigInt(Math.max(total(made), told - total(failed))),
    disputedCents: BigInt(total(disputes.filter(({ status }) => !NOT_TAKEN.includes(status)))),
    currency: (charge ?? refunds[0] ?? disputes[0])?.currency ?? '',
    paidCents: charge ? BigInt(charge.amountCents) : null,
  }
}

/** How much of what was paid the buyer got back, in the minor units of what was paid. Never more than that. */
export type Returned = { refundedCents: bigint; disputedCents: bigint; paid: Money }

/**
 * What of a sale was returned.
 *
 * @param paid all that was paid, tax included
 */
export const returnedOf = ({ returns }: Pick<Purchase, 'returns'>, paid: Money): Returned => {
  const sum = (part: 'refundedCents' | 'disputedCents'): bigint =>
    returns.reduce((all, payment) => all + inCurrencyOf(paid, payment, payment[part]), 0n)
  const refundedCents = min(sum('refundedCents'), paid.amountCents)
  return {
    refundedCents,
    disputedCents: min(sum('disputedCents'), paid.amountCents - refundedCents),
    paid,
  }
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/**
 * A returned amount in the currency of the sale. Where the buyer paid in another one, it is as much of the sale as it
 * is of the charge; when the charge is not known, whatever came back is taken for all of it.
 */
const inCurrencyOf = (paid: Money, { currency, paidCents }: Return, cents: bigint): bigint => {
  if (currency === paid.currency || cents === 0n) return cents
  return paidCents ? proportionOf(paid.amountCents, cents, paidCents) : paid.amountCents
}

/** What of a commission is to be taken back for what was returned. Rounds half up; all of it for all. */
export const reversedOf = (
  commissionCents: bigint,
  { refundedCents, disputedCents, paid }: Returned,
): bigint => proportionOf(commissionCents, refundedCents + disputedCents, paid.amountCents)
