/**
 * What a tenant feels of another one that sends 40 what-ifs at once: with the budget of expensive
 * requests, and without.
 */
import pg from 'pg'
import type { Bundles } from '../dev/runtime/bundles.ts'
import { ENDLESS_BUDGETS, startWorkers } from '../dev/runtime/workers.ts'
import type { Bench } from './bench.ts'
import { addEvents } from './many-events.ts'
import { median } from './measure.ts'
import { createMerchant, type Merchant, newClick, sales } from './merchant.ts'

/** More than a what-if reads. */
const EVENTS = 30_000
const AT_ONCE = 40
const ROUNDS = 5
/** Enough to see for how long the burst is felt. */
const SALES = 40
/** In one workerd, as by `npm start`, where they also share a thread. */
const ENVS = ['router', 'track-click', 'track-sale', 'manage']
const SECRETS = {
  SECRETS_KEY: 'only-for-the-bench-and-known-to-anybody-who-reads',
  AUTH_SECRET: 'the-bench-signs-nobody-in-but-a-Worker-needs-one',
}

/** With which the ids of events begin that a what-if reads. */
const yesterday = () => (Date.now() - 86_400_000).toString(16).padStart(12, '0').slice(0, 8)

/** Sends what-ifs at once, and reports sales of the other tenant one after the other meanwhile. */
const round = async (
  url: URL,
  neighbor: Merchant,
  sell: () => Promise<{ ms: number }>,
  atOnce: number,
) => {
  const whatIf = new URL(
    `/api/workspaces/${neighbor.workspaceId}/programs/${neighbor.programId}/what-if`,
    url,
  )
  const init = {
    method: 'POST',
    headers: { ...neighbor.headers, 'Content-Type': 'application/json' },
    body: '{"attributionDays": 30}',
  }
  let answered = 0
  const calls = Array.from({ length: atOnce }, async () => {
    const answer = await fetch(whatIf, init)
    await answer.arrayBuffer()
    if (answer.ok) answered++
    else if (answer.status !== 429 && answer.status !== 503)
      throw new Error(`A what-if answered ${answer.status}.`)
  })
  const times: number[] = []
  while (times.length < SALES) times.push((await sell()).ms)
  await Promise.all(calls)
  return { times, answered }
}

/**
 * The times of sales, in ms: in a quiet time, and beside the what-ifs without and with the budget,
 * round by round in turn.
 */
export const measureNeighbors = async (
  bench: Bench,
  bundles: Bundles,
  onProgress: (text: string) => void,
) => {
  const seller = await bench.merchantIn('neighbors')
  const neighbor = await createMerchant(seller.bindings)
  await addEvents(seller.bindings.DATABASE_URL, neighbor.workspaceId, EVENTS, () => {}, yesterday())
  const needed = Object.fromEntries(Object.entries(bundles).filter(([env]) => ENVS.includes(env)))
  const start = async (settings: object = {}) => {
    const { url } = bench.keep(
      await startWorkers({ ...seller.bindings, ...SECRETS, ...settings }, needed),
    )
    const sell = sales(url, seller.headers, await newClick(url, seller))
    for (let warmUp = 0; warmUp < SALES; warmUp++) await sell()
    return (atOnce: number) => round(url, neighbor, sell, atOnce)
  }
  const client = new pg.Client({ connectionString: seller.bindings.DATABASE_URL })
  await client.connect()
  const unlimited = await start(ENDLESS_BUDGETS)
  const limited = await start()
  const loads = {
    quiet: () => limited(0),
    before: () => unlimited(AT_ONCE),
    after: () => limited(AT_ONCE),
  }
  const times = { quiet: [] as number[], before: [] as number[], after: [] as number[] }
  const answered = { quiet: 0, before: 0, after: 0 }
  for (let n = 1; n <= ROUNDS; n++) {
    onProgress(`round ${n} of ${ROUNDS}`)
    for (const name of ['quiet', 'before', 'after'] as const) {
      // Both count in one database.
      await client.query('truncate expensive_requests')
      const of = await loads[name]()
      times[name].push(...of.times)
      answered[name] += of.answered
    }
  }
  await client.end()
  const figures = (name: keyof typeof times) => ({
    p50: median(times[name]),
    slowest: Math.max(...times[name]),
    answered: answered[name],
  })
  return { quiet: figures('quiet'), before: figures('before'), after: figures('after') }
}
