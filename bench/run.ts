/**
 * `npm run bench`: measures every figure that has a bar. Prints each as soon as it is measured, and
 * a table at the end.
 *
 * ```sh
 * npm run bench -- --quick                  # the first five bars, in two minutes
 * npm run bench -- --only imports,payouts   # parts of the run
 * npm run bench -- --skip many,pages        # all others
 * BENCH_PAGES_URL=postgresql://... npm run bench -- --only pages,many   # in a database that the part pages filled before
 * ```
 */
import { parseArgs } from 'node:util'
import { build } from '../dev/build.ts'
import { SNIPPET_BUDGET_BYTES } from '../dev/runtime/build-snippet.ts'
import { workerNames } from '../dev/runtime/wrangler-config.ts'
import { measureBatches } from './batches.ts'
import { createBench, say } from './bench.ts'
import { measureClient } from './client.ts'
import { countImportFetches, measureImports } from './import.ts'
import { measureChunks, measureFreeze } from './import-page.ts'
import { measureLocal } from './local.ts'
import { measureNeighbors } from './neighbors.ts'
import { FULL_SIZE, fillPages, measurePages, type PageFigure } from './pages.ts'
import { measurePayouts } from './payouts.ts'
import { measureMany, measureStatements } from './sales.ts'
import { measureShadow } from './shadow.ts'
import { measureSpeed } from './speed.ts'
import { measureWebhooks } from './webhooks.ts'
import { buildWorker } from './workers.ts'

const ROUNDS = { warmUp: 200, measured: Number(process.env.BENCH_ROUNDS ?? 2_000) }
const EVENTS = Number(process.env.BENCH_EVENTS ?? 10_000_000)
/** Imports of 100,000 partners, the first ones each against its bare insert. */
const IMPORT_ROUNDS = { partners: 5, everything: 3 }
const TRACKING = ['track-click', 'track-lead', 'track-sale', 'track-refund', 'track-batch']
/** The size limit of a tracking Worker. A kilobyte is 1,000 bytes here. */
const WORKER_BUDGET_BYTES = 95_000

const bench = createBench()
const { table } = bench

const speed = async () =>
  measureSpeed(
    await bench.bundles(),
    table,
    { rounds: Math.min(ROUNDS.measured, 700), slices: 6, sliceMs: 1_500 },
    say,
  )

const imports = async () => {
  const { bindings } = await bench.empty()
  const script = (await bench.bundles())['import-partners'] ?? ''
  for (const [rows, fetches] of await countImportFetches(script, bindings, [1, 500])) {
    table.atMost(`fetches to the database: an import, by rows: ${rows}`, fetches, 3)
  }
  const { bare, partners, everything } = await measureImports(script, bindings, IMPORT_ROUNDS, say)
  const seconds = (ms: number, bareMs: number) =>
    `${(ms / 1_000).toFixed(2)} / ${(bareMs / 1_000).toFixed(2)} s`
  table.atMost(
    'import of 100,000 partners in 500-row calls over one bare insert of them',
    partners.ms / bare.ms,
    1.8,
    seconds(partners.ms, bare.ms),
  )
  if (partners.cpuMs && bare.cpuMs)
    table.info(
      '  the same in CPU of Postgres',
      partners.cpuMs / bare.cpuMs,
      seconds(partners.cpuMs, bare.cpuMs),
    )
  table.info(
    '  the same with coupons, opening balances and mails',
    everything.ms / bare.ms,
    seconds(everything.ms, bare.ms),
  )
}

const importPage = async () => {
  const { bindings } = await bench.empty()
  // The page's script and styles.
  await build()
  const freeze = Math.round(await measureFreeze(bindings))
  table.atMost('longest freeze of the import page with 50,000 rows, in ms', freeze, 1_000)
  table.atMost('split of 50,000 rows into calls, in ms', Math.round(measureChunks()), 2_000)
}

const payouts = async () => {
  const paid = await measurePayouts((await bench.empty()).bindings)
  table.info(
    'claim of 10,000 partners in pages of 500 over one bare statement',
    paid.claimMs / paid.bareMs,
    `${(paid.claimMs / 1_000).toFixed(2)} / ${(paid.bareMs / 1_000).toFixed(2)} s`,
  )
  table.info('  the slowest page, in ms', Math.round(paid.slowestPageMs))
  table.info('scheduled runs that send 10,000 payouts, 900 fetches each', paid.runs)
  table.atMost('  the most fetches that one of them made', paid.most, 900)
  table.info('  fetches in all', paid.fetches, `${paid.seconds.toFixed(1)} s`)
  table.info('verify_ledger of 100,000 commissions, in ms', Math.round(paid.verifyMs))
}

const shadow = async () => {
  const { bindings } = await bench.merchantIn('shadow')
  const { seconds, steps, cpuSeconds, stepMs, slowestMs, growth, outcomes } = await measureShadow(
    bindings,
    say,
  )
  table.info('seconds to compare 100,000 sales with 100,000 commissions', seconds, `${steps} steps`)
  table.info("  Postgres' CPU in all, in seconds", cpuSeconds)
  table.info('  a step of 500 commissions, in ms', stepMs, `longest ${slowestMs.toFixed(0)}`)
  table.atMost('  the CPU of its last steps over that of the first ones', growth.commissions, 1.3)
  table.atMost('  the same of steps of 500 sales that were compared with these', growth.sales, 1.3)
  const counts = Object.entries(outcomes).map(([outcome, sales]) => `${outcome} ${sales}`)
  table.info(
    '  results',
    Object.values(outcomes).reduce((sum, sales) => sum + sales, 0),
    counts.join(', '),
  )
}

