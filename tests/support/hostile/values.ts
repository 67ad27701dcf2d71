/** Hostile values, generated from a seed: mutations of what the OpenAPI document describes. */
import { openapi } from '../../../api/openapi.ts'

/** A random number from 0 to below 1, the same ones for a seed (mulberry32). */
const randomOf = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const chooser = (seed: number) => {
  const random = randomOf(seed)
  const below = (end: number) => Math.floor(random() * end)
  return {
    below,
    chance: (probability: number) => random() < probability,
    pick: <T>(from: readonly T[]): T => from[below(from.length)] as T,
  }
}
export type Chooser = ReturnType<typeof chooser>

/** Runs in a page if it is shown as it is. */
export const SCRIPT = '"><img src=x onerror=alert(1)>'

/** A header that no answer may have: callers try to add it by line breaks. */
export const INJECTED = 'X-Injected'

export const LONG = 'x'.repeat(5_000)

/** Texts. */
export const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfff',
  '\u202eevil',
  'e\u0301',
  '\ufeff',
  LONG,
  SCRIPT,
  `a\r\n${INJECTED}: yes`,
  "' or '1'='1",
  "'; drop table partners; --",
  '\\',
  '%',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'NaN',
  '-1',
  '0',
  '1e309',
  '99999999999999999999',
  '1.5',
  '../../etc/passwd',
  '//evil.example',
  'javascript:alert(1)',
  'http://169.254.169.254/latest/meta-data/',
  '=HYPERLINK("http://evil.example")',
  '0001-01-01',
  '9999-12-31T23:59:59.999Z',
  '-infinity',
  '2026-02-30',
  '[]',
  '{{7*7}}',
]

/** Parts of paths, encoded in ways that decoders disagree about. */
export const SEGMENTS = [
  '%zz',
  '%',
  '%00',
  '%ff',
  '%E0%A4%A',
  '%ED%A0%80',
  '..%2f..',
  '%2e%2e',
  '%0d%0aX-Injected:%20yes',
  '__proto__',
  'constructor',
  'undefined',
  '-1',
  '1e9',
  ';',
  '*',
  '%25',
  "'",
  'x'.repeat(3_000),
  '00000000-0000-0000-0000-000000000000',
]

const NUMBERS = [0, -0, -1, 1, 1.5, 1e21, 2 ** 31, 2 ** 53, 2 ** 53 + 2, -(2 ** 63), 1e308, 5e-324]

/** JSON that no encoder writes: each stands for a value. */
const RAW = [
  '1e309',
  '-1e309',
  '1e-400',
  '"\\ud800"',
  '"\\u0000"',
  '{"__proto__":{"role":"manager"}}',
  '{"constructor":1}',
  '01',
  'NaN',
  '"\u0001"',
  `${'['.repeat(40)}${']'.repeat(40)}`,
  `${'['.repeat(4_000)}${']'.repeat(4_000)}`,
  '9'.repeat(400),
]
const RAW_MARK = /"raw:(\d+)"/g

/** A schema of the document. */
type Schema = {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  minimum?: number
  maximum?: number
  default?: unknown
  example?: unknown
}

export type Parameter = { in: string; name: string; schema?: Schema }
type Operation = { method: string; path: string; parameters: Parameter[]; body: Schema | null }

const document = openapi() as unknown as {
  paths: Record<
    string,
    Record<
      string,
      { parameters?: Parameter[]; requestBody?: { content: Record<string, { schema: Schema }> } }
    >
  >
  components: { schemas: Record<string, Schema> }
}

/** Every operation of the document. */
export const documented: Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { parameters = [], requestBody }]) => ({
    method: method.toUpperCase(),
    path,
    parameters,
    body: requestBody?.content['application/json']?.schema ?? null,
  })),
)

export type Ids = Record<string, string[]>

/** Values that look right, by what they are. `own`, `foreign`: ids by table. */
export type Pools = {
  ids: string[]
  own: Ids
  foreign: Ids
  emails: string[]
  workspaces: string[]
  slugs: string[]
}

/** A few fields whose form the schemas don't say. */
const byName = ({ pick }: Chooser, { emails, slugs }: Pools, name: string): unknown => {
  if (/email$/i.test(name)) return pick(emails)
  if (/currency/i.test(name)) return pick(['USD', 'EUR', 'JPY', 'XXX'])
  if (/slug/i.test(name)) return pick(slugs)
  if (/url/i.test(name))
    return pick(['https://shop.example/a', 'http://127.0.0.1:1/', 'https://shop.example'])
  if (/country/i.test(name)) return pick(['DE', 'US', 'ZZ'])
  return `text ${name}`
}

/** A value of a schema, of which parts are replaced by anything else. */
export const hostileValue = (
  choose: Chooser,
  pools: Pools,
  schema: Schema,
  name = '',
  depth = 0,
): unknown => {
  const { chance, pick, below } = choose
  if (chance(0.04))
    return chance(0.5)
      ? `raw:${below(RAW.length)}`
      : pick<unknown>([...TEXTS, ...NUMBERS, null, true, [], {}])
  if (depth > 8) return null
  const { $ref, anyOf, oneOf, allOf, type, format } = schema
  const of = (inner: Schema, key = name) => hostileValue(choose, pools, inner, key, depth + 1)
  if ($ref) return of(document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {})
  const alternatives = anyOf ?? oneOf
  if (alternatives) return of(pick(alternatives))
  if (allOf) return Object.assign({}, ...allOf.map((part) => of(part)))
  if (schema.enum) return pick(schema.enum)
  if (schema.const !== undefined) return schema.const
  switch (Array.isArray(type) ? pick(type) : type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? { note: {} })
          .filter(([key]) => (schema.required?.includes(key) ? !chance(0.03) : chance(0.5)))
          .map(([key, value]) => [chance(0.01) ? pick(TEXTS) : key, of(value, key)]),
      )
    case 'array':
      return Array.from({ length: chance(0.01) ? 1_001 : below(4) }, () => of(schema.items ?? {}))
    case 'integer':
    case 'number':
      return chance(0.2)
        ? pick(NUMBERS)
        : (schema.minimum ?? 0) +
            below(Math.min(1_000, (schema.maximum ?? 1_000) - (schema.minimum ?? 0)) + 1)
    case 'boolean':
      return chance(0.5)
    case 'null':
      return null
    default:
      if (chance(0.1)) return pick(TEXTS)
      if (format === 'uuid') return pick(pools.ids)
      if (format === 'email') return pick(pools.emails)
      if (format === 'date-time') return '2026-06-01T00:00:00Z'
      return byName(choose, pools, name)
  }
}

/** JSON, with what encoders don't write. */
export const toJson = (value: unknown): string =>
  (JSON.stringify(value) ?? 'undefined').replace(
    RAW_MARK,
    (_, index: string) => RAW[Number(index)] ?? '0',
  )
