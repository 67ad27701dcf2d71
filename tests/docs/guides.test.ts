/**
 * The reports of the guides, in whatever language, against the OpenAPI document: a field that the
 * API lacks fails here.
 */
import { transform } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { GUIDES } from '../../api/docs/guides.ts'
import { openapi } from '../../api/openapi.ts'
import { SAMPLE_PROGRAM, SAMPLE_URL } from '../../api/sample-values.ts'
import { type Sample, samplesOf } from '../support/guides.ts'

type Schema = { properties: Record<string, object>; required: string[] }
type Document = {
  paths: Record<
    string,
    { post: { requestBody: { content: Record<string, { schema: { $ref: string } }> } } }
  >
  components: { schemas: Record<string, Schema> }
}

/**
 * Those whose backend reports by the API: by a function `report`, or a job that is dispatched with
 * the same arguments.
 */
const REPORTING = GUIDES.flatMap(({ name }) => {
  const [, guide] = /^guide-(.+)/.exec(name) ?? []
  return guide && !['test-your-integration', 'payment-links'].includes(guide) ? [guide] : []
})

const document: Document = JSON.parse(JSON.stringify(openapi()))
const schemaOf = (kind: string): Schema => {
  const content = document.paths[`/api/track/${kind}`]?.post.requestBody.content
  const name = content?.['application/json']?.schema.$ref.split('/').at(-1)
  const schema = document.components.schemas[name ?? '']
  if (!schema) throw new Error(`The document has no /api/track/${kind}.`)
  return schema
}

/** The parts of `text` up to the bracket that closes it, split at its own commas. */
const argumentsOf = (text: string): string[] => {
  const parts = ['']
  let depth = 0
  for (const character of text) {
    if ('([{'.includes(character)) depth += 1
    if (')]}'.includes(character)) depth -= 1
    if (depth < 0) break
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts.map((part) => part.trim()).filter(Boolean)
}

const REPORT = /(?:report|dispatch)\(\s*['"](\w+)['"],\s*(?:\[|\{|array\()/g

/** The calls of `report` in JavaScript, Python, PHP and Ruby, with the names of their fields. */
const reportsIn = (code: string): { kind: string; fields: string[] }[] =>
  [...code.matchAll(REPORT)].map((match) => ({
    kind: match[1] ?? '',
    fields: argumentsOf(code.slice(match.index + match[0].length)).map(
      (part) => /^['"]?(\w+)/.exec(part)?.[1] ?? part,
    ),
  }))

describe.each(REPORTING)('the guide %s', (name) => {
  const samples = samplesOf(name)
  const reports = samples.flatMap(({ code }) => reportsIn(code))

  test('reports a lead, a sale and a refund, with fields that the API has', () => {
    expect([...new Set(reports.map(({ kind }) => kind))].sort()).toEqual(['lead', 'refund', 'sale'])
    for (const { kind, fields } of reports) {
      const { properties, required } = schemaOf(kind)
      expect({ kind, unknown: fields.filter((field) => !(field in properties)) }).toEqual({
        kind,
        unknown: [],
      })
      expect({ kind, missing: required.filter((field) => !fields.includes(field)) }).toEqual({
        kind,
        missing: [],
      })
    }
  })

  test('passes the click on, and has samples that are filled with the reader’s own values', () => {
    for (const kind of ['lead', 'sale']) {
      expect(reports.find((report) => report.kind === kind)?.fields).toContain('clickId')
    }
    const code = samples.map((sample) => sample.code).join('\n')
    for (const part of [SAMPLE_URL, SAMPLE_PROGRAM, '/via.js', 'data-program='])
      expect(code).toContain(part)
    expect(code).toMatch(/tributary_click|readClickId/)
  })

  const scripts = samples.filter(({ language }) => language === 'js')
  test.each(scripts)('has JavaScript without syntax errors: $file', async ({ code }: Sample) => {
    await transform(code, { loader: 'jsx', format: 'esm' })
  })
})
