/**
 * The types of the client (clients/node), from the OpenAPI document, in the form that openapi-fetch
 * reads. Not by openapi-typescript, which needs the JavaScript API that TypeScript 7 no longer has.
 * Run by `npm run docs`.
 */
import {
  type Content,
  type Document,
  descriptionOf,
  nameOf,
  type Operation,
  type Parameter,
  type Schema,
} from './document.ts'
import { WORKSPACE } from './operations.ts'

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const

const comment = (text: string | undefined): string =>
  text ? `/** ${text.replaceAll('*/', '*\\/')} */\n` : ''

const name = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key))

const union = (types: string[]): string => [...new Set(types)].join(' | ')

const objectOf = ({ properties, required = [], additionalProperties }: Schema): string => {
  if (!properties) {
    return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`
  }
  const fields = Object.entries(properties).map(
    ([key, schema]) =>
      `${comment(descriptionOf(schema))}${name(key)}${required.includes(key) ? ':' : '?: undefined |'} ${typeOf(schema)}`,
  )
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('\n')}\n}`
}

const plainTypeOf = (type: string, schema: Schema): string => {
  if (type === 'object') return objectOf(schema)
  if (type === 'array') return `Array<${schema.items ? typeOf(schema.items) : 'unknown'}>`
  if (type === 'integer') return 'number'
  return type
}

/** The TypeScript type of a JSON schema. */
const typeOf = (schema: Schema): string => {
  const { $ref, type, enum: values, anyOf, oneOf, allOf } = schema
  if ($ref) return `components['schemas'][${JSON.stringify(nameOf(schema))}]`
  if ('const' in schema) return JSON.stringify(schema.const)
  if (values) return union(values.map((value) => JSON.stringify(value)))
  const options = anyOf ?? oneOf
  if (options) return union(options.map(typeOf))
  if (allOf) return allOf.map((part) => `(${typeOf(part)})`).join(' & ')
  return type ? union([type].flat().map((one) => plainTypeOf(one, schema))) : 'unknown'
}

const contentOf = (content: Content | undefined): string => {
  if (!content) return 'never'
  const types = Object.entries(content).map(
    ([type, { schema = {} }]) => `${JSON.stringify(type)}: ${typeOf(schema)}`,
  )
  return `{ ${types.join('; ')} }`
}

const parametersOf = (parameters: Parameter[]): string => {
  if (parameters.every((one) => one.name === 'workspace')) return 'NoParameters'
  const of = (place: string): string => {
    const all = parameters.filter((one) => one.in === place && one.name !== 'workspace')
    if (all.length === 0) return `${place}?: never`
    const required = all.some((one) => one.required)
    const fields = all.map(
      (one) =>
        `${name(one.name)}${one.required ? ':' : '?: undefined |'} ${typeOf(one.schema ?? {})}`,
    )
    return `${place}${required ? '' : '?'}: { ${fields.join('; ')} }`
  }
  return `{ ${['query', 'header', 'path', 'cookie'].map(of).join('; ')} }`
}

const FAILURE = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }

const operationOf = ({ parameters = [], requestBody, responses }: Operation): string => {
  const body = requestBody
    ? `requestBody${requestBody.required ? '' : '?'}: { content: ${contentOf(requestBody.content)} }`
    : 'requestBody?: never'
  const answers = Object.entries(responses).map(([status, { content }]) => {
    const type = contentOf(content)
    return type === contentOf(FAILURE)
      ? `${status}: Failure`
      : `${status}: { headers: Record<string, unknown>; content${content ? '' : '?'}: ${type} }`
  })
  return `{\nparameters: ${parametersOf(parameters)}\n${body}\nresponses: {\n${answers.join('\n')}\n}\n}`
}

const takesKey = ({ security = [] }: Operation): boolean =>
  security.some((scheme) => 'apiKey' in scheme)

const pathsOf = (document: Document): string[] =>
  Object.entries(document.paths).flatMap(([path, item]) => {
    const methods = METHODS.map((method) => {
      const operation = item[method]
      return operation && takesKey(operation)
        ? `${comment(operation.summary)}${method}: ${operationOf(operation)}`
        : `${method}?: never`
    })
    if (methods.every((method) => method.endsWith('?: never'))) return []
    const short = path.startsWith(WORKSPACE) ? path.slice(WORKSPACE.length) : path
    return [
      `${JSON.stringify(short)}: {\nparameters: ${parametersOf([])}\n${methods.join('\n')}\n}`,
    ]
  })

const webhooksOf = (document: Document): string[] =>
  Object.entries(document.webhooks ?? {}).map(([type, { post }]) => {
    const [content] = Object.values(post?.requestBody?.content ?? {})
    return `${comment(post?.summary)}${JSON.stringify(type)}: ${typeOf(content?.schema ?? {})}`
  })

/** The names of the schemas that the text uses, and those that these use. */
const reachable = (text: string, schemas: Record<string, string>): Set<string> => {
  const found = new Set<string>()
  const visit = (from: string): void => {
    for (const [, to = ''] of from.matchAll(/components\['schemas'\]\["(\w+)"\]/g)) {
      if (found.has(to)) continue
      found.add(to)
      visit(schemas[to] ?? '')
    }
  }
  visit(text)
  return found
}

/** The content of clients/node/src/openapi.ts. */
export const clientTypes = (document: Document): string => {
  const schemas = Object.fromEntries(
    Object.entries(document.components.schemas).map(([key, schema]) => [key, typeOf(schema)]),
  )
  const [paths, webhooks] = [pathsOf(document).join('\n'), webhooksOf(document).join('\n')]
  const used = reachable(contentOf(FAILURE) + paths + webhooks, schemas)
  const components = Object.entries(schemas).flatMap(([key, type]) =>
    used.has(key) ? [`${key}: ${type}`] : [],
  )
  return `// Written by \`npm run docs\` from the OpenAPI document. Don't edit it.

type NoParameters = { query?: never; header?: never; path?: never; cookie?: never }

type Failure = { headers: Record<string, unknown>; content: ${contentOf(FAILURE)} }

/** What an API key may call, with paths relative to the workspace. */
export interface paths {
${paths}
}

/** The payloads of outgoing webhooks, by type. */
export interface webhooks {
${webhooks}
}

export interface components {
schemas: {
${components.join('\n')}
}
}
`
}
