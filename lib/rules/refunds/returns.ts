/**
 * Returns: how much of a purchase was given back, by refunds, disputes and credit notes, and what
 * of it counts.
 */
import { proportionOf } from '../../values/money.ts'
import type { CreditNoteFact, PaidPart, RefundFact } from '../purchases/facts.ts'
import { type Payment, refundsOf } from '../purchases/payments.ts'
import { ofKind, type ReceivedFact } from '../purchases/received.ts'
import type { Money } from '../rewards/rewards.ts'

/** What was given back of one payment, or credited otherwise. */
type Return = {
  refundedCents: bigint
  disputedCents: bigint
  currency: string
  /** What the payment was, if known. */
  paidCents: bigint | null
}

/**
 * What a purchase's returns are, in the order in which they count: what was paid in excess is given
 * back first.
 */
export type Returns = {
  all: Return[]
  /** What was received beyond the sale, in its currency. */
  excessCents: bigint
  /** The parts of the refunds and credits of which a credit note says how much was without tax. */
  noted: PaidPart[]
}

/** A refund that a processor has made or begun, in minor units of its payment. */
export type ProcessorRefund = { id: string; amountCents: number; currency: string }

/** The refunds that a processor has reported by themselves, without those that failed. */
export const refundsMade = (received: ReceivedFact[]): ProcessorRefund[] =>
  refundsOf(received).flatMap(({ id, amountCents, currency, status }) =>
    status === 'failed' ? [] : [{ id, amountCents, currency }],
  )

/** The returns of a purchase: one per payment, and what credit notes gave back otherwise. */
export const readReturns = (
  received: ReceivedFact[],
  payments: Payment[],
): Omit<Returns, 'excessCents'> => {
  const ofPayments = payments.map(({ refundedCents, disputedCents, currency, receivedCents }) => ({
    refundedCents: BigInt(refundedCents),
    disputedCents: BigInt(disputedCents),
    currency,
    paidCents: receivedCents === null ? null : BigInt(receivedCents),
  }))
  const refunds = refundsOf(received)
  const notes = notesOf(received)
  return {
    all: [...ofPayments, ...readCredits(notes, refunds, payments)],
    noted: notes.flatMap((note) => readNoted(note, refunds)),
  }
}

/** The credit notes that were not voided, oldest first. */
const notesOf = (received: ReceivedFact[]): CreditNoteFact[] => {
  const all = ofKind(received, 'credit_note')
    .sort((a, b) => Number(a.at) - Number(b.at))
    .map(({ fact }) => fact)
  const isVoid = (id: string) => all.some((note) => note.id === id && note.isVoid)
  return [...new Map(all.map((note) => [note.id, note])).values()].filter(({ id }) => !isVoid(id))
}

const sumOf = (amounts: number[]): number => amounts.reduce((sum, amount) => sum + amount, 0)

/** The refunds of a note that are known, and how much of the note each is. */
const refundsIn = ({ refunds: parts }: CreditNoteFact, refunds: RefundFact[]) =>
  parts.flatMap(({ id, amountCents }) => {
    const refund = refunds.find((known) => known.id === id)
    return refund
      ? [
          {
            status: refund.status,
            cents: Math.min(refund.amountCents, amountCents ?? refund.amountCents),
          },
        ]
      : []
  })

/**
 * What credit notes gave back otherwise than by a refund: to the customer's balance, or outside of
 * the processor. A refund is reported by itself too, and counts there, also one that failed. One
 * that was not received by itself may be part of a charge's total.
 */
const readCredits = (
  notes: CreditNoteFact[],
  refunds: RefundFact[],
  payments: Payment[],
): Return[] => {
  const [first] = notes
  if (!first) return []
  const credited = notes.map((note) => {
    const known = refundsIn(note, refunds)
    const rest = Math.max(0, note.amountCents - sumOf(known.map(({ cents }) => cents)))
    return { rest, mayBeCharged: known.length < note.refunds.length ? rest : 0 }
  })
  const made = refunds
    .filter(({ status }) => status !== 'failed')
    .map(({ amountCents }) => amountCents)
  const refunded = sumOf(payments.map(({ refundedCents }) => refundedCents))
  const charged = Math.max(0, refunded - sumOf(made))
  const mayBeCharged = sumOf(credited.map((note) => note.mayBeCharged))
  const cents = sumOf(credited.map(({ rest }) => rest)) - Math.min(charged, mayBeCharged)
  return cents > 0
    ? [
        {
          refundedCents: BigInt(cents),
          disputedCents: 0n,
          currency: first.currency,
          paidCents: null,
        },
      ]
    : []
}

