/** Returns: what refunds, disputes and credit notes gave back of a purchase, and what counts. */
import { type Money, proportionOf } from '../../values/money.ts'
import type { CreditNoteFact, PaidPart, RefundFact } from '../purchases/facts.ts'
import { type Payment, refundsOf } from '../purchases/payments.ts'
import { ofKind, type ReceivedFact } from '../purchases/received.ts'

/** What was given back of one payment, or credited otherwise. */
type Return = {
  refundedCents: bigint
  disputedCents: bigint
  currency: string
  /** What the payment was, if known. */
  paidCents: bigint | null
}

/** A purchase's returns, in the order in which they count: overpayments are given back first. */
export type Returns = {
  all: Return[]
  /** What was received beyond the sale, in its currency. */
  excessCents: bigint
  /** The parts of the refunds and credits of which a credit note says how much was without tax. */
  noted: PaidPart[]
  /** What credit notes say of lines, in the currencies of the notes. */
  ofLines: (LineReturn & { currency: string })[]
}

/** What a credit note gave back of a line that it names, without tax: minor units. */
type LineReturn = {
  /** The processor's id of the line. */
  line: string
  netCents: bigint
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
    ofLines: notes.flatMap((note) => readLines(note, refunds)),
  }
}

/** The credit notes that were not voided, oldest first. */
const notesOf = (received: ReceivedFact[]): CreditNoteFact[] => {
  const all = ofKind(received, 'credit_note')
    .sort((a, b) => Number(a.occurredAt) - Number(b.occurredAt))
    .map(({ fact }) => fact)
  const isVoid = (id: string) => all.some((note) => note.id === id && note.isVoid)
  return [...new Map(all.map((note) => [note.id, note])).values()].filter(({ id }) => !isVoid(id))
}

const sumOf = (amounts: number[]): number => amounts.reduce((sum, amount) => sum + amount, 0)

/**
 * The refunds of a note that are known, and how much of the note each is: of one in another
 * currency, what the note says, else all of it.
 */
