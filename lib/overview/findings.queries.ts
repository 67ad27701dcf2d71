/** The data that the checks of a workspace read, across all rooms. */
import { sql } from 'kysely'
import { countPossibleMergesQuery } from '../customers/possible-merges.queries.ts'
import type { Db } from '../db/connection.ts'
import { type DeliveriesJson, deliveriesQuery } from '../purchases/stripe/setup.queries.ts'
import { overdueSince } from '../rules/purchases/expected-sales.ts'
import { doubtfulCreditsQuery } from '../tracking/checks/doubtful-credits.queries.ts'
import { type CheckedFacts, noticedSince } from '../tracking/checks/findings.ts'
import { countLikelyQuery } from '../tracking/checks/likely-credits.queries.ts'
import { countMismatchesQuery } from '../tracking/checks/mismatches.queries.ts'
import { recentSince } from '../tracking/checks/mismatches.ts'
import { refusedVisitsQuery } from '../tracking/checks/tracking-check.queries.ts'
import { refusedVisitsSince } from '../tracking/checks/tracking-check.ts'
import {
  busiestCustomerQuery,
  medianAmountsQuery,
} from '../tracking/checks/unlikely-reports.queries.ts'
import { countExpectedQuery } from '../tracking/events/expected-sales.queries.ts'
import { countUnreadableQuery } from '../tracking/events/processor-events.queries.ts'
import { countHeldQuery } from '../tracking/holds/held-commissions.queries.ts'

/** Counts stop here, so that pages of large workspaces stay fast. They show "more than". */
export const MAX_COUNT = 100_000

/** Partners and programs per list of names. */
const NAMED = 5

/** The facts as columns of one row. */
export type CheckedColumns = Omit<CheckedFacts, 'deliveries'> & {
  deliveries: DeliveriesJson | null
}

/** The columns of `CheckedColumns`, for a `select` without a table. */
export const checkedColumns = (workspaceId: string, now: Date) => {
  const most = MAX_COUNT + 1
  const since = noticedSince(now)
  return sql`
    ${deliveriesQuery(workspaceId)} as deliveries,
    ${countUnreadableQuery(workspaceId, since, most)} as "unreadableEvents",
    ${countExpectedQuery(workspaceId, overdueSince(now), most)} as "missingSales",
    ${medianAmountsQuery(workspaceId, since)} as "medianAmounts",
    ${busiestCustomerQuery(workspaceId, since)} as "busiestCustomer",
    ${countLikelyQuery(workspaceId, since)} as "likelyCredits",
    ${countMismatchesQuery(workspaceId, recentSince(now), most)} as mismatches,
    ${countHeldQuery(workspaceId, most, 'possible_duplicate')} as "possibleDuplicates",
    ${countPossibleMergesQuery(workspaceId, most)} as "possibleMerges",
    ${doubtfulCreditsQuery(workspaceId, since, NAMED)} as "doubtfulCredits",
    ${refusedVisitsQuery(workspaceId, refusedVisitsSince(now), NAMED)} as "refusedVisits"`
}

/** The facts of these columns, with times as dates. */
export const toCheckedFacts = ({ deliveries, ...facts }: CheckedColumns): CheckedFacts => ({
  ...facts,
  deliveries: deliveries && {
    count: deliveries.count,
    firstAt: new Date(deliveries.firstAt),
    lastAt: new Date(deliveries.lastAt),
  },
})

/** Makes one database round trip. */
export const readCheckedFacts = async (
  db: Db,
  workspaceId: string,
  now: Date,
): Promise<CheckedFacts> => {
  const { rows } = await sql<CheckedColumns>`select ${checkedColumns(workspaceId, now)}`.execute(db)
  const [row] = rows
  if (!row) throw new Error('A select without a table returned no row.')
  return toCheckedFacts(row)
}
