/** Parameters and errors of v2 of the API, which takes JSON and validates strictly. */
import type { Context } from 'hono'
import type * as z from 'zod'
import { StripeError } from './errors.ts'
import { at, readForm } from './params.ts'

/** An invalid field. */
const badField = (message: string): StripeError =>
  new StripeError(400, { code: 'invalid_fields', message }, { begun: false })

/** A missing object. */
export const missingFrom = (what: string, id: string): StripeError =>
  new StripeError(404, { code: 'not_found', message: `No such ${what}: ${id}` })

const refuse = (given: unknown, { issues: [issue] }: z.ZodError): never => {
  const path = issue?.path ?? []
  if (issue?.code === 'unrecognized_keys') {
    throw badField(`Unrecognized field: ${[...path, issue.keys[0]].map(String).join('.')}`)
  }
  const name = path.map(String).join('.')
  if (at(given, path) === undefined) throw badField(`Missing required field: ${name}`)
  throw badField(`Invalid value for ${name}: ${issue?.message ?? 'not allowed here'}`)
}

const VERSION = /^\d{4}-\d{2}-\d{2}\.\w+$/

/** A request's API version. v2 has no default. */
export const versionOf = (c: Context): string => {
  const version = c.req.header('Stripe-Version')
  if (version && VERSION.test(version)) return version
  throw badField('A Stripe-Version header is required for /v2 endpoints, like 2026-10-28.endive.')
}

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body || '{}')
  } catch {
    throw badField('The request body is not valid JSON.')
  }
}

/** A request's parameters. @throws on missing, invalid or unknown fields */
export const readJson = async <Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): Promise<z.output<Schema>> => {
  versionOf(c)
  const given =
    c.req.method === 'GET' ? readForm(new URL(c.req.url).search) : parse(await c.req.text())
  const read = schema.safeParse(given)
  return read.success ? read.data : refuse(given, read.error)
}