const refundsIn = (note: CreditNoteFact, refunds: RefundFact[]) =>
  note.refunds.flatMap(({ id, amountCents }) => {
    const refund = refunds.find((known) => known.id === id)
    if (!refund) return []
    const { status } = refund
    const most = refund.currency === note.currency ? refund.amountCents : note.amountCents
    return [{ status, cents: Math.min(most, amountCents ?? most) }]
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
  const mayBeCharged = sumOf(credited.map((note) => note.mayBeCharged))
  // What was charged back in another currency cannot be compared with it.
  const charged = sumOf(
    payments.map((payment) => {
      const cents = unlistedOf(payment, refunds)
      return payment.currency === first.currency || cents === 0 ? cents : mayBeCharged
    }),
  )
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

/** What was refunded of a payment beyond the refunds that were received by themselves. */
const unlistedOf = ({ ids, refundedCents }: Payment, refunds: RefundFact[]): number => {
  const made = refunds.filter(({ status, payment }) => status !== 'failed' && ids.includes(payment))
  return Math.max(0, refundedCents - sumOf(made.map(({ amountCents }) => amountCents)))
}

/** What of a note was given back, in its proportions; none if it doesn't say the net amount. */
const readNoted = (note: CreditNoteFact, refunds: RefundFact[]): PaidPart[] => {
  const { net, amountCents } = note
  if (!net || amountCents === 0) return []
  const grossCents = madeOf(note, refunds)
  const share = (cents: number) =>
    Number(proportionOf(BigInt(cents), BigInt(grossCents), BigInt(amountCents)))
  return [{ grossCents, netCents: share(net.netCents), shippingCents: share(net.shippingCents) }]
}

/** What of a note was given back, and has not failed. */
const madeOf = (note: CreditNoteFact, refunds: RefundFact[]): number => {
  const failed = refundsIn(note, refunds).filter(({ status }) => status === 'failed')
  return Math.max(0, note.amountCents - sumOf(failed.map(({ cents }) => cents)))
}

/** What of the lines that a note names was given back: the same part of each as of the note. */
const readLines = (note: CreditNoteFact, refunds: RefundFact[]): Returns['ofLines'] => {
  const { lines = [], amountCents, currency } = note
  if (amountCents === 0) return []
  const madeCents = BigInt(madeOf(note, refunds))
  return lines.map(({ line, netCents }) => ({
    line,
    netCents: proportionOf(BigInt(netCents), madeCents, BigInt(amountCents)),
    currency,
  }))
}

/** What was given back of a payment and counts, in its minor units; never more than was paid. */
export type Returned = {
  refundedCents: bigint
  disputedCents: bigint
  /** What was refunded of tax, of shipping that isn't rewarded, or of an overpayment. */
  exemptCents: bigint
  /** A return in another currency that counts once the amount of its payment is known. */
  waiting: Money | null
  paid: Money
  /** Of which lines it was, as far as credit notes name them: what they say, in the sale's units. */
  ofLines: LineReturn[]
}

/** That nothing of a payment was given back. */
export const nothingReturned = (paid: Money): Returned => ({
  refundedCents: 0n,
  disputedCents: 0n,
  exemptCents: 0n,
  waiting: null,
  paid,
  ofLines: [],
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
  { all, excessCents, noted, ofLines }: Returns,
  paid: Money,
  netCents: bigint,
): Returned => {
  const totals = totalsOf(all, paid)
  const sum = (part: 'refundedCents' | 'disputedCents'): bigint =>
    totals.reduce((cents, total) => cents + total[part], 0n)
  const [allRefunded, allDisputed] = [sum('refundedCents'), sum('disputedCents')]
  const untaxed = noted.reduce((cents, note) => cents + countsFor(note, paid, netCents), 0n)
  const refundedCents = between(0n, allRefunded - excessCents + untaxed, paid.amountCents)
  const excessLeft = between(0n, excessCents - allRefunded, excessCents)
  const unknown = all.find(
    (one) => !isComparable(one, paid) && one.refundedCents + one.disputedCents > 0n,
  )
  return {
    refundedCents,
    disputedCents: between(0n, allDisputed - excessLeft, paid.amountCents - refundedCents),
    exemptCents: between(0n, allRefunded - refundedCents, allRefunded),
    waiting: unknown
      ? { amountCents: unknown.refundedCents + unknown.disputedCents, currency: unknown.currency }
      : null,
    paid,
    // The lines of a sale are in its currency.
    ofLines: ofLines.filter(({ currency }) => currency === paid.currency),
  }
}

/** How much more of a payment than its amount a note counts for; negative if it counts for less. */
const countsFor = ({ grossCents, netCents }: PaidPart, paid: Money, saleCents: bigint): bigint =>
  saleCents === 0n
    ? 0n
    : proportionOf(paid.amountCents, BigInt(netCents), saleCents) - BigInt(grossCents)

const between = (least: bigint, amount: bigint, most: bigint): bigint =>
  amount < least ? least : amount > most ? most : amount

/** Whether a return is in the currency of the sale, or of a payment whose amount is known. */
const isComparable = ({ currency, paidCents }: Return, paid: Money): boolean =>
  currency === paid.currency || (paidCents ?? 0n) > 0n

type Total = Record<'paidCents' | 'refundedCents' | 'disputedCents', bigint>

/**
 * What was returned in each currency, in that of the sale. Another currency has paid what its own
 * has not, so a return counts for the same part of that. One of a payment whose amount is unknown
 * counts for nothing.
 */
const totalsOf = (all: Return[], paid: Money): Total[] => {
  const totalIn = (currency: string): Total => {
    const same = all.filter((one) => one.currency === currency && isComparable(one, paid))
    const sum = (part: keyof Total) => same.reduce((cents, one) => cents + (one[part] ?? 0n), 0n)
    return {
      paidCents: sum('paidCents'),
      refundedCents: sum('refundedCents'),
      disputedCents: sum('disputedCents'),
    }
  }
  const own = totalIn(paid.currency)
  const restCents = between(0n, paid.amountCents - own.paidCents, paid.amountCents)
  const others = new Set(all.map(({ currency }) => currency).filter((one) => one !== paid.currency))
  return [
    own,
    ...[...others].map(totalIn).map(({ paidCents, refundedCents, disputedCents }) => {
      const part = (cents: bigint) => (paidCents ? proportionOf(restCents, cents, paidCents) : 0n)
      return { paidCents, refundedCents: part(refundedCents), disputedCents: part(disputedCents) }
    }),
  ]
}

/**
 * The returned part of an amount: of the sale, or of a commission that is of the sale as a whole.
 * Rounds half up; a full return is all of it.
 */
export const returnedPartOf = (
  cents: bigint,
  { refundedCents, disputedCents, paid }: Returned,
): bigint =>
  paid.amountCents === 0n
    ? 0n
    : proportionOf(cents, refundedCents + disputedCents, paid.amountCents)
