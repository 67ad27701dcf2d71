/**
 * Payments: what was authorized, received and returned of each one that a purchase was paid by. The
 * result depends on the set of facts alone, never on the order in which they arrived. Amounts are
 * minor units of the payment's currency.
 */
import {
  type ChargeFact,
  DISPUTE_STATUSES,
  type DisputeFact,
  REFUND_STATUSES,
  type RefundFact,
} from './facts.ts'
import { byText, ofKind, type ReceivedFact } from './received.ts'

export type Payment = {
  /** The processor's ids of the payment and of its charges. */
  ids: string[]
  currency: string
  /** What may be captured at most. Null as long as `receivedCents` is. */
  authorizedCents: number | null
  /** What was captured: null while only refunds or disputes of it are known. */
  receivedCents: number | null
  /** What was given back of it, without the release of what was not captured. */
  refundedCents: number
  disputedCents: number
}

const STATUS_ORDER: string[] = [...REFUND_STATUSES, ...DISPUTE_STATUSES]

/** The latest fact of each refund or dispute: within one second, the one with the later status. */
const latest = <F extends RefundFact | DisputeFact>(
  received: { fact: F; occurredAt: Date }[],
): F[] => {
  const inOrder = [...received].sort(
    (a, b) =>
      Number(a.occurredAt) - Number(b.occurredAt) ||
      STATUS_ORDER.indexOf(a.fact.status) - STATUS_ORDER.indexOf(b.fact.status) ||
      a.fact.amountCents - b.fact.amountCents,
  )
  return [...new Map(inOrder.map(({ fact }) => [fact.id, fact])).values()]
}

/** The refunds that a processor has reported by themselves, each by its latest fact. */
export const refundsOf = (received: ReceivedFact[]): RefundFact[] =>
  latest(ofKind(received, 'refund'))

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

/** What a fact says of the amount of a payment. */
type Amount = { payment: string; currency: string; authorizedCents: number; receivedCents: number }

/** What each source says, the best first: the payment, its charge, a checkout that it pays. */
const amountsOf = (received: ReceivedFact[]): Amount[][] => [
  ofKind(received, 'intent').map(
    ({ fact: { id: payment, paid, authorizedCents = paid.grossCents } }) => {
      const { currency, grossCents: receivedCents } = paid
      return { payment, currency, authorizedCents, receivedCents }
    },
  ),
  ofKind(received, 'charge').map(
    ({
      fact: { payment, currency, amountCents: authorizedCents, capturedCents = authorizedCents },
    }) => ({
      payment,
      currency,
      authorizedCents,
      receivedCents: capturedCents,
    }),
  ),
  ofKind(received, 'checkout').flatMap(({ fact: { payment, paid } }) =>
    payment && paid
      ? {
          payment,
          currency: paid.currency,
          authorizedCents: paid.grossCents,
          receivedCents: paid.grossCents,
        }
      : [],
  ),
]

/** Reads the payments of a purchase. */
export const readPayments = (received: ReceivedFact[]): Payment[] => {
  const refunds = refundsOf(received)
  const disputes = latest(ofKind(received, 'dispute'))
  const charges = ofKind(received, 'charge').map(({ fact }) => fact)
  const sources = amountsOf(received)
  const links: Named[] = [
    ...ofKind(received, 'payment').map(({ fact }) => fact),
    ...ofKind(received, 'payment_method').map(({ fact }) => fact),
    ...ofKind(received, 'intent').map(({ fact }) => ({ payment: fact.id, charge: fact.charge })),
    ...sources.flat(),
  ]
  return groupIds([...links, ...refunds, ...disputes, ...charges])
    .map((ids) => ids.sort(byText))
    .sort(([a = ''], [b = '']) => byText(a, b))
    .flatMap((ids) => {
      const of = <F extends { payment: string }>(facts: F[]) =>
        facts.filter(({ payment }) => ids.includes(payment))
      const amounts = sources.map(of).find((known) => known.length > 0) ?? []
      return readPayment(ids, amounts, of(refunds), of(disputes), of(charges))
    })
}

const total = (facts: { amountCents: number }[]): number =>
  facts.reduce((sum, { amountCents }) => sum + amountCents, 0)

const largest = (amounts: number[]): number => Math.max(0, ...amounts)

/** A payment by its facts; none if they name no currency. */
const readPayment = (
  ids: string[],
  amounts: Amount[],
  refunds: RefundFact[],
  disputes: DisputeFact[],
  charges: ChargeFact[],
): Payment[] => {
  const currency = (amounts[0] ?? refunds[0] ?? disputes[0])?.currency
  if (!currency) return []
  const receivedCents = largest(amounts.map((amount) => amount.receivedCents))
  const authorizedCents = largest([
    receivedCents,
    ...amounts.map((amount) => amount.authorizedCents),
  ])
  const withdrawn = disputes.filter(({ status }) => status === 'open' || status === 'lost')
  return [
    {
      ids,
      currency,
      authorizedCents: amounts.length ? authorizedCents : null,
      receivedCents: amounts.length ? receivedCents : null,
      refundedCents: refundedOf(refunds, charges, authorizedCents - receivedCents),
      disputedCents: total(withdrawn),
    },
  ]
}

/**
 * What was refunded of a payment. A charge's total lacks the refunds made after its event, and
 * includes refunds that have failed since. The part that was authorized and not captured is in it
 * too, and may be listed as a refund of its own: the first one of just that amount.
 */
const refundedOf = (
  refunds: RefundFact[],
  charges: ChargeFact[],
  releasedCents: number,
): number => {
  const failed = refunds.filter(({ status }) => status === 'failed')
  const made = refunds.filter(({ status }) => status !== 'failed')
  const release = made
    .filter(({ amountCents }) => releasedCents > 0 && amountCents === releasedCents)
    .sort((a, b) => byText(a.createdAt ?? '', b.createdAt ?? '') || byText(a.id, b.id))
    .slice(0, 1)
  const charged = largest(charges.map(({ refundedCents }) => refundedCents))
  return largest([total(made) - total(release), charged - total(failed) - releasedCents])
}
