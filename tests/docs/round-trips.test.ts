// @module-tag thorough
/** The round trips that docs/scale.md multiplies by the distance to the database. */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { ROOT } from '../../dev/root.ts'
import type { Workers } from '../../dev/runtime/workers.ts'
import { browse } from '../support/pages.ts'
import { createPartner, type Partner } from '../support/portal.ts'
import { startSqlProxy } from '../support/sql-proxy.ts'
import { startOwnWorkers } from '../support/workers.ts'

/** Longer than requests that are sent together arrive apart. */
const TRIP_MS = 30

/** Written after the response. */
const BACKGROUND = /note_key_use/

let trips = 0
let underway = 0
let proxy: Awaited<ReturnType<typeof startSqlProxy>>
let workers: Workers

beforeAll(async () => {
  proxy = await startSqlProxy(inject('database').SQL_ENDPOINT, async ({ body, outgoing, ask }) => {
    const isWaitedFor = !BACKGROUND.test(body)
    // What is sent together takes the time of one.
    if (isWaitedFor && underway++ === 0) trips++
    try {
      const answer = await ask()
      if (isWaitedFor) await pause(TRIP_MS)
      outgoing.writeHead(answer.status).end(answer.body)
    } finally {
      if (isWaitedFor) underway--
    }
  })
  const envs = [
    'auth',
    'dashboard',
    'import-partners',
    'manage',
    'portal',
    'stripe-webhook',
    'track-click',
    'track-sale',
  ]
  workers = await startOwnWorkers(envs, { SQL_ENDPOINT: proxy.url })
})
afterAll(async () => {
  await workers.stop()
  await proxy.stop()
})

/** The table's column of round trips, by the call of its row. */
const documented = (): Map<string, number> => {
  const [, section = ''] = readFileSync(`${ROOT}docs/scale.md`, 'utf8').split(
    '## What distance costs',
  )
  return new Map(
    [...section.matchAll(/^\| ([^|]+) \| (\d+) \|/gm)].map(([, call = '', count]) => [
      call,
      Number(count),
    ]),
  )
}

const calls = async ({
  merchant,
  cookie,
}: Partner): Promise<Record<string, () => Promise<{ status: number }>>> => {
  const { slug } = merchant.workspace
  const managers = browse(await merchant.manager(), workers.url.origin)
  const manager = await merchant.asManager()
  const partner = browse(await cookie(), workers.url.origin, '/portal')
  const clickId = await merchant.click()
  const rows = [{ email: `new@${slug}.example` }]
  return {
    'a click': async () => ({ status: (await merchant.click()) ? 200 : 0 }),
    'a sale': () => merchant.sale({ clickId }),
    'the same sale again': () => merchant.sale({ clickId }),
    'an event, with an API key': () => merchant.get('/events'),
    'a page of /app': () => managers.get(`/${slug}/partners`),
    'a page of /portal': () => partner.get(''),
    'a call of an import': () =>
      manager.post('/partners/import', { programId: merchant.programId, rows }),
  }
}

test('are as many as docs/scale.md says', async () => {
  const partner = await createPartner({ baseUrl: workers.url.origin })
  // The first report also notes when the API key was used.
  await partner.merchant.sale({ externalId: 'first', customerExternalId: 'first' })
  const counted = new Map<string, number>()
  for (const [name, call] of Object.entries(await calls(partner))) {
    // A busy machine may still have a query of the call before.
    await expect.poll(() => underway).toBe(0)
    trips = 0
    expect({ name, status: (await call()).status }).toEqual({ name, status: 200 })
    counted.set(name, trips)
  }
  expect(counted).toEqual(documented())
})
