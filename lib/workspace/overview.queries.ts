/** The overview of a workspace: set-up progress and key figures. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { type BalanceTotal, balanceTotalsQuery, toBalanceTotals } from '../payouts/balances.queries.ts'
import { countExpectedQuery } from '../purchases/expected-sales.queries.ts'
import { overdueSince } from '../purchases/expected-sales.ts'
import { activityColumns } from '../totals/activity.queries.ts'
import { earnedQuery } from '../totals/balances.queries.ts'
import { countHeldQuery } from '../tracking/held.queries.ts'

/** Counts stop here, so that the page stays fast on large workspaces; it shows "more than". */
export const MAX_COUNT = 100_000

const EVENTS_DAYS = 30
const MS_PER_DAY = 86_400_000

export type Overview = {
  programId: string | null
  hasApiKey: boolean
  hasClick: boolean
  hasSale: boolean
  /** At most `MAX_COUNT` + 1. */
  partners: number
  /** In the last 30 days, the present one included. */
  events: number
  /** Commissions held for review; at most `MAX_COUNT` + 1. */
  held: number
  /** Sales that the payment processor should have reported by now; at most `MAX_COUNT` + 1. */
  overdue: number
  /** Partners' earnings by currency, in minor units. */
  earned: { currency: string; pendingCents: bigint }[]
  /** What a payout run would pay and skip. */
  balances: BalanceTotal[]
}

/** Makes one database round trip. */
export const readOverview = async (db: Db, workspaceId: string, now: Date): Promise<Overview> => {
  const since = new Date(now.getTime() - (EVENTS_DAYS - 1) * MS_PER_DAY)
  const [[facts], earned, [owed]] = await db.batch([
    sql<Omit<Overview, 'earned' | 'balances'>>`
      select
        (select id from programs where workspace_id = ${workspaceId} order by id limit 1) as "programId",
        exists (select from api_keys where workspace_id = ${workspaceId} and revoked_at is null) as "hasApiKey",
        exists (select from events where workspace_id = ${workspaceId} and kind = 'sale') as "hasSale",
        (select count(*)::int from (select from partners where workspace_id = ${workspaceId}
                                    limit ${MAX_COUNT + 1}) p) as partners,
        ${activityColumns(workspaceId, since)},
        ${countHeldQuery(workspaceId, MAX_COUNT + 1)} as held,
        ${countExpectedQuery(workspaceId, overdueSince(now), MAX_COUNT + 1)} as overdue
    `.compile(db),
    earnedQuery(workspaceId, now).compile(db),
    balanceTotalsQuery(workspaceId, now).compile(db),
  ])
  if (!facts || !owed) throw new Error('Unreachable: both return one row.')
  return { ...facts, earned, balances: toBalanceTotals(owed.totals) }
}
