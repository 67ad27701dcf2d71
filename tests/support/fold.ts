import { setTimeout as pause } from 'node:timers/promises'
import { inject } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { foldTotals } from '../../lib/totals/upkeep.queries.ts'
import type { Merchant, useDatabase } from './merchant.ts'

/**
 * So few that a call ends in time on a busy machine. Others' differences, of which there are
 * thousands, are folded with them.
 */
export const DELTAS_PER_PAGE = 2_000

/**
 * Folds totals until nothing of the merchant is left. Others' tests write and fold at the same
 * time.
 */
export const fold = async (database: ReturnType<typeof useDatabase>, { workspace }: Merchant) => {
  const left = () =>
    database.query('select from total_deltas where workspace_id = $1 limit 1', [workspace.id])
  while ((await left()).length > 0) {
    const folded = await foldTotals(connect(inject('database')), DELTAS_PER_PAGE)
    // Another test is folding.
    if (folded === 0) await pause(20)
  }
}
