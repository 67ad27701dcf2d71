import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTributary, type Sale, TributaryError } from '../../clients/node/src/client.ts'
import { uncheckedFetch } from '../support/contract.ts'

type Answer = { status: number; headers?: Record<string, string>; body?: unknown; cut?: boolean }
type Call = { at: number; method: string; url: string; body: string; headers: IncomingHttpHeaders }

const RECORDED: Answer = { status: 200, body: { eventId: null, attributed: false } }
const SALE: Sale = { externalId: 'inv_1', customerExternalId: 'user_1', amountCents: 2_900 }
const refused = (code: string) => ({
  error: {
    code,
    message: 'No.',
    details: [{ path: 'currency', message: 'Unknown.' }],
    requestId: 'r1',
    docUrl: `https://tributary.example/docs/errors#${code}`,
  },
})

// These responses come from a stand-in for the API. No pauses, but for those that the server asks
// for.
beforeEach(() => {
  vi.stubGlobal('fetch', uncheckedFetch())
  vi.spyOn(Math, 'random').mockReturnValue(0)
})

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
  vi.restoreAllMocks()
})

/** Answers in this order, then always the last one; 0 is a lost connection, -1 silence. */
const start = async (...answers: Answer[]) => {
  const calls: Call[] = []
  const server = createServer(async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('')
    const { method = '', url = '', headers } = request
    calls.push({ at: performance.now(), method, url, body, headers })
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? RECORDED
    if (answer.status === 0) return void request.socket.destroy()
    if (answer.status < 0) return
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {})
    response.writeHead(answer.status, { 'Content-Length': text.length, ...answer.headers })
    if (!answer.cut) return void response.end(text)
    response.write(text.slice(0, -2))
    setTimeout(() => request.socket.destroy(), 20)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const options = { url, apiKey: 'trib_live_test', workspace: 'acme' }
  return { calls, options, tributary: createTributary(options) }
}

const failureOf = (promise: Promise<unknown>): Promise<TributaryError> =>
  promise.then(
    () => expect.unreachable('It did not fail.'),
    (error) => error,
  )

