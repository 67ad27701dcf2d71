import { ApiError } from '../http/errors.ts'
import { counted } from '../values/plural.ts'
import type { Dependents } from './undo.ts'

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
