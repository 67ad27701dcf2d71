/**
 * Undoing an import, whole or not at all: what is undone, or what depends on the import. Functions
 * of schema/undo.sql find both.
 */
import type { ImportInUseResponse } from './imports.responses.ts'

/** How much is undone. Opening balances are in USD. */
export type Undone = Record<'partners' | 'customers' | 'balances' | 'amountCents' | 'mails', number>

/** The partners and customers of an import that were used or changed since. */
export type Dependents = ImportInUseResponse['dependents']

/** What an undo has done or would do: all or nothing. */
export type ImportUndo = { undone: Undone; isDone: boolean } | { dependents: Dependents }

/** How many partners, and how many customers, are listed of those who depend on an import. */
export const DEPENDENTS_SHOWN = 20
