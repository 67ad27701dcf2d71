/**
 * The API reference of /docs: each operation with its fields, responses, samples, and a form that sends it. A page of 45 kB gzipped;
 * Scalar's would need 327 packages (287 MB) to install and 1.3 MB gzipped to load.
 */
import { html, raw } from 'hono/html'
import type { Schema } from '../code-samples.ts'
import { exampleOf } from '../code-samples.ts'
import { WORKSPACE } from '../operations.ts'
import { SAMPLE_WORKSPACE } from '../sample-values.ts'
import { codeBlock, type Heading, type Section } from './markdown.ts'

type Described = Schema & { description?: string; maxLength?: number; maximum?: number }
type Operation = {
  operationId: string
  summary: string
  description?: string
  security?: object[]
  parameters?: { in: string; name: string; required?: boolean; schema?: Described; description?: string }[]
  requestBody?: { content: Record<string, { schema?: Described }> }
  responses: Record<string, { description: string; content?: Record<string, { schema?: Described }> }>
  'x-codeSamples': { label: string; source: string }[]
}
export type ReferenceDocument = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Described> }
}

type Html = ReturnType<typeof html>

/** Texts of the document, which have code in backticks. */
const text = (value = ''): Html[] =>
  value.split('`').map((part, index) => (index % 2 ? html`<code>${part}</code>` : html`${part}`))

const typeOf = ({ $ref, type, format, enum: values, anyOf, oneOf, items }: Described): string => {
  if ($ref) return $ref.split('/').at(-1) ?? ''
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
  const options = (anyOf ?? oneOf) as Described[] | undefined
  if (options) return [...new Set(options.filter((one) => one.type !== 'null').map(typeOf))].join(' | ')
  if (items) return `${typeOf(items)}[]`
  return (
    format ??
    [type]
      .flat()
      .filter((one) => one !== 'null')
      .join(' | ')
  )
}

/** An optional field is described beside its null, or within. */
const descriptionOf = ({ description, anyOf = [] }: Described): string | undefined =>
  description ?? (anyOf as Described[]).find((option) => option.description)?.description

type Row = { name: string; required: boolean; schema: Described; description?: string | undefined }

const fields = (caption: string, rows: Row[]): Html =>
  html`<div class="table" tabindex="0"><table><caption>${caption}</caption><thead><tr><th>Name</th><th>Type</th><th>Description</th></tr></thead><tbody>
${rows.map(
  ({
    name,
    required,
    schema,
    description,
  }) => html`<tr><td><code>${name}</code>${required ? html` <small>required</small>` : ''}</td>
<td><code>${typeOf(schema) || 'any'}</code></td><td>${text(description ?? descriptionOf(schema))}</td></tr>`,
)}</tbody></table></div>`

const rowsOf = (schema: Described | undefined, schemas: Record<string, Described>): Row[] => {
  const target = schema?.$ref ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema
  const { properties = {}, required = [] } = target ?? {}
  return Object.entries(properties).map(([name, one]) => ({
    name,
    required: required.includes(name),
    schema: one,
  }))
}

const samples = ({ operationId, 'x-codeSamples': all }: Operation): Html => html`<div class="samples">
<div class="tabs" role="tablist" aria-label="Language">
${all.map(
  ({ label }, index) =>
    html`<button type="button" role="tab" id="${operationId}-tab-${index}" aria-controls="${operationId}-sample-${index}" aria-selected="${index === 0 ? 'true' : 'false'}" data-language="${label}"${index ? raw(' tabindex="-1"') : ''}>${label}</button>`,
)}
</div>
${all.map(
  ({ source }, index) =>
    html`<div role="tabpanel" id="${operationId}-sample-${index}" aria-labelledby="${operationId}-tab-${index}"${index ? raw(' hidden') : ''}>${raw(codeBlock(source))}</div>`,
)}</div>`