/**
 * What of a note was given back, in the proportions of the note. None if it doesn't say how much
 * was without tax.
 */
const readNoted = (note: CreditNoteFact, refunds: RefundFact[]): PaidPart[] => {
  const { net, amountCents } = note
  if (!net || amountCents === 0) return []
  const failed = refundsIn(note, refunds).filter(({ status }) => status === 'failed')
  const grossCents = Math.max(0, amountCents - sumOf(failed.map(({ cents }) => cents)))
  const share = (cents: number) =>
    Number(proportionOf(BigInt(cents), BigInt(grossCents), BigInt(amountCents)))
  return [{ grossCents, netCents: share(net.netCents), shippingCents: share(net.shippingCents) }]
}

/**
 * How much of a payment was given back and counts, in minor units of the payment. Never more than
 * was paid.
 */
export type Returned = {
  refundedCents: bigint
  disputedCents: bigint
  /**
   * What was refunded too, as tax, as shipping that isn't rewarded, or of what was paid in excess.
   */
  exemptCents: bigint
  /**
   * A return of a payment in another currency whose amount is not known yet: it counts once it is.
   */
  waiting: Money | null
  paid: Money
}

/** That nothing of a payment was given back. */
export const nothingReturned = (paid: Money): Returned => ({
  refundedCents: 0n,
  disputedCents: 0n,
  exemptCents: 0n,
  waiting: null,
  paid,
})

/**
 * The sum of the returns that count, in the currency of the sale. What was paid in excess goes back
 * first. Of a credit note that says how much of it is without tax, as much counts as the same part
 * of the sale: the tax of a sale counts for nothing.
 *
 * @param paid the total that was paid, including tax
 * @param netCents the part of it that the sale is
 */
export const returnedOf = (
  { all, excessCents, noted }: Returns,
  paid: Money,
  netCents: bigint,
): Returned => {
  const sum = (part: 'refundedCents' | 'disputedCents'): bigint =>
    all.reduce((cents, payment) => cents + (inCurrencyOf(paid, payment, payment[part]) ?? 0n), 0n)
  const [allRefunded, allDisputed] = [sum('refundedCents'), sum('disputedCents')]
  const untaxed = noted.reduce((cents, note) => cents + countsFor(note, paid, netCents), 0n)
  const refundedCents = between(0n, allRefunded - excessCents + untaxed, paid.amountCents)
  const excessLeft = between(0n, excessCents - allRefunded, excessCents)
  const unknown = all.find(
    (one) => inCurrencyOf(paid, one, one.refundedCents + one.disputedCents) === null,
  )
  return {
    refundedCents,
    disputedCents: between(0n, allDisputed - excessLeft, paid.amountCents - refundedCents),
    exemptCents: between(0n, allRefunded - refundedCents, allRefunded),
    waiting: unknown
      ? { amountCents: unknown.refundedCents + unknown.disputedCents, currency: unknown.currency }
      : null,
    paid,
  }
}

/** How much more of a payment than its amount a note counts for; negative if it counts for less. */
const countsFor = ({ grossCents, netCents }: PaidPart, paid: Money, saleCents: bigint): bigint =>
  saleCents === 0n
    ? 0n
    : proportionOf(paid.amountCents, BigInt(netCents), saleCents) - BigInt(grossCents)

const between = (least: bigint, amount: bigint, most: bigint): bigint =>
  amount < least ? least : amount > most ? most : amount

/**
 * A returned amount in the currency of the sale: of a payment in another one, the same proportion.
 * Null if that is unknown.
 */
const inCurrencyOf = (
  paid: Money,
  { currency, paidCents }: Return,
  cents: bigint,
): bigint | null => {
  if (currency === paid.currency || cents === 0n) return cents
  return paidCents ? proportionOf(paid.amountCents, cents, paidCents) : null
}

/**
 * How much of a commission to reverse for what was returned. Rounds half up; a full return reverses
 * all of it.
 */
export const reversedOf = (
  commissionCents: bigint,
  { refundedCents, disputedCents, paid }: Returned,
): bigint =>
  paid.amountCents === 0n
    ? 0n
    : proportionOf(commissionCents, refundedCents + disputedCents, paid.amountCents)
