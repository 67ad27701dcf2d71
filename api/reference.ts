/**
 * Writes the tables of docs/api.md from the OpenAPI document. Each is between two comments, of which the first names its content:
 *
 * - `<!-- endpoints /partners /groups -->`: the operations at and below these paths
 * - `<!-- fields SaleEvent -->`: the fields of a schema of the document
 * - `<!-- errors -->`: the error codes
 *
 * Run by `npm run docs`, which writes the client's types too.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { ALL, type Roles } from '../lib/auth/roles/role-sets.ts'
import { ROUTE_ROLES } from '../lib/auth/roles/roles.ts'
import { ERROR_STATUS, type ErrorCode } from '../lib/http/errors.ts'
import { clientTypes } from './client-types.ts'
import { type Document, nameOf, type Operation, type Schema } from './document.ts'
import { ERROR_REFERENCE } from './error-reference.ts'
import { openapi } from './openapi.ts'
import { routeOf, WORKSPACE } from './operations.ts'

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')

const code = (text: string): string => `\`${text}\``

/** Follows a reference, and removes null, which optional fields accept. */
const resolve = (document: Document, schema: Schema): Schema => {
  if (schema.$ref) {
    const { $ref: _, ...own } = schema
    return { ...resolve(document, document.components.schemas[nameOf(schema)] ?? {}), ...own }
  }
  const { anyOf = [], ...outer } = schema
  const [option, ...others] = anyOf.filter(({ type }) => type !== 'null')
  return option && others.length === 0 ? { ...resolve(document, option), ...outer } : schema
}

/** A path in the tables: relative to the workspace, with `:id` for `{id}`. */
const shortPath = (path: string): string =>
  (path.startsWith(`${WORKSPACE}/`) ? path.slice(WORKSPACE.length) : path).replaceAll(
    /\{(\w+)\}/g,
    ':$1',
  )

const rolesIn = (roles: Roles): string => (roles === ALL ? 'member' : roles.join(', '))

const accessOf = (route: string, { security = [], responses }: Operation): string => {
  const needs = security.flatMap((scheme) => Object.keys(scheme))
  if (needs.length === 0)
    return responses[400]?.description.includes('`invalid_signature`') ? 'signature' : 'public'
  const scopes = security.flatMap(({ apiKey = [] }) => apiKey)
  const byKey = scopes.map((scope) => `API key (${code(scope)})`)
  if (!needs.includes('session')) return byKey.join(', ')
  const roles = ROUTE_ROLES.get(route)
  return [roles ? rolesIn(roles) : 'signed in', ...byKey].join(', ')
}

/** Parameters that all lists have, or that are in the path. */
const isCommon = ({ in: place, name }: { in: string; name: string }): boolean =>
  place !== 'query' || name === 'cursor' || name === 'limit'

/** In characters. Of a longer list, the cell has the required fields: the page lists the others. */
const LONGEST_CELL = 200

const inputsOf = (document: Document, { parameters = [], requestBody }: Operation): string => {
  const body = requestBody && resolve(document, Object.values(requestBody.content)[0]?.schema ?? {})
  const isRequired = (name: string) => body?.required?.includes(name) ?? false
  const names = Object.keys(body?.properties ?? {})
  const fields = names.map((name) => (isRequired(name) ? `**${code(name)}**` : code(name)))
  const filters = parameters
    .filter((parameter) => !isCommon(parameter))
    .map(({ name }) => code(name))
  const all = [...filters, ...fields].join(', ')
  if (all.length <= LONGEST_CELL) return all
  const required = fields.filter((_, at) => isRequired(names[at] ?? ''))
  const others = `${fields.length - required.length} optional fields`
  return required.length > 0 ? `${required.join(', ')}, and ${others}` : others
}

const endpoints = (document: Document, prefixes: string[]): string => {
  const rows = Object.entries(document.paths).flatMap(([path, operations]) => {
    const short = shortPath(path)
    if (!prefixes.some((prefix) => short === prefix || short.startsWith(`${prefix}/`))) return []
    return Object.entries(operations).map(([method, operation]) => [
      code(`${method.toUpperCase()} ${short}`),
      operation.summary,
      accessOf(routeOf(method, path), operation),
      inputsOf(document, operation),
    ])
  })
  return table(['Endpoint', 'Use', 'Access', 'Parameters'], rows)
}

const typeOf = ({ type, format, enum: values, anyOf }: Schema): string => {
  if (values) return values.map((value) => code(String(value))).join(', ')
  if (format === 'uuid') return 'UUID'
  if (anyOf) return 'string'
  return [type].flat().filter((name) => name !== 'null')[0] ?? ''
}

const limitsOf = ({ type, minLength, maxLength, minimum, maximum }: Schema): string => {
  const number = (value: number) => value.toLocaleString('en')
  if (type === 'integer' && minimum !== undefined && maximum !== undefined) {
    return `${number(minimum)} to ${number(maximum)}.`
  }
  if (maxLength === undefined) return ''
  return minLength ? `${minLength} to ${maxLength} characters.` : `At most ${maxLength} characters.`
}

const fields = (document: Document, name: string): string => {
  const { properties = {}, required = [] } = resolve(document, { $ref: name })
  const rows = Object.entries(properties).map(([field, property]) => {
    const schema = resolve(document, property)
    const { description = '', default: standard } = schema
    const presence = required.includes(field)
      ? 'required'
      : standard === undefined
        ? ''
        : code(JSON.stringify(standard))
    return [
      code(field),
      typeOf(schema),
      presence,
      [description, limitsOf(schema)].filter(Boolean).join(' '),
    ]
  })
  return table(['Field', 'Type', 'Default', 'Description'], rows)
}

const errors = (): string => {
  const codes = Object.entries(ERROR_REFERENCE) as [ErrorCode, { when: string; remedy: string }][]
  return table(
    ['Status', 'Code', 'When', 'What to do'],
    codes.map(([name, { when, remedy }]) => [String(ERROR_STATUS[name]), code(name), when, remedy]),
  )
}

const TABLE = /(<!-- (endpoints|fields|errors)((?: \S+)*) -->\n).*?(<!-- end -->)/gs

/** A page with new tables. */
export const withTables = (page: string, document: Document): string =>
  page.replaceAll(TABLE, (_, start: string, kind: string, rest: string, end: string) => {
    const names = rest.trim().split(' ')
    const content =
      kind === 'endpoints'
        ? endpoints(document, names)
        : kind === 'fields'
          ? fields(document, names[0] ?? '')
          : errors()
    return `${start}${content}\n${end}`
  })

/** The document as JSON. */
export const readDocument = (): Document => JSON.parse(JSON.stringify(openapi()))

/** The file of the client's types: see client-types.ts. */
export const CLIENT_TYPES = new URL('../clients/node/src/openapi.ts', import.meta.url)

if (import.meta.main) {
  const file = new URL('../docs/api.md', import.meta.url)
  await writeFile(file, withTables(await readFile(file, 'utf8'), readDocument()))
  await writeFile(CLIENT_TYPES, clientTypes(JSON.parse(JSON.stringify(openapi()))))
}
