import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createShop } from '../../../dev/demo/shop/app.ts'
import { createTributary, type Sale } from '../../../dev/demo/shop/tributary.ts'
import { uncheckedFetch } from '../../support/contract.ts'

describe('the merchant’s reports', () => {
  type Call = { at: number; body: string; headers: IncomingHttpHeaders }
  type Answer = { status: number; retryAfter?: number; body?: object }
  const RECORDED: Answer = { status: 200, body: { eventId: null, attributed: false } }

  // These responses come from a stand-in for the API.
  beforeEach(() => void vi.stubGlobal('fetch', uncheckedFetch()))

  const closers: (() => void)[] = []
  afterEach(() => {
    for (const close of closers.splice(0)) close()
    vi.restoreAllMocks()
  })

  /** A Tributary that gives these responses in order, then the last one again; 0 is a lost connection. */
  const startTributary = async (answers: Answer[]) => {
    const calls: Call[] = []
    const server = createServer(async (request, response) => {
      const body = (await request.setEncoding('utf8').toArray()).join('')
      calls.push({ at: Date.now(), body, headers: request.headers })
      const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? RECORDED
      if (answer.status === 0) return void request.socket.destroy()
      response.writeHead(answer.status, answer.retryAfter ? { 'Retry-After': answer.retryAfter } : {})
      response.end(JSON.stringify(answer.body ?? {}))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return { url, calls, tributary: createTributary({ url, apiKey: 'trib_live_test' }) }
  }

  const sale = (externalId: string): Sale => ({
    externalId,
    customerExternalId: 'user_1',
    amountCents: 2_900,
    currency: 'USD',
    eventName: 'subscription',
    metadata: {},
  })

  test('a report is retried unchanged after a lost connection and a 503', async () => {
    const { calls, tributary } = await startTributary([{ status: 0 }, { status: 503 }, RECORDED])
    const { outcome } = tributary.reportSale(sale('inv_1'))

    expect(await outcome).toEqual({ state: 'recorded', status: 200, answer: RECORDED.body })
    expect(calls.map(({ body }) => JSON.parse(body))).toEqual([sale('inv_1'), sale('inv_1'), sale('inv_1')])
    expect(calls[0]?.headers.authorization).toBe('Bearer trib_live_test')
  })

  test('a retry waits for Retry-After', async () => {
    const { calls, tributary } = await startTributary([{ status: 429, retryAfter: 1 }, RECORDED])
    expect(await tributary.reportSale(sale('inv_1')).outcome).toMatchObject({ state: 'recorded' })
    const [first, second] = calls
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990)
  })

  test('a refused report is logged, and never sent again', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const { calls, tributary } = await startTributary([{ status: 400, body: { error: 'no' } }])
    const { outcome } = tributary.reportSale(sale('inv_1'))
    expect(await outcome).toEqual({ state: 'refused', status: 400, problem: '{"error":"no"}' })
    expect(calls).toHaveLength(1)
    expect(log).toHaveBeenCalledWith('Tributary refused the sale inv_1: 400 {"error":"no"}')
  })

  test('undelivered reports are queued, and sent after the next success', async () => {
    const outage = { status: 503, retryAfter: 3_600 }
    const { calls, tributary } = await startTributary([outage, outage, RECORDED])
    const kept = [tributary.reportSale(sale('inv_1')), tributary.reportSale(sale('inv_2'))]
    for (const { outcome } of kept) {
      expect(await outcome).toEqual({ state: 'kept', reason: 'Tributary answered 503.' })
    }

    await tributary.reportSale(sale('inv_3')).outcome
    await vi.waitFor(async () => {
      for (const { outcome } of kept) expect(await outcome).toMatchObject({ state: 'recorded' })
    })
    const sent = calls.map(({ body }) => (JSON.parse(body) as Sale).externalId)
    expect(sent.toSorted()).toEqual(['inv_1', 'inv_1', 'inv_2', 'inv_2', 'inv_3'])
  })

  test('while Tributary is down, customers are served and see the state of the report', async () => {
    const shop = createShop({
      tributaryUrl: (await startTributary([{ status: 503, retryAfter: 3_600 }])).url,
      workspace: 'pine-notes',
      programId: '',
      apiKey: 'trib_live_test',
      partnerSlug: 'maya',
      stripeUrl: 'http://127.0.0.1:1',
      promotionCode: 'MAYA10',
    })
    const signUp = await shop.request('/sign-up', {
      method: 'POST',
      headers: { Origin: 'http://localhost' },
      body: new URLSearchParams({ name: 'Ada', email: 'ada@example.com', tributary_click: '' }),
    })
    expect(signUp.status).toBe(303)
    const Cookie = signUp.headers.get('Set-Cookie')?.split(';')[0] ?? ''
    const account = await (await shop.request('/account', { headers: { Cookie } })).text()
    expect(account).toContain('Welcome, Ada.')
    expect(account).toContain('Tributary answered 503. The shop keeps the report')
  })
})
