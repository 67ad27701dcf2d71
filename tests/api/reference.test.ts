import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Document } from '../../api/document.ts'
import { readDocument, withTables } from '../../api/reference.ts'
import { ROOT } from '../../dev/root.ts'

const page = readFileSync(`${ROOT}docs/api.md`, 'utf8')

test('the tables of docs/api.md are those of the OpenAPI document: npm run docs writes them', () => {
  expect(withTables(page, readDocument())).toBe(page)
})

test('docs/api.md lists each endpoint once', () => {
  const listed = [...page.matchAll(/^\| `([A-Z]+ \S+)` \|/gm)].map(([, endpoint]) => endpoint)
  const documented = Object.entries(readDocument().paths).flatMap(([path, operations]) =>
    Object.keys(operations).map(
      (method) =>
        `${method.toUpperCase()} ${path.replace(/^\/api\/workspaces\/\{workspace\}(?=\/)/, '').replaceAll(/\{(\w+)\}/g, ':$1')}`,
    ),
  )
  expect(listed.sort()).toEqual(documented.sort())
})

test('a table names who may call an endpoint and what it takes, required fields in bold', () => {
  const operation = (security: object[], more: object = {}) => ({
    summary: 'Do it',
    security,
    responses: {},
    ...more,
  })
  const document = {
    components: {
      schemas: {
        Thing: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', minLength: 1, maxLength: 9, description: 'A name.' },
            size: {
              anyOf: [{ type: 'integer', minimum: 0, maximum: 5000 }, { type: 'null' }],
              default: 1,
            },
          },
        },
      },
    },
    paths: {
      '/api/workspaces/{workspace}/commissions': {
        get: operation([{ apiKey: ['read'] }, { session: [] }], {
          parameters: [
            { in: 'query', name: 'kind' },
            { in: 'query', name: 'limit' },
          ],
        }),
        post: operation([{ session: [] }], {
          requestBody: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
        }),
      },
      '/api/workspaces/{workspace}/commissionsome': { get: operation([]) },
    },
  } as unknown as Document
  const written = withTables(
    '<!-- endpoints /commissions -->\n<!-- end -->\n<!-- fields Thing -->\nold\n<!-- end -->\n',
    document,
  )
  expect(written).toBe(`<!-- endpoints /commissions -->
| Endpoint | Use | Access | Parameters |
| --- | --- | --- | --- |
| \`GET /commissions\` | Do it | member, API key (\`read\`) | \`kind\` |
| \`POST /commissions\` | Do it | manager | **\`name\`**, \`size\` |
<!-- end -->
<!-- fields Thing -->
| Field | Type | Default | Description |
| --- | --- | --- | --- |
| \`name\` | string | required | A name. 1 to 9 characters. |
| \`size\` | integer | \`1\` | 0 to 5,000. |
<!-- end -->
`)
})
