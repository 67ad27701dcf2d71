/** Payout runs as managers read them. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { PageRequest } from '../../db/page-request.ts'
import { detailsAt } from '../details/payment-details.queries.ts'
import type { PaymentMethod } from '../details/payment-details.ts'
import type { PayoutStatus } from '../payouts.ts'
import { waitOf } from './limits.ts'
import { canceledRunStatus, stripeRunStatus } from './runs.ts'

type RunTotal = { currency: string; status: PayoutStatus; payouts: number; amountCents: number }

const totals: RawBuilder<RunTotal[]> = sql`(
  select coalesce(jsonb_agg(to_jsonb(t) order by t.currency, t.status), '[]')
  from (select currency, status, sum(payouts)::bigint as payouts, sum(amount_cents)::bigint as "amountCents"
        from (select currency, value as status, payouts, amount_cents from totals
              where of_id = r.id and dimension = 'status'
              union all
              select currency, status, payouts, amount_cents from total_deltas
              where workspace_id = r.workspace_id and partner_id is null and run_id = r.id) parts
        group by 1, 2 having sum(payouts) <> 0) t)`

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
      'r.sends_at as sendsAt',
      sql<boolean>`coalesce(r.sends_at > now(), false)`.as('isInReview'),
      'r.created_at as createdAt',
      'r.claimed_at as claimedAt',
      'r.marked_paid_at as markedPaidAt',
      'r.confirmed_at as confirmedAt',
      'r.canceled_at as canceledAt',
      'r.is_canceling as isCanceling',
      'r.manual_status as manualStatus',
      'r.previewed_at as previewedAt',
      'r.expected',
      'r.exclude_partner_ids as excludePartnerIds',
      'r.exclude_commission_ids as excludeCommissionIds',
      'r.max_amount_cents as maxAmountCents',
      'r.needs_approval as needsApproval',
      'r.first_approved_at as firstApprovedAt',
      'r.first_approved_by as firstApprovedBy',
      'r.approved_at as approvedAt',
      'r.approved_by as approvedBy',
      'r.declined_at as declinedAt',
      'r.declined_by as declinedBy',
      totals.as('totals'),
    ])

type RunRow = Awaited<ReturnType<ReturnType<typeof selectRuns>['execute']>>[number]

/** The number of payouts of a run, or of those with a status. */
export const countPayouts = ({ totals }: { totals: RunTotal[] }, wanted?: PayoutStatus): number =>
  totals.reduce(
    (sum, { status, payouts }) => sum + (status === (wanted ?? status) ? payouts : 0),
    0,
  )

export const toRun = ({
  manualStatus,
  isCanceling,
  isInReview,
  expected,
  maxAmountCents,
  ...row
}: RunRow) => {
  const open = countPayouts(row, 'processing') + countPayouts(row, 'canceling')
  const status = manualStatus ?? stripeRunStatus(row.claimedAt, open, isInReview)
  return {
    ...row,
    counts: {
      sent: countPayouts(row) - open - countPayouts(row, 'failed') - countPayouts(row, 'canceled'),
      failed: countPayouts(row, 'failed'),
      canceled: countPayouts(row, 'canceled'),
      waiting: open,
    },
    maxAmountCents: maxAmountCents ?? {},
    expected:
      expected && Object.entries(expected).map(([currency, total]) => ({ currency, ...total })),
    status:
      waitOf(row) ?? (row.canceledAt ? canceledRunStatus(isCanceling ? open + 1 : open) : status),
  }
}

/** A run as managers see it. */
export type Run = ReturnType<typeof toRun>

/** One run of a workspace, or undefined. `id` must be a UUID. */
export const findRun = async (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<Run | undefined> => {
  const row = await runQuery(db, workspaceId, id).executeTakeFirst()
  return row && toRun(row)
}

export const listRuns = async (db: Db, workspaceId: string, page: PageRequest): Promise<Run[]> =>
  (await runsQuery(db, workspaceId, page).execute()).map(toRun)

/** About a megabyte. Each page is a fetch, and a Worker's fetches are limited. */
const LINES_PER_FETCH = 5_000

/** A payout of a run, as in the bank file: final once the run has claimed all, unless returned. */
export type RunLine = {
  id: string
  partnerId: string
  partnerName: string | null
  email: string
  programName: string
  currency: string
  amountCents: bigint
  reference: string
  /** How the partner wanted to be paid when the payout was created; null without details. */
  paidBy: { method: PaymentMethod; country: string | null } | null
}

/** All payouts of a run but those that were returned, ordered by id. */
export const listRunLines = async (
  db: Db,
  workspaceId: string,
  runId: string,
): Promise<RunLine[]> => {
  const lines: RunLine[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await db
      .selectFrom('payouts as po')
      .innerJoin('partners as p', 'p.id', 'po.partner_id')
      .innerJoin('programs as g', 'g.id', 'po.program_id')
      .where('po.workspace_id', '=', workspaceId)
      .where('po.run_id', '=', runId)
      // Its commissions are payable again: paid from this file, it would be paid twice.
      .where('po.returned_at', 'is', null)
      .where('po.cancel_requested_at', 'is', null)
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
        'po.reference',
        sql<RunLine['paidBy']>`(
          select jsonb_build_object('method', d.method, 'country', d.country)
          from (${detailsAt(sql`po.workspace_id`, sql`p.email`, sql`po.created_at`)}) d)`.as(
          'paidBy',
        ),
      ])
      .execute()
    lines.push(...page)
    if (page.length < LINES_PER_FETCH) return lines
    cursor = page.at(-1)?.id
  }
}
