/**
 * Undoing an import: what was taken back, what stays, and why. The reasons are found by functions
 * of schema.sql.
 */

/** Why a partner, a customer or an opening balance stays. */
export const UNDO_REASONS = {
  has_events: 'Sales or leads were credited since',
  has_payouts: 'It is in a payout',
  has_commissions:
    'A manager has adjusted what the partner earns, held its balance, or another import gave it one',
  has_customers: 'The partner has customers who stay, or whom something else brought',
  accepted_terms: 'The partner has accepted your terms, or has applied',
  has_payment_details: 'The partner has entered how to be paid',
  named_later: 'A later import names it. Undo that one first',
  changed_since: 'It was changed since, by a person, a report or another import',
} as const
export type UndoReason = keyof typeof UNDO_REASONS

/** How much was taken back. Opening balances are in USD. */
export type Undone = Record<'partners' | 'customers' | 'balances' | 'amountCents' | 'mails', number>

/** The kinds of what stays, as the API and files name one of them. */
export const KEPT_KINDS = {
  partners: 'partner',
  customers: 'customer',
  balances: 'opening_balance',
} as const

export type KeptKind = keyof typeof KEPT_KINDS

/** Something that stays. */
export type Kept = {
  kind: KeptKind
  id: string
  reason: UndoReason
  /** The partner's address; of a customer, its partner's. */
  partner: string | null
  /** The customer's external id. */
  customer: string | null
}

export type KeptCount = { kind: KeptKind; reason: UndoReason; count: number }

/** One call of an import, as read_undo of schema.sql returns it. */
export type CallUndo = {
  /** What would be taken back by now. */
  free: Undone
  /** What was taken back. */
  undone: Partial<Undone>
  reasons: KeptCount[]
  rows: Kept[]
}

/** What became of some calls of an import, or would. */
export type ImportUndo = { undone: Undone; kept: KeptCount[]; rows: Kept[] }

/** Rows that are named. */
export const KEPT_SHOWN = 100

const NOTHING: Undone = { partners: 0, customers: 0, balances: 0, amountCents: 0, mails: 0 }

/** Adds up what was taken back. */
export const addUndone = (parts: Partial<Undone>[]): Undone =>
  parts.reduce<Undone>(
    (sum, part) => ({
      partners: sum.partners + (part.partners ?? 0),
      customers: sum.customers + (part.customers ?? 0),
      balances: sum.balances + (part.balances ?? 0),
      amountCents: sum.amountCents + (part.amountCents ?? 0),
      mails: sum.mails + (part.mails ?? 0),
    }),
    NOTHING,
  )

/**
 * Adds up calls. A repeat says the same as the first: what was taken back counts, whenever it was.
 */
export const addCalls = (calls: CallUndo[]): ImportUndo => {
  const kept = new Map<string, KeptCount>()
  for (const one of calls.flatMap(({ reasons }) => reasons)) {
    const key = `${one.kind} ${one.reason}`
    kept.set(key, { ...one, count: one.count + (kept.get(key)?.count ?? 0) })
  }
  return {
    undone: addUndone(calls.flatMap(({ free, undone }) => [free, undone])),
    kept: [...kept.values()],
    rows: calls.flatMap(({ rows }) => rows).slice(0, KEPT_SHOWN),
  }
}
