import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Sale } from '../../../clients/node/src/client.ts'
import { createShop } from '../../../dev/demo/shop/app.ts'
import { createTributary } from '../../../dev/demo/shop/tributary.ts'
import { startStripe } from '../../../dev/fakes/stripe.ts'
import { uncheckedFetch } from '../../support/contract.ts'

describe('the merchant’s reports', () => {
  type Call = { at: number; url: string; body: string; headers: IncomingHttpHeaders }
  type Answer = { status: number; retryAfter?: number; body?: object }
  const RECORDED: Answer = { status: 200, body: { eventId: null, attributed: false } }

  // These responses come from a stand-in for the API.
  beforeEach(() => void vi.stubGlobal('fetch', uncheckedFetch()))

  const closers: (() => void)[] = []
  afterEach(() => {
    for (const close of closers.splice(0)) close()
    vi.restoreAllMocks()
  })

  /**
   * A Tributary that gives these responses in order, then the last one again; 0 is a lost
   * connection.
   */
  const startTributary = async (answers: Answer[]) => {
    const calls: Call[] = []
    const server = createServer(async (request, response) => {
      const body = (await request.setEncoding('utf8').toArray()).join('')
      calls.push({ at: Date.now(), url: request.url ?? '', body, headers: request.headers })
      const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? RECORDED
      if (answer.status === 0) return void request.socket.destroy()
      response.writeHead(
        answer.status,
        answer.retryAfter ? { 'Retry-After': answer.retryAfter } : {},
      )
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
    expect(calls.map(({ body }) => JSON.parse(body))).toEqual([
      sale('inv_1'),
      sale('inv_1'),
      sale('inv_1'),
    ])
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
    }, 60_000)
    const sent = calls.map(({ body }) => (JSON.parse(body) as Sale).externalId)
    expect(sent.toSorted()).toEqual(['inv_1', 'inv_1', 'inv_2', 'inv_2', 'inv_3'])
  })

  /** A shop, as its pages' forms and links see it, signed in once it sets the cookie. */
  const visit = (tributaryUrl: string, stripeUrl = 'http://127.0.0.1:1') => {
    const shop = createShop({
      tributaryUrl,
      workspace: 'pine-notes',
      programId: '',
      apiKey: 'trib_live_test',
      partnerSlug: 'maya',
      managerEmail: 'ada@pine-notes.example',
      stripeUrl,
      promotionCode: 'MAYA10',
    })
    let cookie = ''
    const ask = async (path: string, init: RequestInit = {}) => {
      const answer = await shop.request(path, {
        ...init,
        headers: { Origin: 'http://localhost', cookie },
      })
      cookie = answer.headers.get('Set-Cookie')?.split(';')[0] ?? cookie
      return answer
    }
    return {
      get: ask,
      post: (path: string, fields: Record<string, string>) =>
        ask(path, { method: 'POST', body: new URLSearchParams(fields) }),
    }
  }

  test('a customer’s id is the same in the lead and at Stripe, and Stripe’s ids are in no call of the API', async () => {
    const answer = { eventId: null, attributed: false, data: [] }
    const { url, calls } = await startTributary([{ status: 200, body: answer }])
    const stripe = await startStripe()
    closers.push(() => void stripe.stop())
    const { get, post } = visit(url, stripe.url)

    await post('/sign-up', { name: 'Ada', email: 'ada@example.com', tributary_click: 'clk_1' })
    const page = (await post('/stripe/checkout', { plan: 'grove' })).headers.get('Location') ?? ''
    const session = stripe.pay(page.split('/').at(-1) ?? '', { email: 'ada@example.com' })
    const receipt =
      (await get(`/stripe/thanks?session=${session.id}`)).headers.get('Location') ?? ''
    expect(receipt).toBe(`/receipts/${session.invoice}`)
    const invoice =
      /name="invoice" value="([^"]+)"/.exec(await (await get('/account')).text())?.[1] ?? ''
    await post('/renew', { invoice })

    const lead = {
      externalId: session.metadata?.customerExternalId,
      customerEmail: 'ada@example.com',
      clickId: 'clk_1',
    }
    const reports = calls.filter(({ body }) => body)
    expect(reports.map(({ body }) => JSON.parse(body))).toEqual([expect.objectContaining(lead)])
    expect(lead.externalId).toMatch(/^user_\d{10}$/)
    expect(stripe.events().filter(({ type }) => type === 'invoice.paid')).toHaveLength(2)
    const said = calls.map(({ url, body }) => url + body).join()
    expect(said).not.toMatch(/\b(cus|cs|in|pi|ch|sub)_/)
  })

  test('while Tributary is down, customers are served and see the state of the report', async () => {
    const { get, post } = visit((await startTributary([{ status: 503, retryAfter: 3_600 }])).url)
    const fields = { name: 'Ada', email: 'ada@example.com', tributary_click: '' }
    expect((await post('/sign-up', fields)).status).toBe(303)
    const account = await (await get('/account')).text()
    expect(account).toContain('Welcome, Ada.')
    expect(account).toContain('Tributary answered 503. The shop keeps the report')
  })
})
