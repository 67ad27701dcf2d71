import { inject } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { foldTotals } from '../../lib/totals/upkeep.queries.ts'
import type { Merchant, useDatabase } from './merchant.ts'

/** Folds totals until nothing of the merchant is left. Others' tests write and fold at the same time. */
export const fold = async (database: ReturnType<typeof useDatabase>, { workspace }: Merchant) => {
  const left = () =>
    database.query('select from total_deltas where workspace_id = $1 limit 1', [workspace.id])
  while ((await left()).length > 0) await foldTotals(connect(inject('database')), 1_000_000)
}
