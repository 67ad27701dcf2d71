import { HTTPException } from 'hono/http-exception'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createApp } from '../../lib/http/app.ts'
import { body, query } from '../../lib/http/validate.ts'

const Body = z.object({ name: z.string().transform((name) => name.toUpperCase()) })
const ENV = { DATABASE_URL: 'postgresql://nobody:secret@nowhere.invalid/nothing' }

const app = createApp()
  .post('/json', body(Body), (c) => c.json(c.req.valid('json')))
  .post('/text', body(Body, { plainText: true }), (c) => c.json(c.req.valid('json')))
  .post('/teapot', body(Body), () => {
    throw new HTTPException(418)
  })
  .get('/query', query(z.object({ limit: z.coerce.number().default(50) })), (c) =>
    c.json(c.req.valid('query')),
  )

const post = async (path: string, type: string, content: string | Uint8Array<ArrayBuffer>) => {
  const response = await app.request(
    path,
    { method: 'POST', headers: { 'Content-Type': type }, body: content },
    ENV,
  )
  return { status: response.status, body: await response.json() }
}

const JSON_BODY = '{"name": "Zoë"}'
const utf8 = (text: string) => new TextEncoder().encode(text)

describe('a body is read', () => {
  test.each([
    { case: 'as JSON', path: '/json', type: 'application/json', content: JSON_BODY },
    {
      case: 'with a charset',
      path: '/json',
      type: 'Application/JSON; charset=utf-8',
      content: JSON_BODY,
    },
    {
      case: 'as UTF-8 whatever its charset',
      path: '/json',
      type: 'application/json; charset=utf-16',
      content: JSON_BODY,
    },
    {
      case: 'with a byte order mark',
      path: '/json',
      type: 'application/json',
      content: utf8(`\ufeff${JSON_BODY}`),
    },
    {
      case: 'as text, where that is allowed',
      path: '/text',
      type: 'text/plain;charset=UTF-8',
      content: JSON_BODY,
    },
  ])('$case', async ({ path, type, content }) => {
    expect(await post(path, type, content)).toEqual({ status: 200, body: { name: 'ZOË' } })
  })
})

describe('a body is refused', () => {
  test.each([
    'text/plain',
    'application/ld+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    '',
  ])('with 415 as %j', async (type) => {
    expect(await post('/json', type, JSON_BODY)).toMatchObject({
      status: 415,
      body: { error: { code: 'unsupported_media_type' } },
    })
  })

  const NOT_JSON = 'The body is not JSON in UTF-8.'
  test.each([
    { case: 'an empty one', content: '', details: [{ path: '', message: NOT_JSON }] },
    { case: 'malformed JSON', content: '{"name": ', details: [{ path: '', message: NOT_JSON }] },
    {
      case: 'a string with a byte that is not UTF-8',
      content: new Uint8Array([...utf8('{"name": "'), 0xff, ...utf8('"}')]),
      details: [{ path: '', message: NOT_JSON }],
    },
    { case: 'one that the schema refuses', content: '{"name": 1}', details: [{ path: 'name' }] },
    { case: 'one with a NUL', content: '{"name": "\\u0000"}', details: [{ path: 'name' }] },
  ])('with 400: $case', async ({ content, details }) => {
    for (const [path, type] of [
      ['/json', 'application/json'],
      ['/text', 'text/plain'],
    ] as const)
      expect(await post(path, type, content)).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_body', details } },
      })
  })

  test('but an exception of the handler is not mistaken for an invalid body', async () => {
    expect(await post('/teapot', 'application/json', JSON_BODY)).toMatchObject({
      status: 500,
      body: { error: { code: 'internal' } },
    })
  })
})

test.each([
  { query: '', limit: 50 },
  { query: '?limit=10', limit: 10 },
  { query: '?limit=10&limit=20', limit: 10 },
  { query: '?limit=10&limit=x', limit: 10 },
])('of a repeated query parameter the first value counts: $query', async ({ query, limit }) => {
  const response = await app.request(`/query${query}`, {}, ENV)
  expect(await response.json()).toEqual({ limit })
})
