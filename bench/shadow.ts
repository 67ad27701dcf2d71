/** Measures a shadow run: the comparison of 100,000 sales with 100,000 commissions, step by step, from nothing. */
import pg from 'pg'
import { connect } from '../lib/db/connection.ts'
import { newId } from '../lib/db/ids.ts'
import { compareRun } from '../lib/shadow/comparison.service.ts'
import { median } from './measure.ts'
import type { Bindings } from './merchant.ts'
import { fillShadow } from './shadow-data.ts'

const SALES = 100_000
/** Steps at the beginning and at the end of a pass that are compared with each other. */
const ENDS = 40
/** The first steps read what is not in Postgres' memory yet. */
const WARM_UP = 5

/** The median of the last steps over that of the first. */
const growthOf = (steps: number[]): number =>
  median(steps.slice(-ENDS)) / median(steps.slice(WARM_UP, WARM_UP + ENDS))

/**
 * Compares everything in tables that are not analyzed yet. First go the commissions, with the sales of their customers, then the sales
 * that were not among these.
 */
export const measureShadow = async (bindings: Bindings, say: (text: string) => void) => {
  const client = new pg.Client({ connectionString: bindings.DATABASE_URL })
  await client.connect()
  try {
    const { workspaceId, programId } = await fillShadow(bindings, SALES)
    say('  The program is filled.')
    const [commissions, sales]: [number[], number[]] = [[], []]
    const owner = newId()
    for (let isMore = true; isMore; ) {
      const waiting = await client.query(
        'select from platform_commissions where program_id = $1 and compared_at is null limit 1',
        [programId],
      )
      const run = { workspaceId, programId, now: new Date() }
      const start = performance.now()
      isMore = await compareRun(connect(bindings), run, owner, () => false)
      ;(waiting.rowCount ? commissions : sales).push(performance.now() - start)
    }
    const { rows } = await client.query<{ outcome: string; sales: number }>(
      'select outcome, count(*)::int as sales from shadow_comparisons where program_id = $1 group by outcome',
      [programId],
    )
    const steps = [...commissions, ...sales]
    return {
      seconds: steps.reduce((sum, ms) => sum + ms, 0) / 1_000,
      steps: steps.length,
      stepMs: median(commissions),
      slowestMs: Math.max(...steps),
      growth: { commissions: growthOf(commissions), sales: growthOf(sales) },
      outcomes: Object.fromEntries(rows.map(({ outcome, sales }) => [outcome, sales])),
    }
  } finally {
    await client.end()
  }
}
