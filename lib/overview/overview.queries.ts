/** The overview of a workspace: set-up progress and key figures. */
import { sql } from 'kysely'
import { countWaiting } from '../applications/applications.queries.ts'
import type { Db } from '../db/connection.ts'
import { firstIdAt } from '../db/ids.ts'
import {
  type BalanceTotal,
  balanceTotalsQuery,
  toBalanceTotals,
} from '../payouts/balances/balances.queries.ts'
import { countManagersQuery } from '../tenancy/members/members.queries.ts'
import {
  hasClickColumn,
  type WorkspaceActivity,
  workspaceActivityQuery,
} from '../totals/activity.queries.ts'
import { earnedQuery } from '../totals/balances.queries.ts'
import { landingStatsQuery } from '../totals/landing-stats.queries.ts'
import type { StatsRow } from '../totals/stats.queries.ts'
import { type Finding, findingsOf } from '../tracking/checks/findings.ts'
import { countHeldQuery } from '../tracking/holds/held-commissions.queries.ts'
import type { Period } from '../values/periods.ts'
import {
  type CheckedColumns,
  checkedColumns,
  MAX_COUNT,
  toCheckedFacts,
} from './findings.queries.ts'
import { type TopPartnerRow, topPartnersQuery } from './top-partners.queries.ts'

/** How long the overview shows failed payouts. Older ones were seen, or paid by another run. */
const FAILED_DAYS = 30
/** Landing pages and referrers on the overview. One row sums up all others. */
const PAGES_SHOWN = 6
const REFERRERS_SHOWN = 8
/** Partners on the overview. */
const PARTNERS_SHOWN = 5

export type Overview = {
  programId: string | null
  hasApiKey: boolean
  hasClick: boolean
  hasSale: boolean
  /** At most `MAX_COUNT` + 1. */
  partners: number
  /** Commissions held for review; at most `MAX_COUNT` + 1. */
  held: number
  findings: Finding[]
  /** Partners' earnings by currency, in minor units. */
  earned: { currency: string; pendingCents: bigint }[]
  /** What a payout run would pay and skip. */
  balances: BalanceTotal[]
  /** Applications that wait; at most `MAX_COUNT` + 1. */
  applications: number
  /**
   * Transfers that should not exist, found within the last 30 days: see
   * lib/payouts/transfers/unexpected-transfers.queries.ts.
   */
  foundTransfers: number
  /** Transfers whose partner is missing in a restored database. */
  unknownTransfers: number
  /** Payouts of the last 30 days that failed; at most `MAX_COUNT` + 1. */
  failedPayouts: number
  /** Emails that could not be delivered; at most `MAX_COUNT` + 1. */
  failedMails: number
  /** Webhook endpoints that fail, or were disabled because of failures. */
  failingEndpoints: number
  /** Managers who have signed in. */
  managers: number
  /** Of this period and the previous one. */
  activity: WorkspaceActivity[]
  /** The pages with the most clicks. */
  pages: StatsRow[]
  /** The hosts with the most clicks. */
  referrers: StatsRow[]
  /** The partners with the most revenue. */
  topPartners: TopPartnerRow[]
}

/** The columns of the row. */
type Facts = Omit<
  Overview,
  'findings' | 'earned' | 'balances' | 'activity' | 'pages' | 'referrers' | 'topPartners'
>

/** Makes one database round trip. */
export const readOverview = async (
  db: Db,
  workspaceId: string,
  period: Period,
  now: Date,
): Promise<Overview> => {
  const days = { from: period.from, to: period.to }
  const failedSince = new Date(now.getTime() - FAILED_DAYS * 86_400_000)
  const [[facts], earned, [owed], activity, pages, referrers, topPartners] = await db.batch([
    sql<Facts & CheckedColumns>`
      select
        (select id from programs where workspace_id = ${workspaceId} order by id limit 1) as "programId",
        exists (select from api_keys where workspace_id = ${workspaceId} and revoked_at is null) as "hasApiKey",
        exists (select from events where workspace_id = ${workspaceId} and kind = 'sale') as "hasSale",
        (select count(*)::int from (select from partners where workspace_id = ${workspaceId} and undone_at is null
                                    limit ${MAX_COUNT + 1}) p) as partners,
        ${hasClickColumn(workspaceId)},
        ${countManagersQuery(workspaceId)} as managers,
        ${countHeldQuery(workspaceId, MAX_COUNT + 1)} as held,
        ${checkedColumns(workspaceId, now)},
        ${countWaiting(workspaceId, MAX_COUNT + 1)} as applications,
        (select count(*)::int from (select from payouts where workspace_id = ${workspaceId} and status = 'failed'
                                      and id >= ${firstIdAt(failedSince)} limit ${MAX_COUNT + 1}) p) as "failedPayouts",
        (select count(*)::int from payouts where workspace_id = ${workspaceId} and found_transfer_id is not null
                                            and found_at > ${failedSince}::timestamptz) as "foundTransfers",
        (select count(*)::int from unknown_transfers where workspace_id = ${workspaceId}) as "unknownTransfers",
        (select count(*)::int from (select from mails where workspace_id = ${workspaceId} and sent_at is null and failed_at is not null
                                    limit ${MAX_COUNT + 1}) m) as "failedMails",
        (select count(*)::int from webhook_endpoints
         where workspace_id = ${workspaceId} and (disabled_at is null and failing_since is not null or disabled_reason = 'failing'))
          as "failingEndpoints"
    `.compile(db),
    earnedQuery(workspaceId, now).compile(db),
    balanceTotalsQuery(workspaceId, now).compile(db),
    workspaceActivityQuery(workspaceId, period).compile(db),
    landingStatsQuery(
      workspaceId,
      { ...days, by: 'landingPage', withRest: true },
      PAGES_SHOWN,
    ).compile(db),
    landingStatsQuery(
      workspaceId,
      { ...days, by: 'referrer', withRest: true },
      REFERRERS_SHOWN,
    ).compile(db),
    topPartnersQuery(workspaceId, days, PARTNERS_SHOWN).compile(db),
  ])
  if (!facts || !owed) throw new Error('Unreachable: both return one row.')
  return {
    ...facts,
    findings: findingsOf(toCheckedFacts(facts), now),
    earned,
    balances: toBalanceTotals(owed.totals),
    activity,
    pages,
    referrers,
    topPartners,
  }
}
