// @module-tag sampled
/** Guessing API keys and sign-in links: each guess used to read the database. */
import { describe, expect, inject, test } from 'vitest'
import trackSale from '../../functions/track/track-sale.ts'
import { createApiKey } from '../../lib/auth/keys/api-keys.ts'
import { randomBase62 } from '../../lib/db/ids.ts'
import { createMerchant, errorShape, send } from '../support/merchant.ts'
import { askForLink, fromSomewhere, press, somebody } from '../support/people.ts'
import { timesOver } from '../support/thorough.ts'

const url = (path: string) => `${inject('baseUrl')}${path}`

/** Of 600 guesses, those that reach the database: the others are 429. */
const GUESSES = 600
const MAX_READS = 30

const sale = () => ({
  externalId: crypto.randomUUID(),
  customerExternalId: 'user_1',
  amountCents: 100,
})
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

const guess = async (
  path: string,
  from: Record<string, string>,
  concurrent: number,
): Promise<number[]> => {
  const statuses: number[] = []
  const next = async (): Promise<void> => {
    while (statuses.length < GUESSES) {
      const at = statuses.push(0) - 1
      const headers = { ...from, ...bearer((await createApiKey({ mode: 'live' })).key) }
      statuses[at] = (
        await send(
          url(path),
          path.includes('/workspaces/') ? { headers } : { body: sale(), headers },
        )
      ).status
    }
  }
  await Promise.all(Array.from({ length: concurrent }, next))
  return statuses
}

describe('600 forged keys', () => {
  const all = [
    { at: '/api/track/sale', concurrent: 100 },
    { at: '/mcp', concurrent: 10 },
    { at: '/api/track/sale', concurrent: 1 },
    { at: '/api/track/lead', concurrent: 10 },
    { at: '/api/workspaces/acme/events', concurrent: 10 },
  ]
  test.each(all.slice(0, timesOver({ quick: 2, thorough: all.length, exhaustive: all.length })))(
    'at $at, $concurrent at a time, make 30 reads at most',
    async ({ at, concurrent }) => {
      const statuses = await guess(at, fromSomewhere(), concurrent)
      // A run on a busy machine may last into the next period.
      const periods = 3
      expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(
        MAX_READS * periods,
      )
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(
        GUESSES - MAX_READS * periods,
      )
    },
  )

  test('from one IPv6 network count together', async () => {
    const network = `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}:1`
    const statuses: number[] = []
    for (let n = 0; n < 60; n++) {
      const headers = {
        'CF-Connecting-IP': `${network}::${n.toString(16)}`,
        ...bearer((await createApiKey({ mode: 'live' })).key),
      }
      statuses.push((await send(url('/api/track/sale'), { body: sale(), headers })).status)
    }
    expect(statuses).toContain(429)
  })

  test('lock out neither the merchant behind the same address nor anybody elsewhere', async () => {
    const merchant = await createMerchant()
    const here = fromSomewhere()
    const report = (from: Record<string, string>) =>
      send(url('/api/track/sale'), {
        body: sale(),
        headers: { ...from, ...bearer(merchant.apiKey) },
      })
    expect((await report(here)).status).toBe(200)
    const statuses = await guess('/api/track/sale', here, 20)
    expect(statuses).toContain(429)
    expect((await report(here)).status).toBe(200)
    expect((await report(fromSomewhere())).status).toBe(200)
  })

  test('are refused before the database, with the time to wait', async () => {
    const env = {
      // There is no such database, so a call that asked it would be 503.
      DATABASE_URL: 'postgresql://nobody@nowhere.invalid/nothing',
      RATE_LIMIT: { limit: async () => ({ success: true }) },
      // What the other isolates of the data center have counted.
      FAILURE_LIMIT: { limit: async () => ({ success: false }) },
    }
    const here = fromSomewhere()
    const ask = async (DATABASE_URL: string) =>
      trackSale.request(
        '/api/track/sale',
        {
          method: 'POST',
          headers: {
            ...here,
            ...bearer((await createApiKey({ mode: 'live' })).key),
            'Content-Type': 'application/json',
          },
          body: JSON.stringify(sale()),
        },
        { ...env, ...inject('database'), DATABASE_URL },
      )
    expect((await ask(inject('database').DATABASE_URL)).status).toBe(401)
    const refused = await ask(env.DATABASE_URL)
    expect({ status: refused.status, wait: refused.headers.get('Retry-After') }).toEqual({
      status: 429,
      wait: '10',
    })
    expect(await refused.json()).toEqual(errorShape('rate_limited'))
  })
})

describe('forged sign-in links', () => {
  test('are limited too, and the owner’s link works elsewhere', async () => {
    const here = fromSomewhere()
    const link = await askForLink(somebody())
    const statuses: number[] = []
    for (let n = 0; n < 100; n++) {
      const forged = url(`/auth/confirm?token=${randomBase62(32)}`)
      statuses.push((await fetch(forged, { headers: here })).status)
    }
    expect(statuses.filter((status) => status === 400).length).toBeLessThanOrEqual(MAX_READS * 2)
    expect(statuses).toContain(429)
    expect((await press(link)).status).toBe(303)
  })
})
