/** Samples of a request in several languages, as `x-codeSamples` of the OpenAPI document. */
import type { Content, Schema } from './document.ts'
import { WORKSPACE } from './operations.ts'
import { SAMPLE_PROGRAM, SAMPLE_URL, SAMPLE_WORKSPACE } from './sample-values.ts'

type Schemas = Record<string, Schema>
type Sample = { lang: string; label: string; source: string }

/** The id of anything but a program. */
const SAMPLE_ID = '0192f000-0000-7000-8000-00000000000a'

/** The body of a request, or undefined. */
export const bodyOf = ({ requestBody }: Operation, schemas: Schemas): unknown => {
  const schema = requestBody?.content['application/json']?.schema
  return schema && exampleOf(schema, schemas)
}

/** What fields of these names hold. */
const EXAMPLES: Record<string, unknown> = {
  programId: SAMPLE_PROGRAM,
  externalId: 'invoice-1',
  customerExternalId: 'user-1',
  saleExternalId: 'invoice-1',
  customerEmail: 'jo@example.com',
  email: 'maya@example.com',
  partnerEmail: 'maya@example.com',
  clickId: 'clk_3fZ8',
  slug: 'maya',
  amountCents: 4900,
  currency: 'USD',
  name: 'Maya',
  reason: 'A thank-you',
  note: 'Checked by phone',
  couponId: 'MAYA10',
  percent: 20,
  siteUrl: 'https://shop.example',
}
/** Optional fields that a sample shows all the same. */
const SHOWN = ['clickId', 'currency']

/** An example of a schema: what is required, and what the names above say. */
const exampleOf = (schema: Schema, schemas: Schemas, name = ''): unknown => {
  if (schema.$ref)
    return exampleOf(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas, name)
  const { enum: values, anyOf, oneOf, properties, required = [], items, format, minimum } = schema
  const type = [schema.type].flat()[0]
  if (name in EXAMPLES && type !== 'object' && type !== 'array') return EXAMPLES[name]
  if ('const' in schema) return schema.const
  if (schema.example !== undefined) return schema.example
  if (values) return values[0]
  const option = (anyOf ?? oneOf)?.find((one) => one.type !== 'null')
  if (option) return exampleOf(option, schemas, name)
  if (properties) {
    const all = Object.entries(properties)
    const shown = all.filter(([key]) => required.includes(key) || SHOWN.includes(key))
    return Object.fromEntries(
      (shown.length > 0 ? shown : all.slice(0, 1)).map(([key, value]) => [
        key,
        exampleOf(value, schemas, key),
      ]),
    )
  }
  if (schema.default !== undefined) return schema.default
  if (type === 'array') return items ? [exampleOf(items, schemas, name)] : []
  if (type === 'integer' || type === 'number') return Math.max(minimum ?? 1, 1)
  if (type === 'boolean') return true
  if (type === 'object') return {}
  if (format === 'uuid') return SAMPLE_ID
  if (format === 'date-time') return '2026-12-01T00:00:00.000Z'
  return format === 'date' ? '2026-12-01' : '...'
}

/** The text in single quotes for shells. */
const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const indent = (text: string, spaces: number): string =>
  text.replaceAll('\n', `\n${' '.repeat(spaces)}`)

