import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Hono } from 'hono'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import {
  type RequestLike,
  readClickId,
  verifyWebhook,
  type WebhookMessage,
} from '../../clients/node/src/client.ts'

describe('the click id', () => {
  const cookie = 'theme=dark; tributary_click=clk_1a_B; other=1'
  const request = new Request('https://shop.example/', { headers: { cookie } })
  const fromNode = { headers: { host: 'shop.example', cookie } } as unknown as IncomingMessage

  test.each<{ case: string; request: RequestLike }>([
    { case: 'Workers, Next’s route handlers, Bun and Deno', request },
    { case: 'Node’s http, Express and Fastify', request: fromNode },
    { case: 'Next’s headers()', request: request.headers },
    {
      case: 'Next’s cookies()',
      request: {
        get: (name: string) =>
          name === 'tributary_click' ? { name, value: 'clk_1a_B' } : undefined,
      },
    },
    { case: 'Next’s old pages', request: { req: fromNode } },
    { case: 'HTTP/2’s split cookies', request: { headers: { cookie: cookie.split('; ') } } },
  ])('is read from a request of $case', ({ request }) => {
    expect(readClickId(request)).toBe('clk_1a_B')
  })

  test('is read from Hono’s context and request', async () => {
    const app = new Hono().get('/', (c) => c.json([readClickId(c), readClickId(c.req)]))
    expect(await (await app.request(request)).json()).toEqual(['clk_1a_B', 'clk_1a_B'])
  })

  test.each<{ case: string; cookie: string | undefined; id?: string }>([
    { case: 'no cookie', cookie: undefined },
    { case: 'an empty one', cookie: 'tributary_click=' },
    { case: 'an id with another prefix', cookie: 'tributary_click=abc' },
    { case: 'an id with markup', cookie: 'tributary_click=clk_<script>' },
    { case: 'an escaped id', cookie: 'tributary_click=clk_%31' },
    {
      case: 'a malformed escape in another cookie',
      cookie: 'a=%E0%A4%A; tributary_click=clk_1',
      id: 'clk_1',
    },
    { case: 'a name that only ends like ours', cookie: 'xtributary_click=clk_1' },
    { case: 'a value that only begins like an id', cookie: 'tributary_click=clk_1 x' },
    { case: 'ours inside of another value', cookie: 'a=tributary_click=clk_1' },
    { case: 'an id that is too long', cookie: `tributary_click=clk_${'a'.repeat(197)}` },
    { case: 'a line break', cookie: 'tributary_click=clk_1\r\nX: 1' },
    {
      case: 'a broken one before a good one',
      cookie: 'tributary_click=?; tributary_click=clk_2',
      id: 'clk_2',
    },
    {
      case: 'two, of two domains',
      cookie: 'tributary_click=clk_1; tributary_click=clk_2',
      id: 'clk_1',
    },
    {
      case: 'a megabyte of separators',
      cookie: `${'; '.repeat(500_000)}tributary_click=clk_1`,
      id: 'clk_1',
    },
    { case: 'a cookie named like a property', cookie: '__proto__=1; constructor=2' },
  ])('of a request with $case is $id', ({ cookie, id }) => {
    const began = performance.now()
    expect(readClickId({ headers: { cookie } })).toBe(id)
    expect(performance.now() - began).toBeLessThan(1_000)
  })
})

