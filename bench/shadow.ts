/**
 * Measures a shadow run: the comparison of 100,000 sales with 100,000 commissions, step by step,
 * from nothing.
 */
import pg from 'pg'
import { connect } from '../lib/db/connection.ts'
import { newId } from '../lib/db/ids.ts'
import { compareRun } from '../lib/shadow/comparison/comparison.service.ts'
import { watchBackends } from './backend-cpu.ts'
import { median } from './measure.ts'
import type { Bindings } from './merchant.ts'
import { fillShadow } from './shadow-data.ts'

const SALES = 100_000
/** Steps at the beginning and at the end of a pass that are compared with each other. */
const ENDS = 40
/** The first steps read what is not in Postgres' memory yet. */
const WARM_UP = 5

type Step = { ms: number; cpuMs: number }

const sumOf = (steps: Step[]): number => steps.reduce((sum, { cpuMs }) => sum + cpuMs, 0)

/** What the last steps cost over the first ones. */
const growthOf = (steps: Step[]): number =>
  sumOf(steps.slice(-ENDS)) / sumOf(steps.slice(WARM_UP, WARM_UP + ENDS))

/**
 * Compares everything in tables that are not analyzed yet. First go the commissions, with the sales
 * of their customers, then the sales that were not among these.
 */
export const measureShadow = async (bindings: Bindings, say: (text: string) => void) => {
  const client = new pg.Client({ connectionString: bindings.DATABASE_URL })
  await client.connect()
  try {
    const { workspaceId, programId } = await fillShadow(bindings, SALES)
    say('  The program is filled.')
    const backends = await watchBackends(bindings.DATABASE_URL)
    const [commissions, sales]: [Step[], Step[]] = [[], []]
    const owner = newId()
    for (let isMore = true; isMore; ) {
      const waiting = await client.query(
        'select from platform_commissions where program_id = $1 and compared_at is null limit 1',
        [programId],
      )
      const run = { workspaceId, programId, now: new Date() }
      const before = backends?.snapshot()
      const start = performance.now()
      isMore = await compareRun(connect(bindings), run, owner, () => false)
      const ms = performance.now() - start
      // Where there is no /proc, the time, which other load on the machine changes.
      const cpuMs = backends && before ? backends.between(before, backends.snapshot()) : ms
      ;(waiting.rowCount ? commissions : sales).push({ ms, cpuMs })
    }
    const { rows } = await client.query<{ outcome: string; sales: number }>(
      'select outcome, count(*)::int as sales from shadow_comparisons where program_id = $1 group by outcome',
      [programId],
    )
    const steps = [...commissions, ...sales]
    return {
      seconds: steps.reduce((sum, { ms }) => sum + ms, 0) / 1_000,
      steps: steps.length,
      cpuSeconds: sumOf(steps) / 1_000,
      stepMs: median(commissions.map(({ ms }) => ms)),
      slowestMs: Math.max(...steps.map(({ ms }) => ms)),
      growth: { commissions: growthOf(commissions), sales: growthOf(sales) },
      outcomes: Object.fromEntries(rows.map(({ outcome, sales }) => [outcome, sales])),
    }
  } finally {
    await client.end()
  }
}