/** A JSON value in JavaScript: keys without quotes, texts in single quotes. */
const script = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replaceAll(/"((?:[^"\\'])*)"/g, "'$1'")

/** A JSON value in Python, or with `=>` in PHP and Ruby. */
const literal = (
  value: unknown,
  words: Record<string, string>,
  arrow: string,
  open = '{',
  close = '}',
): string => {
  const write = (one: unknown, depth: number): string => {
    if (one === null || typeof one === 'boolean') return words[String(one)] ?? String(one)
    if (typeof one !== 'object') return JSON.stringify(one)
    const pad = '  '.repeat(depth + 1)
    const [start, end] = Array.isArray(one) ? ['[', ']'] : [open, close]
    const parts = Array.isArray(one)
      ? one.map((part) => pad + write(part, depth + 1))
      : Object.entries(one).map(
          ([key, part]) => `${pad}${JSON.stringify(key)}${arrow}${write(part, depth + 1)}`,
        )
    return parts.length
      ? `${start}\n${parts.join(',\n')},\n${'  '.repeat(depth)}${end}`
      : start + end
  }
  return write(value, 0)
}

type Request = { method: string; path: string; body: unknown; byKey: boolean; isPublic: boolean }

/** Without the packages of a language, but for its usual client of HTTP. */
const plain = ({ method, path, body, byKey, isPublic }: Request): Sample[] => {
  const url = SAMPLE_URL + path
  const header = byKey
    ? (['Authorization', 'Bearer ', 'TRIBUTARY_API_KEY'] as const)
    : (['Cookie', '__Host-tributary.session=', 'TRIBUTARY_SESSION'] as const)
  const [name, start, variable] = header
  const hasBody = body !== undefined
  const METHOD = method.toUpperCase()
  const words = { true: 'True', false: 'False', null: 'None' }
  const json = JSON.stringify(body, null, 2)
  const curl = [
    `curl ${METHOD === 'GET' ? '' : `-X ${METHOD} `}${url}`,
    ...(isPublic ? [] : [`  -H "${name}: ${start}$${variable}"`]),
    ...(hasBody ? [`  -H 'Content-Type: application/json'`, `  -d ${shell(json)}`] : []),
  ].join(' \\\n')
  const python = [
    'import os, requests\n',
    `response = requests.${method}(`,
    `    "${url}",`,
    ...(isPublic ? [] : [`    headers={"${name}": "${start}" + os.environ["${variable}"]},`]),
    ...(hasBody ? [`    json=${indent(literal(body, words, ': '), 4)},`] : []),
    '    timeout=15,',
    ')\nresponse.raise_for_status()\nprint(response.text)',
  ].join('\n')
  const php = [
    `$request = curl_init('${url}');`,
    'curl_setopt_array($request, [',
    `  CURLOPT_CUSTOMREQUEST => '${METHOD}',`,
    '  CURLOPT_RETURNTRANSFER => true,',
    `  CURLOPT_HTTPHEADER => [${[
      ...(isPublic ? [] : [`'${name}: ${start}' . getenv('${variable}')`]),
      ...(hasBody ? [`'Content-Type: application/json'`] : []),
    ].join(', ')}],`,
    ...(hasBody
      ? [`  CURLOPT_POSTFIELDS => json_encode(${indent(literal(body, {}, ' => ', '[', ']'), 2)}),`]
      : []),
    ']);\necho curl_exec($request);',
  ].join('\n')
  const ruby = [
    `require 'net/http'\nrequire 'json'\n`,
    `uri = URI('${url}')`,
    `request = Net::HTTP::${METHOD.charAt(0)}${method.slice(1)}.new(uri)`,
    ...(isPublic ? [] : [`request['${name}'] = "${start}#{ENV.fetch('${variable}')}"`]),
    ...(hasBody
      ? [
          `request['Content-Type'] = 'application/json'`,
          `request.body = JSON.generate(${literal(body, { null: 'nil' }, ' => ')})`,
        ]
      : []),
    'response = Net::HTTP.start(uri.host, uri.port, use_ssl: true) { |http| http.request(request) }\nputs response.body',
  ].join('\n')
  const go = [
    `request, err := http.NewRequest("${METHOD}", "${url}", ${hasBody ? `strings.NewReader(\`${json}\`)` : 'nil'})`,
    'if err != nil {\n\tlog.Fatal(err)\n}',
    ...(isPublic ? [] : [`request.Header.Set("${name}", "${start}"+os.Getenv("${variable}"))`]),
    ...(hasBody ? ['request.Header.Set("Content-Type", "application/json")'] : []),
    'response, err := http.DefaultClient.Do(request)\nif err != nil {\n\tlog.Fatal(err)\n}',
    'defer response.Body.Close()\nio.Copy(os.Stdout, response.Body)',
  ].join('\n')
  return [
    { lang: 'Shell', label: 'curl', source: curl },
    { lang: 'Python', label: 'Python', source: python },
    { lang: 'PHP', label: 'PHP', source: php },
    { lang: 'Ruby', label: 'Ruby', source: ruby },
    { lang: 'Go', label: 'Go', source: go },
  ]
}

/** With @tributary/client where an API key is enough. */
const node = (
  { method, path, body, byKey, isPublic }: Request,
  template: string,
  path_: object,
): string => {
  const METHOD = method.toUpperCase()
  const options = {
    ...(Object.keys(path_).length > 0 && { params: { path: path_ } }),
    ...(body !== undefined && { body }),
  }
  if (byKey) {
    const track = /^\/api\/track\/(\w+)$/.exec(template)?.[1]
    const client = `import { createTributary } from '@tributary/client'\n
const tributary = createTributary({
  url: '${SAMPLE_URL}',
  apiKey: process.env.TRIBUTARY_API_KEY,${track ? '' : `\n  workspace: '${SAMPLE_WORKSPACE}',`}
})\n\n`
    if (track)
      return `${client}const { attributed } = await tributary.track.${track}(${script(body)})`
    const short = template.slice(WORKSPACE.length)
    const more = Object.keys(options).length > 0 ? `, ${script(options)}` : ''
    return `${client}const { data, error } = await tributary.api.${METHOD}('${short}'${more})`
  }
  const headers = [
    ...(isPublic
      ? []
      : [`    Cookie: '__Host-tributary.session=' + process.env.TRIBUTARY_SESSION,`]),
    ...(body === undefined ? [] : ["    'Content-Type': 'application/json',"]),
  ]
  return [
    `const response = await fetch('${SAMPLE_URL}${path}', {`,
    `  method: '${METHOD}',`,
    ...(headers.length ? ['  headers: {', ...headers, '  },'] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indent(script(body), 2)}),`]),
    '})\nconsole.log(response.status, await response.text())',
  ].join('\n')
}

type Operation = {
  security?: object[]
  parameters?: { in: string; name: string; schema?: Schema }[]
  requestBody?: { content: Content }
}

/** The samples of an operation: curl, Node, Python, PHP, Ruby, Go. */
export const samplesOf = (
  method: string,
  template: string,
  operation: Operation,
  schemas: Schemas,
): Sample[] => {
  const { security = [], parameters = [] } = operation
  const values = Object.fromEntries(
    parameters
      .filter((one) => one.in === 'path' && one.name !== 'workspace')
      .map(({ name, schema = {} }) => [name, exampleOf(schema, schemas, name)]),
  )
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'workspace' ? SAMPLE_WORKSPACE : String(values[name] ?? SAMPLE_ID),
  )
  const body = bodyOf(operation, schemas)
  const byKey = security.some((scheme) => 'apiKey' in scheme)
  const request = { method, path, body, byKey, isPublic: security.length === 0 }
  const [curl, ...others] = plain(request)
  const sample = { lang: 'JavaScript', label: 'Node', source: node(request, template, values) }
  return [...(curl ? [curl] : []), sample, ...others]
}
