/** What was received and returned for a purchase, by its stored facts alone. See payments.ts. */
import type { Paid as PaidFact, PaidPart } from '../rules/purchases/facts.ts'
import {
  type Fraction,
  isLess,
  least,
  minus,
  most,
  NOTHING,
  over,
  plus,
  rounded,
  times,
  whole,
} from './fractions.ts'
import { allOf, type Paid, present, readPayments, type Stored } from './payments.ts'

/** What a program counts of a payment. */
export type Settings = { rewardShipping: boolean; creditOutOfBand: boolean }

/** Fractions of minor units, and how often the ledger may have rounded on the way to them. */
export type Rounded = { cents: Fraction; roundings: number }

/** What credit notes say was returned of a line, net. */
export type NamedReturn = { line: string; cents: Fraction }

export type Account = {
  currency: string
  paidAt: number
  /** Whether an invoice says what was received. */
  isInvoice: boolean
  /** In money, with tax and shipping. */
  received: Rounded
  payments: Paid[]
  /** The parts of it, in proportion to what was due. */
  due: PaidFact
}

/** How long a payment that names neither invoice nor checkout waits for them. */
const WAIT_MS = 15 * 60_000

/** What was received of a purchase, or null as long as nothing was. @param now milliseconds */
export const readAccount = (stored: Stored[], now: number): Account | null => {
  const payments = readPayments(stored)
  const invoices = allOf(stored, 'invoice')
  const checkouts = allOf(stored, 'checkout')
  const [invoice] = invoices.toSorted((a, b) => compare(a.paidAt, b.paidAt) || compare(a.id, b.id))
  if (invoice) {
    return {
      ...{
        currency: invoice.paid.currency,
        paidAt: Date.parse(invoice.paidAt),
        isInvoice: true,
        payments,
      },
      ...{ received: exactly(invoice.paid.grossCents), due: invoice.paid },
    }
  }
  if (checkouts.length > 0) return readCheckouts(stored, payments)

  const intents = allOf(stored, 'intent').toSorted((a, b) => a.at - b.at || compare(a.id, b.id))
  const [intent] = intents
  const isOfOther = intents.some(({ pays }) => pays) || allOf(stored, 'payment').length > 0
  if (!intent || isOfOther || intent.at + WAIT_MS > now) return null
  const { currency, grossCents } = intent.paid
  return {
    ...{ currency, paidAt: intent.at, isInvoice: false, payments },
    ...{ received: exactly(grossCents), due: intent.paid },
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const exactly = (cents: number): Rounded => ({ cents: whole(cents), roundings: 0 })

/** A checkout is received as far as its payment is, which may be captured later, or in part. */
const readCheckouts = (stored: Stored[], payments: Paid[]): Account | null => {
  const intents = allOf(stored, 'intent')
  const isCaptured = (payment: string | null) => Number(intents.some(({ id }) => id === payment))
  const checkouts = allOf(stored, 'checkout').toSorted(
    (a, b) =>
      Number(b.paid !== null) - Number(a.paid !== null) ||
      isCaptured(b.payment) - isCaptured(a.payment) ||
      a.at - b.at ||
      compare(a.id, b.id),
  )
  const [first] = checkouts
  const due = first?.paid ?? first?.due
  if (!first || !due) return null
  const payment = payments.find(({ names }) => first.payment !== null && names.has(first.payment))
  const captured = intents.filter(({ id }) => payment?.names.has(id))
  const paid = checkouts.filter(({ paid }) => paid !== null)
  const times = paid.length ? paid : captured
  if (times.length === 0) return null
  return {
    ...{ currency: due.currency, isInvoice: false, payments, due },
    paidAt: Math.min(...times.map(({ at }) => at)),
    received: receivedFor(due, payment),
  }
}

const receivedFor = (due: PaidFact, payment: Paid | undefined): Rounded => {
  const { received = null, authorized = 0 } = payment ?? {}
  if (received === null || authorized === 0) return exactly(due.grossCents)
  if (payment?.currency === due.currency) return exactly(received)
  const share = over(whole(received), whole(authorized))
  return { cents: times(whole(due.grossCents), share), roundings: received === authorized ? 0 : 1 }
}

const netOf = ({ netCents, shippingCents = 0 }: PaidPart, { rewardShipping }: Settings): number =>
  netCents - (rewardShipping ? 0 : shippingCents)

/** What counts of it for a program, with tax and without. */
export const countedOf = ({ due, received }: Account, settings: Settings) => {
  const share = due.grossCents > 0 ? over(received.cents, whole(due.grossCents)) : whole(1)
  const isWhole = share.n === share.d
  const others = settings.creditOutOfBand && isWhole ? due.outOfBand : undefined
  const ofShipping = !settings.rewardShipping && due.shippingCents ? 1 : 0
  return {
    gross: { ...received, cents: plus(received.cents, whole(others?.grossCents ?? 0)) },
    net: {
      cents: plus(
        times(whole(netOf(due, settings)), share),
        whole(others ? netOf(others, settings) : 0),
      ),
      roundings: received.roundings + (isWhole ? 0 : 1 + ofShipping),
    },
  }
}

/** What the merchant reported as refunded, net: in all, or null for everything that was left. */
export type Reported = { amountCents: number | null; currency: string | null }

/** What was returned of a purchase, at most all. `gross` counts with tax, `saleCents` without. */
export const returnedOf = (
  stored: Stored[],
  reported: Reported[],
  { gross, saleCents, currency }: { gross: Rounded; saleCents: number; currency: string },
  account: Account | null,
  settings: Settings,
): Rounded => {
  const payments = account?.payments ?? readPayments(stored)
  const excess = whole(excessOf(stored, account))
  const notes = readNotes(stored)
  const otherwise = creditedOtherwise(stored, notes, payments)
  let roundings = gross.roundings
  let [refunded, disputed] = [NOTHING, NOTHING]
  const receivedIn = (wanted: string) =>
    total(payments.map((one) => (one.currency === wanted ? (one.received ?? 0) : 0)))
  const restCents = most(NOTHING, minus(gross.cents, whole(receivedIn(currency))))
  for (const payment of [...payments, ...otherwise]) {
    // Payments in another currency have paid what is left of the purchase, each the same part of it
    // as of all in that currency; as long as that is unknown, nothing.
    const isForeign = payment.currency !== currency
    if (isForeign && !payment.received) continue
    const rate = isForeign ? over(restCents, whole(receivedIn(payment.currency))) : whole(1)
    refunded = plus(refunded, times(whole(payment.refunded), rate))
    disputed = plus(disputed, times(whole(payment.disputed), rate))
    if (isForeign) roundings += 2
  }
  // A note that says its net counts for the same part of the sale's net, and so not for tax.
  let untaxed = NOTHING
  for (const { net, amountCents, failed } of notes) {
    if (!net || amountCents === 0 || saleCents === 0) continue
    const stands = over(whole(Math.max(0, amountCents - failed)), whole(amountCents))
    const part = over(whole(netOf({ grossCents: 0, ...net }, settings)), whole(saleCents))
    const more = minus(times(gross.cents, part), whole(amountCents))
    untaxed = plus(untaxed, times(more, stands))
    const perCent = Number(gross.cents.n / gross.cents.d) / saleCents
    roundings += 1 + (failed > 0 ? Math.ceil(2 * perCent) : 0)
  }
  const between = (low: Fraction, amount: Fraction, high: Fraction) =>
    least(most(low, amount), high)
  const refunds = between(NOTHING, plus(minus(refunded, excess), untaxed), gross.cents)
  const excessLeft = between(NOTHING, minus(excess, refunded), excess)
  const disputes = between(NOTHING, minus(disputed, excessLeft), minus(gross.cents, refunds))
  const processed = plus(refunds, disputes)

  const byMerchant = reportedOf(reported, saleCents, currency)
  if (byMerchant === 0 || saleCents === 0) return { cents: processed, roundings }
  const share = times(gross.cents, over(whole(byMerchant), whole(saleCents)))
  return isLess(processed, share)
    ? { cents: share, roundings: roundings + 1 }
    : { cents: processed, roundings: roundings + 1 }
}

const reportedOf = (reported: Reported[], saleCents: number, currency: string): number => {
  const own = reported.filter(
    (refund) => refund.amountCents === null || (refund.currency ?? currency) === currency,
  )
  if (own.some(({ amountCents }) => amountCents === null)) return saleCents
  return Math.min(saleCents, total(own.map(({ amountCents }) => amountCents ?? 0)))
}

const total = (amounts: number[]): number => amounts.reduce((sum, amount) => sum + amount, 0)

/** What was received beyond the sale goes back before it. */
const excessOf = (stored: Stored[], account: Account | null): bigint => {
  if (!account) return 0n
  const own = account.payments.filter(({ currency }) => currency === account.currency)
  const beyond =
    BigInt(total(own.map(({ received }) => received ?? 0))) - rounded(account.received.cents)
  const stated = allOf(stored, 'invoice').map(({ overpaidCents }) => overpaidCents ?? 0)
  return [beyond, ...stated.map(BigInt)].reduce((a, b) => (a > b ? a : b), 0n)
}

/** The credit notes in force, with what refunds of them are known, and what of these failed. */
const readNotes = (stored: Stored[]) => {
  const refunds = new Map(present(allOf(stored, 'refund')).map((refund) => [refund.id, refund]))
  const notes = allOf(stored, 'credit_note').toSorted((a, b) => a.at - b.at)
  const voided = new Set(notes.filter(({ isVoid }) => isVoid).map(({ id }) => id))
  const last = new Map(notes.map((note) => [note.id, note]))
  return [...last.values()]
    .filter(({ id }) => !voided.has(id))
    .map((note) => {
      const known = note.refunds.flatMap(({ id, amountCents }) => {
        const refund = refunds.get(id)
        return refund
          ? [
              {
                ...refund,
                // A refund in another currency is what the note says of it, else all of the note.
                amountCents:
                  refund.currency === note.currency
                    ? Math.min(refund.amountCents, amountCents ?? refund.amountCents)
                    : (amountCents ?? note.amountCents),
              },
            ]
          : []
      })
      const failed = known.filter(({ status }) => status === 'failed')
      return {
        ...note,
        failed: total(failed.map((refund) => refund.amountCents)),
        rest: Math.max(0, note.amountCents - total(known.map((refund) => refund.amountCents))),
        isComplete: known.length === note.refunds.length,
      }
    })
}

/** What notes name of the lines of a sale in a currency, without what of them has failed. */
export const namedReturns = (stored: Stored[], currency: string): NamedReturn[] =>
  readNotes(stored).flatMap((note) => {
    const { lines = [], amountCents, failed } = note
    if (note.currency !== currency || amountCents === 0) return []
    const stands = over(whole(Math.max(0, amountCents - failed)), whole(amountCents))
    return lines.map(({ line, netCents }) => ({ line, cents: times(whole(netCents), stands) }))
  })

/**
 * What notes credited otherwise than by refunds, which count by themselves: in its own event, or in
 * its charge's total.
 */
const creditedOtherwise = (
  stored: Stored[],
  notes: ReturnType<typeof readNotes>,
  payments: Paid[],
): Pick<Paid, 'currency' | 'received' | 'refunded' | 'disputed'>[] => {
  const [first] = notes
  if (!first) return []
  const made = present(allOf(stored, 'refund')).filter(({ status }) => status !== 'failed')
  const inCharge = total(notes.filter(({ isComplete }) => !isComplete).map(({ rest }) => rest))
  const unlisted = total(
    payments.map(({ names, currency, refunded }) => {
      const listed = made.filter(({ payment }) => names.has(payment))
      const cents = Math.max(0, refunded - total(listed.map((one) => one.amountCents)))
      // The total of a charge in another currency is taken for what the notes say.
      return cents > 0 && currency !== first.currency ? inCharge : cents
    }),
  )
  const refunded = total(notes.map(({ rest }) => rest)) - Math.min(unlisted, inCharge)
  return refunded > 0 ? [{ currency: first.currency, received: null, refunded, disputed: 0 }] : []
}