describe('a report', () => {
  test.each<{ case: string; answers: Answer[] }>([
    { case: 'a lost connection', answers: [{ status: 0 }] },
    {
      case: 'a response that ends halfway, after the sale was saved',
      answers: [{ ...RECORDED, cut: true }],
    },
    { case: 'an unavailable database', answers: [{ status: 503, body: refused('try_again') }] },
    {
      case: 'a proxy’s page during a deployment',
      answers: [{ status: 502, body: '<h1>Bad gateway</h1>' }],
    },
    { case: 'several failures', answers: [{ status: 0 }, { status: 500 }, { status: 429 }] },
  ])('is sent again, unchanged, after $case', async ({ answers }) => {
    const { calls, tributary } = await start(...answers, RECORDED)
    const recorded = await tributary.track.sale(SALE)
    expect(recorded).toEqual({ eventId: null, attributed: false, idempotencyMismatch: false })
    expect(calls.map(({ body }) => JSON.parse(body))).toEqual(Array(answers.length + 1).fill(SALE))
    expect(calls[0]).toMatchObject({ method: 'POST', url: '/api/track/sale' })
    expect(calls[0]?.headers.authorization).toBe('Bearer trib_live_test')
  })

  test.each(['lead', 'refund'] as const)('may be a %s', async (kind) => {
    const { calls, tributary } = await start(RECORDED)
    await tributary.track[kind]({ externalId: 'x_1', saleExternalId: 'inv_1' })
    expect(calls[0]?.url).toBe(`/api/track/${kind}`)
  })

  test('says when an earlier one with its id had another body', async () => {
    const { tributary } = await start({ ...RECORDED, headers: { 'Idempotency-Mismatch': 'true' } })
    expect(await tributary.track.sale(SALE)).toMatchObject({ idempotencyMismatch: true })
  })

  test('is not sent again before Retry-After, in seconds or as a date', async () => {
    const soon = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 2_000)
    const { calls, tributary } = await start(
      { status: 429, headers: { 'Retry-After': '1' } },
      { status: 503, headers: { 'Retry-After': soon.toUTCString() } },
      RECORDED,
    )
    await tributary.track.sale(SALE)
    expect((calls[1]?.at ?? 0) - (calls[0]?.at ?? 0)).toBeGreaterThanOrEqual(995)
    expect(Date.now()).toBeGreaterThanOrEqual(soon.getTime() - 5)
  })

  test('fails at once when Retry-After is later than its deadline', async () => {
    const { calls, tributary } = await start({
      status: 503,
      headers: { 'Retry-After': '3600' },
      body: refused('try_again'),
    })
    const error = await failureOf(tributary.track.sale(SALE))
    expect(error).toMatchObject({ code: 'try_again', status: 503, retryable: true, attempts: 1 })
    expect(calls).toHaveLength(1)
  })

  test('that is refused is not sent again, and its error says why', async () => {
    const { calls, tributary } = await start({ status: 400, body: refused('invalid_body') })
    const error = await failureOf(tributary.track.sale(SALE))
    expect(error).toBeInstanceOf(TributaryError)
    expect(error).toMatchObject({
      code: 'invalid_body',
      message: 'No.',
      status: 400,
      requestId: 'r1',
      docUrl: 'https://tributary.example/docs/errors#invalid_body',
      details: [{ path: 'currency', message: 'Unknown.' }],
      retryable: false,
      attempts: 1,
    })
    expect(calls).toHaveLength(1)
  })

  test.each<{ case: string; answer: Answer }>([
    { case: 'a page of another server', answer: { status: 200, body: '<h1>Welcome</h1>' } },
    { case: 'JSON of another server', answer: { status: 200, body: 'null' } },
    {
      case: 'a redirect',
      answer: { status: 302, headers: { Location: 'https://elsewhere.example/' } },
    },
    { case: 'a missing page', answer: { status: 404, body: 'Not found' } },
  ])(
    'to a wrong URL, which answers $case, is an unexpected response, and sent once',
    async ({ answer }) => {
      const { calls, tributary } = await start(answer)
      const error = await failureOf(tributary.track.sale(SALE))
      expect(error).toMatchObject({ code: 'unexpected_response', retryable: false })
      expect(calls).toHaveLength(1)
    },
  )

  test('ends at its deadline, with the reason of the last attempt', async () => {
    vi.mocked(Math.random).mockReturnValue(0.2)
    const { calls, options } = await start({ status: 503, body: refused('try_again') })
    const tributary = createTributary({ ...options, deadlineMs: 2_000 })
    const began = performance.now()
    const error = await failureOf(tributary.track.sale(SALE))
    expect(error).toMatchObject({
      code: 'deadline_exceeded',
      status: 503,
      requestId: 'r1',
      retryable: true,
    })
    expect(error.attempts).toBe(calls.length)
    expect(calls.length).toBeGreaterThan(1)
    expect(performance.now() - began).toBeLessThan(20_000)
  })

  test('to a server that never answers ends at its deadline', async () => {
    const { tributary } = await start({ status: -1 })
    const error = await failureOf(tributary.track.sale(SALE, { deadlineMs: 100 }))
    expect(error).toMatchObject({ code: 'deadline_exceeded', status: undefined, retryable: true })
    expect(error.message).toContain('timed out')
  })

  test.each([
    { case: 'while it waits for a response', answer: { status: -1 } },
    { case: 'between attempts', answer: { status: 503, headers: { 'Retry-After': '20' } } },
  ])('can be cancelled $case', async ({ answer }) => {
    const { calls, tributary } = await start(answer)
    const cancel = new AbortController()
    const failure = failureOf(tributary.track.sale(SALE, { signal: cancel.signal }))
    await expect.poll(() => calls.length).toBe(1)
    cancel.abort(new Error('The shop closes.'))
    expect((await failure).message).toBe('The shop closes.')
    expect(calls).toHaveLength(1)
  })

  test('that is cancelled before it begins is never sent', async () => {
    const { calls, tributary } = await start(RECORDED)
    await expect(tributary.track.sale(SALE, { signal: AbortSignal.abort() })).rejects.toThrow()
    expect(calls).toHaveLength(0)
  })
})

