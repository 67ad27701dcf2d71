/**
 * The payments of a purchase, counted anew from the stored facts to check the ledger. On purpose,
 * nothing here is shared with what plans purchases but the facts themselves: a fault of the one is
 * no fault of the other.
 */
import type { Fact } from '../rules/purchases/facts.ts'

/** A stored fact, and when its event occurred by the processor's clock: milliseconds. */
export type Stored = { fact: Fact; at: number }

export const allOf = <K extends Fact['kind']>(stored: Stored[], kind: K) =>
  stored.flatMap(({ fact, at }) =>
    fact.kind === kind ? [{ ...(fact as Extract<Fact, { kind: K }>), at }] : [],
  )

/** In minor units of its currency. What was received is null while only returns are known. */
export type Paid = {
  names: Set<string>
  currency: string
  authorized: number
  received: number | null
  refunded: number
  disputed: number
}

const RANKS = ['inquiry', 'pending', 'open', 'succeeded', 'failed', 'lost', 'won']

/** The present state of each refund or dispute. */
export const present = <
  F extends { id: string; status: string; amountCents: number; currency: string; at: number },
>(
  facts: F[],
): F[] => {
  const last = new Map<string, F>()
  for (const fact of facts) {
    const known = last.get(fact.id)
    const order = known
      ? fact.at - known.at ||
        RANKS.indexOf(fact.status) - RANKS.indexOf(known.status) ||
        fact.amountCents - known.amountCents
      : 1
    if (order >= 0) last.set(fact.id, fact)
  }
  return [...last.values()]
}

/** Merges the sets of ids that name one payment. */
const tie = (sets: Set<string>[], ids: (string | null | undefined)[]): Set<string>[] => {
  const named = ids.filter((id) => id != null)
  if (named.length === 0) return sets
  const tied = new Set(named)
  const others = sets.filter((set) => {
    if (!named.some((id) => set.has(id))) return true
    for (const id of set) tied.add(id)
    return false
  })
  return [...others, tied]
}

const sum = (amounts: number[]): number => amounts.reduce((total, amount) => total + amount, 0)

export const readPayments = (stored: Stored[]): Paid[] => {
  const intents = allOf(stored, 'intent')
  const charges = allOf(stored, 'charge')
  const refunds = present(allOf(stored, 'refund'))
  const disputes = present(allOf(stored, 'dispute'))
  const checkouts = allOf(stored, 'checkout').filter(({ payment, paid }) => payment && paid)

  let sets: Set<string>[] = []
  for (const { id, charge } of intents) sets = tie(sets, [id, charge])
  for (const { payment } of checkouts) sets = tie(sets, [payment])
  for (const { payment, charge } of [
    ...allOf(stored, 'payment'),
    ...charges,
    ...refunds,
    ...disputes,
  ])
    sets = tie(sets, [payment, charge])

  return sets.flatMap((names): Paid[] => {
    const own = <F extends { payment: string }>(facts: F[]) =>
      facts.filter(({ payment }) => names.has(payment))
    const [itsIntents, itsCharges] = [intents.filter(({ id }) => names.has(id)), own(charges)]
    const itsCheckouts = checkouts.filter(({ payment }) => payment && names.has(payment))
    const [itsRefunds, itsDisputes] = [own(refunds), own(disputes)]

    // The payment knows best what was captured of it, then its charge. A checkout knows what it
    // asked for.
    const captures = itsIntents.length
      ? itsIntents.map(({ paid, authorizedCents }) => [
          paid.grossCents,
          authorizedCents ?? paid.grossCents,
        ])
      : itsCharges.length
        ? itsCharges.map(({ capturedCents, amountCents }) => [
            capturedCents ?? amountCents,
            amountCents,
          ])
        : itsCheckouts.map(({ paid }) => [paid?.grossCents ?? 0, paid?.grossCents ?? 0])
    const currency =
      itsIntents[0]?.paid.currency ??
      itsCharges[0]?.currency ??
      itsCheckouts[0]?.paid?.currency ??
      itsRefunds[0]?.currency ??
      itsDisputes[0]?.currency
    if (!currency) return []
    const received = captures.length ? Math.max(...captures.map(([cents = 0]) => cents)) : null
    const authorized = Math.max(received ?? 0, ...captures.map(([, cents = 0]) => cents))
    return [
      {
        names,
        currency,
        authorized,
        received,
        refunded: refundedOf(itsRefunds, itsCharges, authorized - (received ?? 0)),
        disputed: sum(
          itsDisputes
            .filter(({ status }) => status === 'open' || status === 'lost')
            .map((dispute) => dispute.amountCents),
        ),
      },
    ]
  })
}

type Refund = { id: string; status: string; amountCents: number; createdAt?: string | null }

/**
 * By its refunds, and by the total of its charge, which may lack some of them. The charge counts
 * refunds that have failed since, and what was never captured; a list of refunds may have the
 * latter as the first one of that amount.
 */
const refundedOf = (
  refunds: Refund[],
  charges: { refundedCents: number }[],
  released: number,
): number => {
  const made = refunds
    .filter(({ status }) => status !== 'failed')
    .map((refund) => refund.amountCents)
  const failed = refunds
    .filter(({ status }) => status === 'failed')
    .map((refund) => refund.amountCents)
  const listed = sum(made) - (released > 0 && made.includes(released) ? released : 0)
  const charged = Math.max(0, ...charges.map(({ refundedCents }) => refundedCents))
  return Math.max(0, listed, charged - sum(failed) - released)
}
