/** Converts form fields to API input, so that pages and API validate with the same schema. */
import type * as z from 'zod'
import type { ErrorDetail } from '../../http/errors.ts'
import { type Checked, checked } from '../../http/validate.ts'

/** A form as API input, and the fields that could not be parsed. */
export type Reading = { input: unknown; problems?: ErrorDetail[] }

/**
 * Validates a form with the API's schema. A field that could not be parsed keeps its own error,
 * because the schema's error would refer to a value that was never entered.
 */
export const checkForm = <S extends z.ZodType<object>>(
  schema: S,
  { input, problems = [] }: Reading,
): Checked<z.output<S>> => {
  const result = checked(schema, input)
  const others =
    result.errors?.filter(({ path }) => !problems.some((problem) => problem.path === path)) ?? []
  const errors = [...problems, ...others]
  return errors.length > 0 || result.errors ? { errors } : result
}
