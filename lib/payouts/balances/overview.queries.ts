/** Reads the payout pages. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { PageRequest } from '../../db/page-request.ts'
import { earnedQuery } from '../../totals/balances.queries.ts'
import { countResolvable } from '../corrections/resolution.queries.ts'
import { setupColumns } from '../details/methods.queries.ts'
import { payoutsQuery } from '../payouts.queries.ts'
import { runQuery, runsQuery, toRun } from '../runs/runs.queries.ts'
import type { PayoutSetup } from '../runs/runs.ts'
import { readinessQuery, toBalanceTotals } from './balances.queries.ts'

/** The form lists at most this many programs. */
const MOST_PROGRAMS = 200

const programNamesQuery = (db: Db, workspaceId: string) =>
  db
    .selectFrom('programs')
    .where('workspace_id', '=', workspaceId)
    .select(['id', 'name'])
    .orderBy('name')
    .orderBy('id')
    .limit(MOST_PROGRAMS)

/** By country: the approved partners to whom the Stripe account cannot transfer. */
type Elsewhere = { country: string; people: number }

/** The countries of people whom Stripe cannot pay, by their account or by what they entered. */
const elsewhereQuery = (workspaceId: string) => sql<Elsewhere>`
  select e.country, count(*)::int as people
  from stripe_keys k cross join lateral (
    select a.email, a.country from payout_accounts a where a.workspace_id = k.workspace_id and a.disconnected_at is null
    union all
    select u.email, u.country from unreachable_people u
    where u.workspace_id = k.workspace_id
      and not exists (select from payout_accounts a where a.workspace_id = u.workspace_id and a.email = u.email
                                                      and a.disconnected_at is null)) e
  where k.workspace_id = ${workspaceId} and e.country <> all (k.transfer_countries)
    and exists (select from partners p
                where p.workspace_id = k.workspace_id and p.email = e.email and p.status = 'approved')
  group by 1 order by 2 desc, 1`

/** The payout methods of a workspace, and the number of reversed payouts to decide about. */
const setupQuery = (workspaceId: string) => sql<PayoutSetup & { reversed: number }>`
  select ${setupColumns(workspaceId)},
         (select count(*)::int from payouts where workspace_id = ${workspaceId}
          and reversed_cents > 0 and reversed_cents = amount_cents and released_at is null) as reversed`

/** Balances, set-up and the newest runs, in one fetch. */
export const readPayoutsPage = async (
  db: Db,
  workspaceId: string,
  slice: PageRequest,
  now: Date,
) => {
  const [earned, [owed], [setup], elsewhere, programs, runs] = await db.batch([
    earnedQuery(workspaceId, now).compile(db),
    readinessQuery(workspaceId, now).compile(db),
    setupQuery(workspaceId).compile(db),
    elsewhereQuery(workspaceId).compile(db),
    programNamesQuery(db, workspaceId).compile(),
    runsQuery(db, workspaceId, slice).compile(),
  ])
  if (!setup || !owed) throw new Error('Unreachable: both return one row.')
  const { totals, ...unready } = owed
  return {
    earned,
    balances: toBalanceTotals(totals),
    ...unready,
    ...setup,
    elsewhere,
    programs,
    runs: runs.map(toRun),
  }
}

/**
 * A run, its newest payouts, and how many of all its payouts a manager may decide about, in one
 * fetch. @returns undefined if the workspace has no such run
 */
export const readRunPage = async (
  db: Db,
  workspaceId: string,
  id: string,
  { now, ...slice }: PageRequest & { now: Date },
) => {
  const [[run], payouts, [resolvable]] = await db.batch([
    runQuery(db, workspaceId, id).compile(),
    payoutsQuery(db, workspaceId, { ...slice, runId: id }).compile(),
    countResolvable(workspaceId, id, now).compile(db),
  ])
  return run && { run: toRun(run), payouts, resolvable: resolvable?.count ?? 0 }
}

export const namePartners = async (db: Db, workspaceId: string, ids: string[]) => {
  const rows = await db
    .selectFrom('partners')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<string>`any (${sql.val(ids)}::uuid[])`)
    .select(['id', 'name', 'slug'])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}