describe('a webhook', () => {
  // The vector of the Standard Webhooks libraries.
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
  const seconds = 1_614_265_330
  const body = '{"test": 2432232314}'
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signature,
  }
  const now = new Date(seconds * 1_000)
  const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
  const sign = (text: string, key = secret): string =>
    `v1,${createHmac('sha256', Buffer.from(key.slice(6), 'base64'))
      .update(`${id}.${seconds}.${text}`)
      .digest('base64')}`

  test.each<{ case: string; message: WebhookMessage; secrets?: string | string[]; at?: number }>([
    { case: 'the vector of the specification', message: { headers, body } },
    { case: 'a body of bytes', message: { headers, body: Buffer.from(body) } },
    {
      case: 'a request',
      message: new Request('https://a.example', { method: 'POST', headers, body }),
    },
    { case: 'Headers and a body', message: { headers: new Headers(headers), body } },
    {
      case: 'a second signature, while Tributary rotates the secret',
      message: {
        headers: { ...headers, 'webhook-signature': `${sign(body, other)} ${signature}` },
        body,
      },
    },
    {
      case: 'signatures of unknown versions beside ours',
      message: { headers: { ...headers, 'webhook-signature': `v1a,zz v2,?? ${signature}` }, body },
    },
    {
      case: 'an old secret beside the new one',
      message: { headers, body },
      secrets: [other, secret],
    },
    { case: 'a secret without its prefix', message: { headers, body }, secrets: secret.slice(6) },
    { case: 'a clock that is 5 minutes late', message: { headers, body }, at: -300 },
    { case: 'a clock that is 5 minutes early', message: { headers, body }, at: 300 },
  ])('with $case is accepted', async ({ message, secrets = secret, at = 0 }) => {
    const event = await verifyWebhook(message, secrets, {
      now: new Date(now.getTime() + at * 1_000),
    })
    expect(event).toEqual({ test: 2432232314 })
  })

  test('signed by the library that Tributary signs with is accepted', async () => {
    const sent = new Date()
    const payload = JSON.stringify({
      type: 'sale.created',
      timestamp: sent.toISOString(),
      data: { name: 'Zoë' },
    })
    const signed = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sent.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(id, sent, payload),
    }
    expect(await verifyWebhook({ headers: signed, body: payload }, secret)).toEqual(
      JSON.parse(payload),
    )
  })

  const changed = (more: Record<string, string | undefined>): WebhookMessage => ({
    headers: { ...headers, ...more },
    body,
  })
  test.each<{ case: string; message: WebhookMessage; secrets?: string; at?: number; code: string }>(
    [
      { case: 'another body', message: { headers, body: `${body} ` }, code: 'invalid_signature' },
      {
        case: 'another id',
        message: changed({ 'webhook-id': 'msg_2' }),
        code: 'invalid_signature',
      },
      {
        case: 'another time',
        message: changed({ 'webhook-timestamp': String(seconds + 1) }),
        code: 'invalid_signature',
      },
      {
        case: 'another endpoint’s secret',
        message: changed({}),
        secrets: other,
        code: 'invalid_signature',
      },
      {
        case: 'a cut signature',
        message: changed({ 'webhook-signature': signature.slice(0, -5) }),
        code: 'invalid_signature',
      },
      {
        case: 'a signature that is not base64',
        message: changed({ 'webhook-signature': 'v1,<>' }),
        code: 'invalid_signature',
      },
      {
        case: 'an empty signature',
        message: changed({ 'webhook-signature': 'v1,' }),
        code: 'invalid_signature',
      },
      {
        case: 'no signature',
        message: changed({ 'webhook-signature': undefined }),
        code: 'missing_headers',
      },
      { case: 'no id', message: changed({ 'webhook-id': undefined }), code: 'missing_headers' },
      {
        case: 'a replay after 5 minutes',
        message: changed({}),
        at: 301,
        code: 'timestamp_out_of_range',
      },
      {
        case: 'a time in the future',
        message: changed({}),
        at: -301,
        code: 'timestamp_out_of_range',
      },
      {
        case: 'a time that is no number',
        message: changed({ 'webhook-timestamp': 'NaN' }),
        code: 'timestamp_out_of_range',
      },
      {
        case: 'a signed body that is not JSON',
        message: { headers: { ...headers, 'webhook-signature': sign('hello') }, body: 'hello' },
        code: 'invalid_body',
      },
    ],
  )('with $case is refused', async ({ message, secrets = secret, at = 0, code }) => {
    const verified = verifyWebhook(message, secrets, { now: new Date(now.getTime() + at * 1_000) })
    await expect(verified).rejects.toMatchObject({ name: 'WebhookVerificationError', code })
  })

  test.each([
    { case: 'a body that a framework has parsed', body: { test: 1 }, secrets: secret },
    { case: 'an empty secret, as of a missing variable', body, secrets: '' },
    { case: 'no secret', body, secrets: [] },
  ])('with $case is an error of the integration, not of the sender', async ({ body, secrets }) => {
    await expect(
      verifyWebhook({ headers, body: body as string }, secrets, { now }),
    ).rejects.toBeInstanceOf(TypeError)
  })
})
