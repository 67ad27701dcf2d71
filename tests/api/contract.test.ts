import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { createSchema } from 'zod-openapi'
import { openapi } from '../../api/openapi.ts'
import { listen } from '../../dev/runtime/ports.ts'
import { operations, takeViolations, violationOf } from '../support/contract.ts'

test('the check knows each response of the document, by the schema that the document is built from', () => {
  const document = JSON.parse(JSON.stringify(openapi()))
  const inDocument = Object.entries<object>(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { responses }]) => [
      `${method.toUpperCase()} ${path}`,
      Object.fromEntries(
        Object.entries<{ content?: Record<string, { schema: object }> }>(responses).map(
          ([status, { content = {} }]) => [status, Object.values(content)[0]?.schema ?? null],
        ),
      ),
    ]),
  )
  const inCheck = operations.map(({ name, responses }) => [
    name,
    Object.fromEntries(
      Object.entries(responses).map(([status, { schema }]) => [
        status,
        schema && createSchema(schema).schema,
      ]),
    ),
  ])
  expect(JSON.parse(JSON.stringify(Object.fromEntries(inCheck)))).toEqual(
    Object.fromEntries(inDocument),
  )
  expect(inCheck.length).toBeGreaterThan(40)
})

const CLICK = { clickId: 'clk_1', expiresAt: '2026-11-22T00:00:00.000Z', maxAge: 60 }
const error = (code: string) => ({
  error: {
    code,
    message: 'No.',
    requestId: '1',
    docUrl: `https://tributary.example/docs/errors#${code}`,
  },
})
const JSON_TYPE = 'application/json'

test.each([
  { case: 'a documented response', body: CLICK, says: null },
  { case: 'a documented error', status: 404, body: error('partner_not_found'), says: null },
  {
    case: 'an undocumented path',
    path: '/api/auth/get-session',
    status: 418,
    body: {},
    says: null,
  },
  {
    case: 'an empty 204',
    method: 'DELETE',
    path: '/api/workspaces/a/api-keys/1',
    status: 204,
    says: null,
  },
  { case: 'a field too many', body: { ...CLICK, slug: 'ann' }, says: 'Unrecognized key: "slug"' },
  { case: 'a missing field', body: { clickId: 'clk_1', maxAge: 60 }, says: 'expiresAt' },
  {
    case: 'a date in another format',
    body: { ...CLICK, expiresAt: '22 Nov 2026' },
    says: 'expiresAt',
  },
  {
    case: 'a status that is not listed',
    status: 201,
    body: CLICK,
    says: 'does not list this status',
  },
  {
    case: 'a code that is not listed',
    status: 404,
    body: error('not_found'),
    says: 'code not_found',
  },
  {
    case: 'another media type',
    contentType: 'text/html',
    body: CLICK,
    says: 'text/html instead of',
  },
  { case: 'no media type', contentType: null, body: CLICK, says: 'null instead of' },
  { case: 'a body that is not JSON', body: 'One moment, please', says: 'not JSON' },
  {
    case: 'a 204 with a body',
    method: 'DELETE',
    path: '/api/workspaces/a/api-keys/1',
    status: 204,
    body: {},
    says: 'must be empty',
  },
])(
  '$case',
  ({
    method = 'POST',
    path = '/api/track/click',
    status = 200,
    contentType = JSON_TYPE,
    body,
    says,
  }) => {
    const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
    const violation = violationOf(method, path, { status, contentType, body: text })
    if (says === null) expect(violation).toBeNull()
    else expect(violation).toContain(says)
  },
)

test('fetch rejects a response that the document does not allow, and leaves others readable', async () => {
  const server = createServer((incoming, outgoing) => {
    outgoing.writeHead(200, { 'Content-Type': JSON_TYPE })
    outgoing.end(JSON.stringify(incoming.url?.endsWith('?good') ? CLICK : { id: 'clk_1' }))
  })
  const { url, stop } = await listen(server)
  try {
    const good = await fetch(`${url}/api/track/click?good`, { method: 'POST' })
    expect(await good.json()).toEqual(CLICK)
    await expect(fetch(new Request(`${url}/api/track/click`, { method: 'POST' }))).rejects.toThrow(
      'clickId',
    )
    expect(takeViolations()).toEqual([
      expect.stringContaining('POST /api/track/click answered 200'),
    ])
  } finally {
    await stop()
  }
})
