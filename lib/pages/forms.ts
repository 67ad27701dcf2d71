/** Converts form fields to API input, so that pages and API validate with the same schema. */
import type * as z from 'zod'
import type { ErrorDetail } from '../http/errors.ts'
import { type Checked, checked, type Fields } from '../http/validate.ts'

/** A form as API input, and the fields that could not be parsed. */
export type Reading = { input: unknown; problems?: ErrorDetail[] }

/**
 * Validates a form with the API's schema. A field that could not be parsed keeps its own error: the schema's would
 * refer to a value that was never typed.
 */
export const checkForm = <S extends z.ZodType<object>>(
  schema: S,
  { input, problems = [] }: Reading,
): Checked<z.output<S>> => {
  const result = checked(schema, input)
  const others = result.errors?.filter(({ path }) => !problems.some((problem) => problem.path === path)) ?? []
  const errors = [...problems, ...others]
  return errors.length > 0 || result.errors ? { errors } : result
}

/** The number in a field: undefined if blank, NaN (which every schema rejects) if it is not a number. */
export const numberIn = (fields: Fields, name: string): number | undefined => {
  const text = fields[name]?.replace(/\s*%$/, '').replace(',', '.')
  if (text === undefined) return undefined
  return /^\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN
}