/** Filled in and sent by islands/docs.ts, so it is hidden until that runs. */
const tryIt = (
  method: string,
  path: string,
  operation: Operation,
  schemas: Record<string, Described>,
): Html => {
  const { operationId: id, parameters = [], requestBody, security = [] } = operation
  const schema = requestBody?.content['application/json']?.schema
  const field = (place: string, name: string, value = '', required = false) => html`<div class="field">
<label for="${id}-${name}">${name}</label>
<input id="${id}-${name}" name="${name}" type="${place === 'key' ? 'password' : 'text'}" data-in="${place}" value="${value}"${required ? raw(' required') : ''} autocomplete="off"></div>`
  return html`<details class="try" hidden><summary>Try it</summary>
<form data-method="${method.toUpperCase()}" data-path="${path}">
${security.some((scheme) => 'apiKey' in scheme) ? field('key', 'API key') : ''}
${parameters.map(({ in: place, name, required }) => field(place, name, name === 'workspace' ? SAMPLE_WORKSPACE : '', required))}
${
  schema
    ? html`<div class="field"><label for="${id}-body">Body</label><textarea id="${id}-body" name="body" rows="8" spellcheck="false">${JSON.stringify(exampleOf(schema, schemas), null, 2)}</textarea></div>`
    : ''
}
<button type="submit">Send request</button>
<p class="hint">${security.some((scheme) => 'session' in scheme) ? 'Without an API key, it is sent as you, if you are signed in. ' : ''}It changes real data.</p>
<div role="status"></div>
</form></details>`
}

const operationOf = (
  method: string,
  path: string,
  operation: Operation,
  schemas: Record<string, Described>,
): Html => {
  const {
    operationId,
    summary,
    description,
    parameters = [],
    requestBody,
    responses,
    security = [],
  } = operation
  const schema = requestBody?.content['application/json']?.schema
  const inputs = parameters.map(({ name, required = false, schema = {}, description }) => ({
    name,
    required,
    schema,
    description,
  }))
  const keys = security.flatMap((scheme) => Object.keys(scheme))
  const access = [keys.includes('apiKey') && 'API key', keys.includes('session') && 'session'].filter(Boolean)
  return html`<section class="operation">
<h3 id="${operationId}">${summary}</h3>
<p><code class="method">${method.toUpperCase()}</code> <code>${path}</code></p>
<p class="access">${access.length ? `Access: ${access.join(' or ')}` : 'Public'}</p>
${description ? html`<p>${text(description)}</p>` : ''}
${inputs.length ? fields('Parameters', inputs) : ''}
${schema ? fields('Body', rowsOf(schema, schemas)) : ''}
${samples(operation)}
<details><summary>Responses</summary>
${Object.entries(responses).map(
  ([status, { description, content }]) => html`<h4><code>${status}</code></h4>
${description.split('\n\n').map((part) => html`<p>${text(part)}</p>`)}
${Number(status) < 300 && content ? fields(`Fields of ${status}`, rowsOf(content['application/json']?.schema, schemas)) : ''}`,
)}</details>
${tryIt(method, path, operation, schemas)}
</section>`
}

/** The first word of a path below the workspace: what an operation is about. */
const topicOf = (path: string): string => {
  const short = path.startsWith(WORKSPACE) ? path.slice(WORKSPACE.length) : path.replace('/api', '')
  const [word = ''] = short.split('/').filter(Boolean)
  const name = word.replaceAll('-', ' ').replace('api', 'API') || 'workspaces'
  return name.charAt(0).toUpperCase() + name.slice(1)
}

export const referencePage = (
  document: ReferenceDocument,
): { body: string; headings: Heading[]; sections: Section[] } => {
  const { schemas } = document.components
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation, topic: topicOf(path) })),
  )
  const topics = [...Map.groupBy(operations, ({ topic }) => topic)]
  const body = html`<h1>API reference</h1>
<p>Every endpoint, from the <a href="/openapi.json">OpenAPI document</a>. See <a href="/docs/api">the guide</a> for authentication and conventions.</p>
${topics.map(
  ([topic, all]) => html`<h2 id="topic-${topic.toLowerCase().replaceAll(' ', '-')}">${topic}</h2>
${all.map(({ method, path, operation }) => operationOf(method, path, operation, schemas))}`,
)}`
  return {
    body: String(body),
    headings: topics.map(([topic]) => ({
      depth: 2,
      text: topic,
      id: `topic-${topic.toLowerCase().replaceAll(' ', '-')}`,
    })),
    sections: operations.map(({ method, path, operation }) => ({
      heading: operation.summary,
      id: operation.operationId,
      text: `${method.toUpperCase()} ${path}`,
    })),
  }
}
