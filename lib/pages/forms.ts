/** Forms: what a browser sends, turned into what the API takes, so that both go by the same schema. */
import type * as z from 'zod'
import type { ErrorDetail } from '../http/errors.ts'
import { type Checked, checked, type Fields } from '../http/validate.ts'

/** A form as the API would have been sent it, and what of it could not be read. */
export type Reading = { input: unknown; problems?: ErrorDetail[] }

/**
 * Checks a form by the API's own schema. A field that could not be read says so in the form's words; the schema's
 * are left out then, since what it was given is not what was typed.
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

/** The number in a field: none when it was left blank, and NaN, which no schema takes, when it is no number. */
export const numberIn = (fields: Fields, name: string): number | undefined => {
  const text = fields[name]?.replace(/\s*%$/, '').replace(',', '.')
  if (text === undefined) return undefined
  return /^\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN
}
