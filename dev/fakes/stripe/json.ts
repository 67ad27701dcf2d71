/** Parameters and refusals of the API's second version, which takes JSON and looks closely at it. */
import type { Context } from 'hono'
import type * as z from 'zod'
import { Refusal } from './errors.ts'
import { at, readForm } from './params.ts'

/** A field that is wrong by itself. */
const badField = (message: string): Refusal =>
  new Refusal(400, { code: 'invalid_fields', message }, { begun: false })

/** Something that isn't there. */
export const missingFrom = (what: string, id: string): Refusal =>
  new Refusal(404, { code: 'not_found', message: `No such ${what}: ${id}` })

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

/** The version that a request is written for. The second generation takes none for granted. */
export const versionOf = (c: Context): string => {
  const version = c.req.header('Stripe-Version')
  if (version && VERSION.test(version)) return version
  throw badField('A Stripe-Version header is required for /v2 endpoints, like 2026-10-28.endive.')
}

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body || '{}')
  } catch {
    throw badField('The request’s body is not JSON.')
  }
}

/** The parameters of a request. @throws for what is missing, wrong or unknown */
export const readJson = async <Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): Promise<z.output<Schema>> => {
  versionOf(c)
  const given = c.req.method === 'GET' ? readForm(new URL(c.req.url).search) : parse(await c.req.text())
  const read = schema.safeParse(given)
  return read.success ? read.data : refuse(given, read.error)
}