const webhooks = async () => {
  const figures = await measureWebhooks(await bench.bundles(), (await bench.empty()).bindings)
  table.info(
    'microseconds that webhooks add to an insert of an event, if nobody listens',
    figures.triggerMicroseconds,
  )
  table.info(
    "ms from a sale's answer to the arrival of its webhook, p50",
    figures.delayMs,
    `longest ${figures.slowestMs.toFixed(0)}`,
  )
  table.info('webhooks per second of one run, to one endpoint', figures.perSecond)
}

const neighbors = async () => {
  const { quiet, before, after } = await measureNeighbors(bench, await bench.bundles(), say)
  const ms = (busy: typeof quiet) =>
    `${busy.p50.toFixed(1)} / ${quiet.p50.toFixed(1)} ms, slowest ${busy.slowest.toFixed(0)}, ${busy.answered} what-ifs answered`
  table.info(
    'sale p50 beside 40 what-ifs of another tenant, without the budget / alone',
    before.p50 / quiet.p50,
    ms(before),
  )
  table.atMost('  the same with the budget', after.p50 / quiet.p50, 3, ms(after))
  table.info('  the slowest sale with the budget / without', after.slowest / before.slowest)
}

const bytes = async () => {
  table.atMost('bytes gzipped: the snippet', (await build()).snippetBytes, SNIPPET_BUDGET_BYTES)
  for (const env of workerNames()) {
    const { gzipBytes } = buildWorker(env)
    const what = `bytes gzipped: Worker ${env}`
    if (TRACKING.includes(env)) table.atMost(what, gzipBytes, WORKER_BUDGET_BYTES)
    else table.info(what, gzipBytes)
  }
}

const pages = async () => {
  const filled = process.env.BENCH_PAGES_URL
  const bindings = filled
    ? await bench.bindingsOf(filled)
    : (await bench.merchantIn('pages')).bindings
  if (!filled)
    await fillPages(bindings, { ...FULL_SIZE, events: EVENTS }, (text) => say(`  ${text}`))
  const figures = await measurePages(new Map(Object.entries(await bench.bundles())), bindings)
  const [slowest, ...others] = figures
  if (!slowest) throw new Error('No page was measured.')
  const times = ({ name, overEmpty, fullMs, smallMs, emptyMs }: PageFigure) =>
    `${name}: ${fullMs.toFixed(1)} / ${smallMs.toFixed(1)} / ${emptyMs.toFixed(1)} ms, ${overEmpty.toFixed(1)} over empty`
  table.atMost(
    `the slowest of ${figures.length} pages and lists, ${EVENTS / 1e6} million events over a page of rows`,
    slowest.overRows,
    1.5,
    times(slowest),
  )
  for (const figure of others.filter(({ overRows }) => overRows > 1.5))
    table.info('  another', figure.overRows, times(figure))
  const overEmpty = figures.toSorted((a, b) => b.overEmpty - a.overEmpty).slice(0, 5)
  for (const figure of overEmpty) table.info('  over empty', figure.overEmpty, times(figure))
}

const client = async () => {
  const { gzipBytes, importMs } = await measureClient()
  table.info('bytes gzipped: @tributary/client, with openapi-fetch', gzipBytes)
  table.info('  its import in a new Node process, in ms', importMs)
}

/** The parts, in order, with what is said before each. */
const PARTS: Record<string, { says: string; run: () => Promise<void> }> = {
  speed: { says: 'New sales against floors, by the bundles and by npm start.', run: speed },
  statements: {
    says: 'A sale against its statements.',
    run: () => measureStatements(bench, ROUNDS),
  },
  batches: {
    says: 'Batches, with and without waiting for the disk.',
    run: () => measureBatches(bench),
  },
  imports: {
    says: `${IMPORT_ROUNDS.partners} rounds of imports of 100,000 partners.`,
    run: imports,
  },
  'import-page': { says: 'An import of 50,000 rows in Chromium.', run: importPage },
  payouts: { says: 'Payouts of 10,000 partners.', run: payouts },
  shadow: { says: 'A shadow run of 100,000 sales and as many commissions.', run: shadow },
  webhooks: { says: 'Webhooks of sales, and the triggers that queue them.', run: webhooks },
  neighbors: { says: 'Sales beside 40 what-ifs of another tenant.', run: neighbors },
  bytes: { says: 'The Workers, built by wrangler.', run: bytes },
  client: { says: 'The client of clients/node.', run: client },
  local: { says: 'The start and the memory of npm start.', run: () => measureLocal(table, say) },
  pages: { says: `Pages and lists among ${EVENTS} events.`, run: pages },
  many: {
    says: `Sales among ${EVENTS} events.`,
    run: () => measureMany(bench, EVENTS, ROUNDS, process.env.BENCH_PAGES_URL),
  },
}

/** @throws an Error when a part doesn't exist */
const chosenParts = (): string[] => {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean' }, only: { type: 'string' }, skip: { type: 'string' } },
  })
  const all = Object.keys(PARTS)
  const listed = (list = '') => list.split(',').filter(Boolean)
  for (const name of [...listed(values.only), ...listed(values.skip)]) {
    if (!all.includes(name))
      throw new Error(`The bench has no part "${name}". Its parts: ${all.join(', ')}.`)
  }
  const wanted = values.quick ? ['speed'] : values.only ? listed(values.only) : all
  return all.filter((name) => wanted.includes(name) && !listed(values.skip).includes(name))
}

try {
  for (const name of chosenParts()) {
    say(`${name}: ${PARTS[name]?.says}`)
    await PARTS[name]?.run()
  }
  table.print()
} finally {
  await bench.stop()
}
