/** A sale: its round trips, its time over that of its statements alone, and over many events. */
import { setTimeout as wait } from 'node:timers/promises'
import { type Bench, say } from './bench.ts'
import { addEvents } from './many-events.ts'
import { type Answer, interleave, post } from './measure.ts'
import { findMerchant, type Merchant, newClick, newSale, sales } from './merchant.ts'
import { oneMoreSale, startRecorder, textsOf } from './recorded-sale.ts'
import { buildOwn, startBenchWorkers } from './workers.ts'

type Rounds = { warmUp: number; measured: number }

const trackingWorkers = async (
  bench: Bench,
  prefix: string,
  bindings: Record<string, string>,
  limit: 'memory' | 'emulated',
) => {
  const scripts = await bench.bundles()
  return ['track-click', 'track-lead', 'track-sale'].map((name) => ({
    name: prefix + name,
    script: scripts[name] ?? '',
    bindings,
    zone: 'track' as const,
    limit,
  }))
}

const urlOf = (urls: Map<string, URL>, name: string): URL => {
  const url = urls.get(name)
  if (!url) throw new Error(`${name} was not started.`)
  return url
}

/** Repeats new sales of one click. */
const saleCalls = async (urls: Map<string, URL>, prefix: string, merchant: Merchant) => {
  const clickId = await newClick(urlOf(urls, `${prefix}track-click`), merchant)
  return sales(urlOf(urls, `${prefix}track-sale`), merchant.headers, clickId)
}

/** Long enough for a background write to a local database. */
const KEY_USE_MS = 500

/**
 * Counts the fetches of each kind of call.
 * @returns two recorded sales, for the bare Worker to repeat
 */
const countFetches = async (bench: Bench, merchant: Merchant) => {
  const recorder = bench.keep(await startRecorder(merchant.bindings.SQL_ENDPOINT))
  const bindings = { ...merchant.bindings, SQL_ENDPOINT: recorder.url }
  const { urls } = bench.keep(
    await startBenchWorkers(await trackingWorkers(bench, '', bindings, 'memory')),
  )
  const count = async <T>(what: string, bar: number, call: () => Promise<T>) => {
    recorder.take()
    const answer = await call()
    const bodies = recorder.take()
    bench.table.atMost(`fetches to the database: ${what}`, bodies.length, bar)
    return { answer, bodies }
  }
  const { answer: clickId } = await count('a click', 1, () =>
    newClick(urlOf(urls, 'track-click'), merchant),
  )
  const report = (kind: string, body: unknown): Promise<Answer> =>
    post(new URL(`/api/track/${kind}`, urlOf(urls, `track-${kind}`)), body, merchant.headers)
  // When a key was last used is written in the background, once an hour by each Worker: not while
  // calls are counted.
  await Promise.all([
    report('sale', newSale(clickId)),
    report('lead', { externalId: 'bench-lead-0', clickId }),
  ])
  await wait(KEY_USE_MS)
  const sale = newSale(clickId)
  const first = await count('a sale', 2, () => report('sale', sale))
  await count('the sale repeated', 2, () => report('sale', sale))
  await count('a lead', 2, () => report('lead', { externalId: 'bench-lead', clickId }))
  await report('sale', newSale(clickId))
  return [first.bodies, recorder.take()] as const
}

const ratio = (bench: Bench) => (what: string, over: number, under: number, bar?: number) => {
  const detail = `${over.toFixed(2)} / ${under.toFixed(2)} ms`
  if (bar === undefined) bench.table.info(what, over / under, detail)
  else bench.table.atMost(what, over / under, bar, detail)
}

/** A sale over Workers that do less: only its statements, and nothing. */
export const measureStatements = async (bench: Bench, rounds: Rounds): Promise<void> => {
  const empty = await bench.empty()
  const [a, b] = await countFetches(bench, empty)
  const statements = { STATEMENTS: JSON.stringify(textsOf(a)) }
  const { urls } = bench.keep(
    await startBenchWorkers([
      ...(await trackingWorkers(bench, '', empty.bindings, 'memory')),
      ...(await trackingWorkers(bench, 'emulated-', empty.bindings, 'emulated')),
      {
        name: 'bare',
        script: await buildOwn('./bare.ts'),
        bindings: { ...empty.bindings, ...statements },
        zone: 'track',
      },
      { name: 'noop', script: await buildOwn('./noop.ts') },
    ]),
  )
  say(`Measuring ${rounds.measured} rounds of sales.`)
  const p50 = await interleave(
    {
      sale: await saleCalls(urls, '', empty),
      emulated: await saleCalls(urls, 'emulated-', empty),
      bare: () => post(urlOf(urls, 'bare'), oneMoreSale(a, b)),
      noop: () => post(urlOf(urls, 'noop'), newSale('clk_none')),
    },
    rounds,
  )
  const add = ratio(bench)
  add('sale p50 over a Worker with only its statements', p50.sale, p50.bare, 1.15)
  add('  the same with the emulated rate limit', p50.emulated, p50.bare)
  add('sale p50 over a Worker that does nothing', p50.sale, p50.noop)
}

/** A merchant with many events, in a database of its own. Prints the bytes that they take. */
const fillMerchant = async (bench: Bench, events: number): Promise<Merchant> => {
  say(`Filling a database with ${events / 1e6} million events; this takes some minutes.`)
  const full = await bench.merchantIn('full_one')
  const bytes = await addEvents(full.bindings.DATABASE_URL, full.workspaceId, events, (text) =>
    say(`  ${text}`),
  )
  bench.table.info('bytes per event, with its indexes', Math.round(bytes.event))
  bench.table.info(
    'bytes per sale: event, commission, customer, click, rollups',
    Math.round(bytes.sale),
  )
  return full
}

/**
 * A sale in a database of many events over one in an empty database.
 *
 * @param filled the URL of a database that the part `pages` filled
 */
export const measureMany = async (
  bench: Bench,
  events: number,
  rounds: Rounds,
  filled?: string,
): Promise<void> => {
  const full = filled
    ? await findMerchant(await bench.bindingsOf(filled), 'full')
    : await fillMerchant(bench, events)
  const empty = await bench.empty()
  const { urls } = bench.keep(
    await startBenchWorkers([
      ...(await trackingWorkers(bench, 'empty-', empty.bindings, 'memory')),
      ...(await trackingWorkers(bench, 'full-', full.bindings, 'memory')),
    ]),
  )
  say(`Measuring ${rounds.measured} rounds of sales in both databases.`)
  const p50 = await interleave(
    { full: await saleCalls(urls, 'full-', full), empty: await saleCalls(urls, 'empty-', empty) },
    rounds,
  )
  ratio(bench)(`sale p50 with ${events / 1e6} million events over empty`, p50.full, p50.empty, 1.1)
}
