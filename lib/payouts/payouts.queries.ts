/** Payouts and their runs as managers read them. Runs make them: see payout-runs.ts; manual-runs.ts is what people do. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import type { PageRequest } from '../db/page-request.ts'
import type { PayoutStatus, RunStatus } from './payouts.ts'
import { type RunState, statusOfRun } from './runs.ts'

export type PayoutFilter = PageRequest & {
  runId?: string | undefined
  partnerId?: string | undefined
  status?: PayoutStatus | undefined
}

/** How a payout is: in SQL what `payoutStatus` says of a row. */
const status: RawBuilder<PayoutStatus> = sql`case when po.paid_at is not null then 'paid'
  when po.failed_at is not null then 'failed' when po.canceled_at is not null then 'canceled' else 'processing' end`

const selectPayouts = (db: Db, workspaceId: string) =>
  db
    .selectFrom('payouts as po')
    .where('po.workspace_id', '=', workspaceId)
    .innerJoin('payout_runs as r', 'r.id', 'po.run_id')
    .innerJoin('partners as p', 'p.id', 'po.partner_id')
    .select([
      'po.id',
      'po.run_id',
      'po.partner_id',
      'po.program_id',
      'po.currency',
      'po.amount_cents',
      'po.created_at',
      'po.paid_at',
      'po.failed_at',
      'po.canceled_at',
      'po.last_error',
      'po.transfer_id',
      'r.method',
      'p.slug as partner_slug',
      'p.name as partner_name',
      status.as('status'),
    ])

export type PayoutRow = Awaited<ReturnType<ReturnType<typeof selectPayouts>['execute']>>[number]

/** One payout of a workspace, or undefined. `id` must be a UUID. */
export const findPayout = (db: Db, workspaceId: string, id: string): Promise<PayoutRow | undefined> =>
  selectPayouts(db, workspaceId).where('po.id', '=', id).executeTakeFirst()

/** The payouts of a workspace, newest first, as a query. */
export const payoutsQuery = (db: Db, workspaceId: string, filter: PayoutFilter) =>
  selectPayouts(db, workspaceId)
    .where((eb) =>
      eb.and([
        ...(filter.runId ? [eb('po.run_id', '=', filter.runId)] : []),
        ...(filter.partnerId ? [eb('po.partner_id', '=', filter.partnerId)] : []),
        ...(filter.status ? [eb(status, '=', filter.status)] : []),
        ...(filter.cursor ? [eb('po.id', '<', filter.cursor)] : []),
      ]),
    )
    .orderBy('po.id', 'desc')
    .limit(filter.limit)

/** What a run pays in one currency, and how far that is. */
type RunTotal = { currency: string; status: PayoutStatus; payouts: number; amountCents: number }

/** A run as managers see it. */
export type Run = RunState & {
  id: string
  status: RunStatus
  /** null is all of them. */
  programId: string | null
  programName: string | null
  createdBy: string | null
  scheduledFor: Date | null
  createdAt: Date
  totals: RunTotal[]
}

const totals: RawBuilder<RunTotal[]> = sql`(
  select coalesce(jsonb_agg(to_jsonb(t) order by t.currency, t.status), '[]')
  from (select po.currency, ${status} as status, count(*) as payouts, sum(po.amount_cents) as "amountCents"
        from payouts po where po.workspace_id = r.workspace_id and po.run_id = r.id group by 1, 2) t)`

/** The runs of a workspace, newest first, as a query. */
export const runsQuery = (db: Db, workspaceId: string, { cursor, limit }: PageRequest) =>
  selectRuns(db, workspaceId)
    .$if(cursor !== undefined, (runs) => runs.where('r.id', '<', cursor ?? ''))
    .orderBy('r.id', 'desc')
    .limit(limit)

/** One run of a workspace, as a query. `id` must be a UUID. */
export const runQuery = (db: Db, workspaceId: string, id: string) =>
  selectRuns(db, workspaceId).where('r.id', '=', id)

const selectRuns = (db: Db, workspaceId: string) =>
  db
    .selectFrom('payout_runs as r')
    .where('r.workspace_id', '=', workspaceId)
    .leftJoin('programs as g', 'g.id', 'r.program_id')
    .select([
      'r.id',
      'r.method',
      'r.program_id as programId',
      'g.name as programName',
      'r.created_by as createdBy',
      'r.scheduled_for as scheduledFor',
      'r.created_at as createdAt',
      'r.claimed_at as claimedAt',
      'r.marked_paid_at as markedPaidAt',
      'r.confirmed_at as confirmedAt',
      'r.canceled_at as canceledAt',
      totals.as('totals'),
    ])

type RunRow = Awaited<ReturnType<ReturnType<typeof selectRuns>['execute']>>[number]

/** How many payouts of a run are in a state, or in any. */
export const countPayouts = ({ totals }: Pick<Run, 'totals'>, wanted?: PayoutStatus): number =>
  totals.reduce((sum, { status, payouts }) => sum + (status === (wanted ?? status) ? payouts : 0), 0)

/** A run with what follows from its row. */
export const toRun = (row: RunRow): Run => {
  const run = { ...row, processing: countPayouts(row, 'processing') }
  return { ...run, status: statusOfRun(run) }
}

/** One run of a workspace, or undefined. `id` must be a UUID. */
export const findRun = async (db: Db, workspaceId: string, id: string): Promise<Run | undefined> => {
  const row = await runQuery(db, workspaceId, id).executeTakeFirst()
  return row && toRun(row)
}

/** The runs of a workspace, newest first. */
export const listRuns = async (db: Db, workspaceId: string, slice: PageRequest): Promise<Run[]> =>
  (await runsQuery(db, workspaceId, slice).execute()).map(toRun)

/** What became of each payout of a run, for whoever asked for the run. */
export const listRunPayouts = (db: Db, workspaceId: string, runId: string) =>
  db
    .selectFrom('payouts as po')
    .where('po.workspace_id', '=', workspaceId)
    .where('po.run_id', '=', runId)
    .select([
      'po.id',
      'po.partner_id as partnerId',
      'po.currency',
      'po.amount_cents as amountCents',
      status.as('status'),
    ])
    .orderBy('po.partner_id')
    .orderBy('po.currency')
    .execute()

/** A megabyte of lines or so: a fetch each, of which a Worker may not make many. */
const LINES_PER_FETCH = 5_000

/** What is to be paid to whom by a run. Nothing of that ever changes once the run has claimed all. */
export type RunLine = {
  id: string
  partnerId: string
  partnerName: string | null
  email: string
  programName: string
  currency: string
  amountCents: bigint
}

/** All lines of a run, in the order of their ids. */
export const listRunLines = async (db: Db, workspaceId: string, runId: string): Promise<RunLine[]> => {
  const lines: RunLine[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await db
      .selectFrom('payouts as po')
      .innerJoin('partners as p', 'p.id', 'po.partner_id')
      .innerJoin('programs as g', 'g.id', 'po.program_id')
      .where('po.workspace_id', '=', workspaceId)
      .where('po.run_id', '=', runId)
      .$if(cursor !== undefined, (rest) => rest.where('po.id', '>', cursor ?? ''))
      .orderBy('po.id')
      .limit(LINES_PER_FETCH)
      .select([
        'po.id',
        'po.partner_id as partnerId',
        'p.name as partnerName',
        'p.email',
        'g.name as programName',
        'po.currency',
        'po.amount_cents as amountCents',
      ])
      .execute()
    lines.push(...page)
    if (page.length < LINES_PER_FETCH) return lines
    cursor = page.at(-1)?.id
  }
}
