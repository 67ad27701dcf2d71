/** Returns: how much of a purchase was refunded or disputed, by all facts received. */
import { proportionOf } from '../money.ts'
import type { Money } from '../tracking/rewards.ts'
import {
  type ChargeFact,
  DISPUTE_STATUSES,
  type DisputeFact,
  REFUND_STATUSES,
  type RefundFact,
} from './facts.ts'
import { byText, ofKind, type ReceivedFact } from './received.ts'

/** What of one payment was refunded, and what is disputed. */
export type Return = {
  refundedCents: bigint
  disputedCents: bigint
  currency: string
  paidCents: bigint | null
}

const STATUS_ORDER: string[] = [...REFUND_STATUSES, ...DISPUTE_STATUSES]

/** The latest fact of each refund or dispute. Processors' times are whole seconds: within one, the later status counts. */
const latest = <F extends RefundFact | DisputeFact>(received: { fact: F; at: Date }[]): F[] => {
  const inOrder = [...received].sort(
    (a, b) =>
      Number(a.at) - Number(b.at) ||
      STATUS_ORDER.indexOf(a.fact.status) - STATUS_ORDER.indexOf(b.fact.status) ||
      a.fact.amountCents - b.fact.amountCents,
  )
  return [...new Map(inOrder.map(({ fact }) => [fact.id, fact])).values()]
}

const total = (facts: { amountCents: number }[]): number =>
  facts.reduce((sum, { amountCents }) => sum + amountCents, 0)

/** What names a payment: its own id, that of its charge, or both. */
type Named = { payment?: string | null; charge?: string | null }

/** Groups of ids that name one payment each, since some fact names two of them together. */
const groupIds = (named: Named[]): string[][] =>
  named.reduce<string[][]>((groups, { payment, charge }) => {
    const ids = [payment, charge].filter((id) => id != null)
    const [mine, others] = [
      groups.filter((group) => group.some((id) => ids.includes(id))),
      groups.filter((group) => !group.some((id) => ids.includes(id))),
    ]
    return ids.length ? [...others, [...new Set([...mine.flat(), ...ids])]] : groups
  }, [])

/** A refund that a processor has made or begun, in minor units of its payment. */
export type ProcessorRefund = { id: string; amountCents: number; currency: string }

/** The refunds that a processor has reported by themselves, without those that failed. */
export const refundsMade = (received: ReceivedFact[]): ProcessorRefund[] =>
  latest(ofKind(received, 'refund')).flatMap(({ id, amountCents, currency, status }) =>
    status === 'failed' ? [] : [{ id, amountCents, currency }],
  )

/** The returns of a purchase, one per payment, and what was credited otherwise. */
export const readReturns = (received: ReceivedFact[]): Return[] => {
  const refunds = latest(ofKind(received, 'refund'))
  const disputes = latest(ofKind(received, 'dispute'))
  const charges = ofKind(received, 'charge').map(({ fact }) => fact)
  const links = [
    ...ofKind(received, 'payment').map(({ fact }) => fact),
    ...ofKind(received, 'intent').map(({ fact }) => ({ payment: fact.id, charge: fact.charge })),
  ]
  const returned = [...refunds, ...disputes, ...charges]
  const payments = groupIds([...links, ...returned]).map((ids) => ids.sort(byText))
  const returns = payments
    .sort(([a = ''], [b = '']) => byText(a, b))
    .map((ids) => {
      const of = <F extends Named & { payment: string }>(facts: F[]) =>
        facts.filter(({ payment }) => ids.includes(payment))
      return readReturn(of(refunds), of(disputes), of(charges))
    })
    .filter(({ currency }) => currency)
  return [...returns, ...readCredits(received, refunds, returns)]
}

/**
 * What was returned of one payment. A charge's total lacks the refunds made after its event, and includes refunds that
 * have failed since.
 */
const readReturn = (refunds: RefundFact[], disputes: DisputeFact[], charges: ChargeFact[]): Return => {
  const failed = refunds.filter(({ status }) => status === 'failed')
  const made = refunds.filter(({ status }) => status !== 'failed')
  const charged = Math.max(0, ...charges.map(({ refundedCents }) => refundedCents))
  const withdrawn = disputes.filter(({ status }) => status === 'open' || status === 'lost')
  const [charge] = charges
  return {
    refundedCents: BigInt(Math.max(total(made), charged - total(failed))),
    disputedCents: BigInt(total(withdrawn)),
    currency: (charge ?? refunds[0] ?? disputes[0])?.currency ?? '',
    paidCents: charge ? BigInt(charge.amountCents) : null,
  }
}

/**
 * What credit notes credited otherwise than by a refund: to the customer's balance, or outside of the processor. A refund
 * is reported by itself too, and counts there, also one that failed. One that was not received by itself may be part of a
 * charge's total.
 */
const readCredits = (received: ReceivedFact[], refunds: RefundFact[], returns: Return[]): Return[] => {
  const all = ofKind(received, 'credit_note')
    .sort((a, b) => Number(a.at) - Number(b.at))
    .map(({ fact }) => fact)
  const isVoid = (id: string) => all.some((note) => note.id === id && note.isVoid)
  const notes = [...new Map(all.map((note) => [note.id, note])).values()].filter(({ id }) => !isVoid(id))
  const [first] = notes
  if (!first) return []

  const refundOf = (id: string) => refunds.find((refund) => refund.id === id)
  const credited = notes.map(({ amountCents, refunds: parts }) => {
    const known = parts.flatMap(({ id, amountCents }) => {
      const refund = refundOf(id)
      return refund ? Math.min(refund.amountCents, amountCents ?? refund.amountCents) : []
    })
    const unknown = parts.some(({ id }) => !refundOf(id))
    const rest = Math.max(0, amountCents - known.reduce((sum, cents) => sum + cents, 0))
    return { rest, mayBeCharged: unknown ? rest : 0 }
  })
  const made = total(refunds.filter(({ status }) => status !== 'failed'))
  const refunded = returns.reduce((sum, { refundedCents }) => sum + Number(refundedCents), 0)
  const charged = Math.max(0, refunded - made)
  const sum = (part: 'rest' | 'mayBeCharged') => credited.reduce((all, note) => all + note[part], 0)
  const cents = sum('rest') - Math.min(charged, sum('mayBeCharged'))
  return cents > 0
    ? [{ refundedCents: BigInt(cents), disputedCents: 0n, currency: first.currency, paidCents: null }]
    : []
}

/** How much of a payment was returned, in minor units of the payment. Never more than was paid. */
export type Returned = { refundedCents: bigint; disputedCents: bigint; paid: Money }

/**
 * The sum of the returns, in the currency of the sale.
 *
 * @param paid the total that was paid, including tax
 */
export const returnedOf = (returns: Return[], paid: Money): Returned => {
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
 * A returned amount in the currency of the sale. For a charge in another currency, the same proportion of the sale; if
 * the charge is unknown, the whole sale.
 */
const inCurrencyOf = (paid: Money, { currency, paidCents }: Return, cents: bigint): bigint => {
  if (currency === paid.currency || cents === 0n) return cents
  return paidCents ? proportionOf(paid.amountCents, cents, paidCents) : paid.amountCents
}

/** How much of a commission to reverse for what was returned. Rounds half up; a full return reverses all of it. */
export const reversedOf = (
  commissionCents: bigint,
  { refundedCents, disputedCents, paid }: Returned,
): bigint =>
  paid.amountCents === 0n
    ? 0n
    : proportionOf(commissionCents, refundedCents + disputedCents, paid.amountCents)
