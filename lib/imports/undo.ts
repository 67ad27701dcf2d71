/**
 * Undoing an import, whole or not at all: what is undone, or what depends on the import. Functions
 * of schema/undo.sql find both.
 */
import { ApiError } from '../http/errors.ts'
import { counted } from '../values/plural.ts'
import type { ImportInUseResponse } from './imports.responses.ts'

/** How much is undone. Opening balances are in USD. */
export type Undone = Record<'partners' | 'customers' | 'balances' | 'amountCents' | 'mails', number>

/** The partners and customers of an import that were used or changed since. */
export type Dependents = ImportInUseResponse['dependents']

/** What an undo has done or would do: all or nothing. */
export type ImportUndo = { undone: Undone; isDone: boolean } | { dependents: Dependents }

/** How many partners, and how many customers, are listed of those who depend on an import. */
export const DEPENDENTS_SHOWN = 20

/** The error for an undo that changes nothing, because something depends on the import. */
export const importInUse = (dependents: Dependents): ApiError => {
  const { partners, customers } = dependents
  const who = `${counted(partners.count, 'partner')} and ${counted(customers.count, 'customer')}`
  return new ApiError(
    'conflict',
    `Nothing was undone: ${who} of this import have been used or changed since. An import is undone whole or not at all.`,
    { more: { dependents } },
  )
}

/** The error for a call of an import that was undone: its first answer is no longer true. */
export const importUndone = (): ApiError =>
  new ApiError(
    'conflict',
    'This import was undone. To import its rows again, send them with another importId.',
  )
