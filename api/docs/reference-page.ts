/**
 * The API reference of /docs: each operation with its fields, responses and samples. 45 kB gzipped,
 * works without JavaScript, and searchable with the guides. The console, which sends requests, is
 * Scalar, 1.4 MB gzipped: see console-page.ts.
 */
import { html, raw } from 'hono/html'
import { type Document, descriptionOf, nameOf, type Operation, type Schema } from '../document.ts'
import { codeBlock, type Heading, type Section } from './markdown.ts'

type Html = ReturnType<typeof html>

/** Texts of the document, with code in backticks. */
const text = (value = ''): Html[] =>
  value.split('`').map((part, index) => (index % 2 ? html`<code>${part}</code>` : html`${part}`))

const typeOf = ({ $ref, type, format, enum: values, anyOf, oneOf, items }: Schema): string => {
  if ($ref) return nameOf({ $ref })
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
  const options = anyOf ?? oneOf
  if (options)
    return [...new Set(options.filter((one) => one.type !== 'null').map(typeOf))].join(' | ')
  if (items) return `${typeOf(items)}[]`
  return (
    format ??
    [type]
      .flat()
      .filter((one) => one !== 'null')
      .join(' | ')
  )
}

type Row = { name: string; required: boolean; schema: Schema; description?: string | undefined }

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

const rowsOf = (schema: Schema | undefined, schemas: Record<string, Schema>): Row[] => {
  const target = schema?.$ref ? schemas[nameOf(schema)] : schema
  const { properties = {}, required = [] } = target ?? {}
  return Object.entries(properties).map(([name, one]) => ({
    name,
    required: required.includes(name),
    schema: one,
  }))
}

const samples = ({
  operationId,
  'x-codeSamples': all,
}: Operation): Html => html`<div class="samples">
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

const operationOf = (
  method: string,
  path: string,
  operation: Operation,
  schemas: Record<string, Schema>,
): Html => {
  const {
    operationId,
    summary,
    description,
    parameters = [],
    requestBody,
    responses,
    security = [],
    tags: [topic],
  } = operation
  const schema = requestBody?.content['application/json']?.schema
  const inputs = parameters.map(({ required = false, schema = {}, ...parameter }) => ({
    ...parameter,
    required,
    schema,
  }))
  const keys = security.flatMap((scheme) => Object.keys(scheme))
  const access = [
    keys.includes('apiKey') && 'API key',
    keys.includes('session') && 'session',
  ].filter(Boolean)
  return html`<section class="operation">
<h3 id="${operationId}">${summary}</h3>
<p><code class="method">${method.toUpperCase()}</code> <code>${path}</code> <a href="/docs/console#tag/${slugOf(topic)}/${operationId}" aria-label="Try it: ${summary}">Try it</a></p>
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
</section>`
}

/** As in Scalar's URLs. */
const slugOf = (topic: string): string => topic.toLowerCase().replaceAll(' ', '-')

export const referencePage = (
  document: Document,
): { body: string; headings: Heading[]; sections: Section[] } => {
  const { schemas } = document.components
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )
  const topics = [...Map.groupBy(operations, ({ operation }) => operation.tags[0])]
  const body = html`<h1>API reference</h1>
<p>Every endpoint, from the <a href="/openapi.json">OpenAPI document</a>. See <a href="/docs/api">the guide</a> for authentication and conventions. The <a href="/docs/console">console</a> sends requests from your browser.</p>
${topics.map(
  ([topic, all]) => html`<h2 id="topic-${slugOf(topic)}">${topic}</h2>
${all.map(({ method, path, operation }) => operationOf(method, path, operation, schemas))}`,
)}`
  return {
    body: String(body),
    headings: topics.map(([topic]) => ({
      depth: 2,
      text: topic,
      id: `topic-${slugOf(topic)}`,
    })),
    sections: operations.map(({ method, path, operation }) => ({
      heading: operation.summary,
      id: operation.operationId,
      text: `${method.toUpperCase()} ${path}`,
    })),
  }
}
