/**
 * Undoing an import, whole or not at all: what is taken back, or what depends on the import. Both
 * are found by functions of schema.sql.
 */

/** How much was taken back. Opening balances are in USD. */
export type Undone = Record<'partners' | 'customers' | 'balances' | 'amountCents' | 'mails', number>

/** How many of a kind there are, and the first of them. */
type Some<Row> = { count: number; first: Row[] }

/** Whom an import has made or changed, and somebody has used or changed since. */
export type Dependents = {
  partners: Some<{ id: string; email: string; name: string | null }>
  customers: Some<{ id: string; externalId: string; email: string | null }>
  /** What they have earned since, opening balances included, less what was reversed. */
  earned: { currency: string; amountCents: number }[]
}

/** What an undo has done, or would do: all or nothing. */
export type ImportUndo = { undone: Undone; isDone: boolean } | { dependents: Dependents }

/** Partners, and customers, who are named of those who depend on an import. */
export const DEPENDENTS_SHOWN = 20