describe('the rest of the API', () => {
  test('is read below the workspace, and again after a failure', async () => {
    const { calls, tributary } = await start({ status: 503 }, { status: 200, body: { data: [] } })
    const { data } = await tributary.api.GET('/partners', { params: { query: { limit: 10 } } })
    expect(data?.data).toEqual([])
    expect(calls.map(({ url }) => url)).toEqual(
      Array(2).fill('/api/workspaces/acme/partners?limit=10'),
    )
    expect(calls[0]?.headers.authorization).toBe('Bearer trib_live_test')
  })

  test('creates one when the first response is lost, because each repeat has the key of the first request', async () => {
    const { calls, tributary } = await start({ status: 503 }, { status: 201, body: { id: 'g_1' } })
    const { data } = await tributary.api.POST('/programs/{id}/groups', {
      params: { path: { id: 'p_1' } },
      body: { name: 'Gold' },
    })
    expect(data?.id).toBe('g_1')
    const keys = calls.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]])
    expect(calls[1]?.body).toEqual(calls[0]?.body)

    await tributary.api.POST('/programs/{id}/groups', {
      params: { path: { id: 'p_1' } },
      body: { name: 'Gold' },
    })
    expect(calls[2]?.headers['idempotency-key']).not.toBe(keys[0])
  })

  test('is created with the caller’s own key, if it passes one', async () => {
    const { calls, tributary } = await start({ status: 503 }, { status: 201 })
    await tributary.api.POST('/programs/{id}/groups', {
      params: { path: { id: 'p_1' } },
      headers: { 'Idempotency-Key': 'job_1' },
      body: { name: 'Gold' },
    })
    expect(calls.map(({ headers }) => headers['idempotency-key'])).toEqual(['job_1', 'job_1'])
  })

  test('is changed again after a failure, because that sets the same fields', async () => {
    const { calls, tributary } = await start({ status: 503 }, { status: 200 })
    await tributary.api.PATCH('/partners/{id}', { params: { path: { id: 'p_1' } }, body: {} })
    expect(calls).toHaveLength(2)
    expect(calls[0]?.headers).not.toHaveProperty('idempotency-key')
  })

  test('is removed once, because a repeat would find nothing', async () => {
    const { calls, tributary } = await start({ status: 503, body: refused('try_again') })
    const { error, response } = await tributary.api.DELETE('/partners/{id}/coupons/{couponId}', {
      params: { path: { id: 'p_1', couponId: 'c_1' } },
    })
    expect(error?.error.code).toBe('try_again')
    expect(response.status).toBe(503)
    expect(calls).toHaveLength(1)
  })

  test('returns a refusal instead of throwing', async () => {
    const { tributary } = await start({ status: 404, body: refused('not_found') })
    const { data, error } = await tributary.api.GET('/events/{id}', {
      params: { path: { id: 'e_1' } },
    })
    expect(data).toBeUndefined()
    expect(error?.error.code).toBe('not_found')
  })
})

test.each([
  { case: 'a URL that sends the key in the clear', more: { url: 'http://track.example.com' } },
  { case: 'a key with a line break, as from a file', more: { apiKey: 'trib_live_x\ny' } },
  { case: 'no URL', more: { url: '' } },
])('$case is an error when the client is made', ({ more }) => {
  expect(() => createTributary({ url: 'https://track.example.com', apiKey: 'k', ...more })).toThrow(
    TypeError,
  )
})
