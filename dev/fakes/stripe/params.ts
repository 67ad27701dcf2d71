/**
 * Parameters of v1 of the API: forms whose field names may be paths such as `line_items[0][price]`.
 */
import type { Context } from 'hono'
import * as z from 'zod'
import { malformedParam } from './errors.ts'

type Value = string | Value[] | { [name: string]: Value }

/** Deeper than any parameter of Stripe's. */
const MAX_DEPTH = 10

type Tree = { [name: string]: string | Tree }

const put = (tree: Tree, [name = '', ...rest]: string[], value: string): void => {
  if (!rest.length) {
    tree[name] = value
    return
  }
  const branch = tree[name]
  const next: Tree = typeof branch === 'object' ? branch : Object.create(null)
  tree[name] = next
  put(next, rest, value)
}

/** Objects with numbered keys become lists. */
const toLists = (tree: string | Tree): Value => {
  if (typeof tree === 'string') return tree
  const entries = Object.entries(tree)
  return entries.length && entries.every(([name]) => /^\d+$/.test(name))
    ? entries.map(([, value]) => toLists(value))
    : Object.fromEntries(entries.map(([name, value]) => [name, toLists(value)]))
}

/** Parses a form: `a[b]=1` is `{a: {b: '1'}}`, and `a[0]=1` and `a[]=1` are `{a: ['1']}`. */
export const readForm = (form: string): Record<string, Value> => {
  const tree: Tree = Object.create(null)
  let unnumbered = 0
  for (const [name, value] of new URLSearchParams(form)) {
    const path = name
      .split(/\]?\[|\]/)
      .slice(0, name.includes('[') ? -1 : undefined)
      .map((part, depth) => (part === '' && depth > 0 ? String(unnumbered++) : part))
    if (path.length <= MAX_DEPTH) put(tree, path, value)
  }
  return Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, toLists(value)]))
}

export const text = z.string().min(1).max(5_000)
export const integer = z
  .string()
  .regex(/^-?\d{1,15}$/, 'Invalid integer')
  .transform(Number)
export const decimal = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,4})?$/, 'Invalid decimal')
  .transform(Number)
export const flag = z
  .enum(['true', 'false'], 'Invalid boolean')
  .transform((word) => word === 'true')
export const address = z.url({ protocol: /^https?$/, message: 'Not a valid URL' })
export const email = z.email('Invalid email address')
export const currency = z
  .string()
  .regex(/^[a-z]{3}$/i, 'Invalid currency')
  .transform((code) => code.toLowerCase())
export const metadata = z.record(z.string().max(40), z.string().max(500))

/** A path as a field name: `a[b]`. */
const nameOf = ([first, ...rest]: PropertyKey[]): string =>
  String(first) + rest.map((part) => `[${String(part)}]`).join('')

/** The value at a path. */
export const at = (given: unknown, path: PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined,
    given,
  )

/** Throws Stripe's error for the first issue. */
const refuse = (given: unknown, { issues: [issue] }: z.ZodError): never => {
  const path = issue?.path ?? []
  if (issue?.code === 'unrecognized_keys') {
    const name = nameOf([...path, issue.keys[0] ?? ''])
    throw malformedParam(name, `Received unknown parameter: ${name}`, 'parameter_unknown')
  }
  const value = at(given, path)
  const name = nameOf(path)
  if (value === undefined)
    throw malformedParam(name, `Missing required param: ${name}.`, 'parameter_missing')
  if (value === '') {
    throw malformedParam(
      name,
      `You passed an empty string for '${name}'.`,
      'parameter_invalid_empty',
    )
  }
  if (issue?.code === 'too_small' && issue.origin === 'number') {
    throw malformedParam(
      name,
      `This value must be greater than or equal to ${issue.minimum}.`,
      'parameter_invalid_integer',
    )
  }
  throw malformedParam(
    name,
    `${issue?.message ?? 'Invalid'}: ${typeof value === 'string' ? value : name}`,
  )
}

/**
 * A request's parameters. Every request may have `expand`: see expand.ts.
 *
 * @throws on missing, invalid or unknown parameters
 */
export const readParams = async <Shape extends z.ZodRawShape>(
  c: Context,
  shape: Shape,
): Promise<z.output<z.ZodObject<Shape>>> => {
  const form = c.req.method === 'GET' ? new URL(c.req.url).search : await c.req.text()
  const { expand: _expand, ...given } = readForm(form)
  const read = z.strictObject(shape).safeParse(given)
  return read.success ? read.data : refuse(given, read.error)
}
