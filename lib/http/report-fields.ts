/**
 * Fields that reports share with other requests. They are in zod/mini, as are all schemas that the
 * tracking Workers bundle, because it has about a third of the code of zod. Schemas in zod may have
 * them as parts.
 */
import * as z from 'zod/mini'
import { MAX_ID_LENGTH } from '../values/external-ids.ts'
import { isCurrency } from '../values/money.ts'

/** An id from the merchant's system, stored unchanged. */
export const id = (description: string) => {
  const length = `Must have 1 to ${MAX_ID_LENGTH} characters.`
  return z
    .string()
    .check(z.minLength(1, length), z.maxLength(MAX_ID_LENGTH, length), z.describe(description))
}

const NO_CURRENCY = 'Not an ISO 4217 currency code.'

/** A known currency, in any case. */
export const currency = z
  .pipe(
    // Before upper-casing, which turns some non-ASCII letters into ASCII.
    z.string().check(z.regex(/^[A-Za-z]{3}$/, NO_CURRENCY)),
    z.transform((code) => code.toUpperCase()),
  )
  .check(
    z.refine(isCurrency, NO_CURRENCY),
    z.meta({ description: 'ISO 4217 code, in any case.', example: 'USD' }),
  )
