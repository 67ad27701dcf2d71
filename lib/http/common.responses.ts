/** Schemas that the responses of all rooms share. */
import * as z from 'zod'

/**
 * A time: a `Date` in code (`z.infer`), an ISO 8601 string in UTC in JSON (`z.input`).
 * `JSON.stringify` does the conversion in a Worker.
 */
export const timestamp = z
  .codec(z.iso.datetime(), z.date(), {
    decode: (text) => new Date(text),
    encode: (date) => date.toISOString(),
  })
  .meta({
    override: { type: 'string', format: 'date-time', pattern: z.core.regexes.datetime({}).source },
  })

/** A page of a list. */
export const listOf = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({ data: z.array(row), nextCursor: z.uuid().nullable() })

export const ErrorResponse = z
  .strictObject({
    error: z.strictObject({
      code: z.string(),
      message: z.string(),
      details: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
      requestId: z.string(),
      docUrl: z.url(),
    }),
  })
  .meta({ id: 'Error' })
export type ErrorResponse = z.infer<typeof ErrorResponse>
