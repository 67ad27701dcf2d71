/** How runs claim payable balances, in pages. transfers.queries.ts sends the payouts. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { balancesOneByOne, isOpen, openOf } from '../balances/due.queries.ts'
import { isWithinTotals } from './limits.queries.ts'
import type { OpenRun } from './open-runs.queries.ts'

/** Sorts before all ids. */
const NIL = '00000000-0000-0000-0000-000000000000'

/** Commissions per statement, at about 50 µs each: it must finish well within the timeout. */
const COMMISSIONS_PER_PAGE = 5_000

/** The most partners, and commissions of one balance, that a statement claims. */
type PageSize = { partners: number; commissions?: number }

/** What remains after a page: other partners, the rest of a large balance, or nothing. */
export type Claimed = 'more' | 'growing' | 'all'

/**
 * Claims the balances of a run's next partners. Their commissions, netted, become a payout per
 * partner and currency. A balance of more commissions than a page becomes a payout that grows: see
 * `growPayout`.
 *
 * No balance is split: concurrent runs are serialized, and while a payout grows or releases its
 * commissions, nothing of its partner and currency can be claimed. A repeat after an unseen commit
 * claims the next partners. Without a Stripe key, a run by Stripe claims nothing, because it could
 * not send the payouts.
 *
 * The commissions of a page are read once, by partner. The last partner, `cut`, may have more than
 * were read, which are looked up. Other data of a partner is looked up one by one: Postgres would
 * plan a join by the sizes at the last analyze.
 */
export const claimPage = async (
  db: Db,
  run: OpenRun,
  { partners, commissions = COMMISSIONS_PER_PAGE }: PageSize,
  now: Date,
): Promise<Claimed> => {
  const { id, workspaceId, method } = run
  const claim = sql<{ claimed: Claimed }>`
    with growing as (
      select from payouts where run_id = ${id} and claimed_at is null limit 1
    ), run as (
      select workspace_id, claim_cursor, sends_at from payout_runs
      where workspace_id = ${workspaceId} and id = ${id} and claimed_at is null and not exists (select from growing)
        and (needs_approval = false or approved_at is not null) for update
    ), next as (
      select c.id, c.partner_id, c.currency, c.amount_cents from commissions c
      where ${isOpen(run)} and c.partner_id > (select coalesce(claim_cursor, ${NIL}::uuid) from run)
        and (${method}::text <> 'stripe' or exists (select from stripe_keys where workspace_id = ${workspaceId}))
      order by c.partner_id limit ${commissions}
    ), page as (
      select distinct partner_id from next order by partner_id limit ${partners}
    ), cut as (
      select partner_id from next order by partner_id offset ${commissions - 1}
    ), chosen as materialized (
      select uuidv7() as id, b.*
      from (
        select balances.*, sum(amount_cents) over nth as cents, row_number() over nth as nth
        from (${balancesOneByOne(
          run,
          sql`
      select partner_id, currency, sum(amount_cents)::bigint as amount_cents, array_agg(next.id) as ids from next
      where partner_id in (select partner_id from page) and partner_id not in (select partner_id from cut)
      group by partner_id, currency having sum(amount_cents) <> 0
      union all
      select partner_id, own.* from page join cut using (partner_id) cross join lateral (
        select c.currency, sum(c.amount_cents)::bigint, (array_agg(c.id))[:${commissions}]
        from ${openOf(sql`cut.partner_id`, run)} c
        group by c.currency having sum(c.amount_cents) <> 0) own`,
        )}) as balances
        where code is null window nth as (partition by currency order by partner_id)
      ) b
      where ${run.isLimited ? isWithinTotals(id) : sql`true`}
    ), claimed as (
      update commissions set payout_id = own.payout_id
      from (select chosen.id as payout_id, run.workspace_id, unnest(ids) as id from chosen, run) own
      where commissions.workspace_id = own.workspace_id and commissions.id = own.id and commissions.payout_id is null
      returning commissions.payout_id, commissions.amount_cents
    ), made as (
      insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents,
                           stripe_account_id, created_at, claimed_at, next_attempt_at)
      select chosen.id, ${workspaceId}::uuid, ${id}::uuid, chosen.program_id, chosen.partner_id, chosen.currency,
             sums.amount_cents, case when ${method}::text = 'stripe' then chosen.stripe_account_id end,
             ${now}::timestamptz, case when sums.count < ${commissions} then ${now}::timestamptz end,
             greatest(${now}::timestamptz, (select sends_at from run))
      from chosen
      join (select payout_id, sum(amount_cents) as amount_cents, count(*) as count from claimed group by 1) sums
        on payout_id = chosen.id
      returning claimed_at
    )
    update payout_runs r
    set claim_cursor = coalesce((select partner_id from page order by partner_id desc limit 1), r.claim_cursor),
        claimed_at = case when (select count(*) from next) < ${commissions} and (select count(*) from page) < ${partners}
                               and not exists (select from made where claimed_at is null)
                          then ${now}::timestamptz end
    from run
    where r.workspace_id = ${workspaceId} and r.id = ${id}
    returning case when r.claimed_at is not null then 'all'
                   when exists (select from made where made.claimed_at is null) then 'growing' else 'more' end as claimed`
  const growing = sql<unknown>`select from payouts where run_id = ${id} and claimed_at is null limit 1`
  const [, [claimed], grows] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    claim.compile(db),
    growing.compile(db),
  ])
  // No row: another Worker has claimed the rest, the run was canceled, or a payout is still
  // growing.
  return claimed?.claimed ?? (grows.length ? 'growing' : 'all')
}

/**
 * Claims the next commissions of a large balance for its payout. When none are left, the amount is
 * final, and the payout may be sent. If a concurrent refund has left nothing to pay, the payout is
 * canceled.
 */
export const growPayout = async (
  db: Db,
  run: OpenRun,
  now: Date,
  commissions = COMMISSIONS_PER_PAGE,
): Promise<void> => {
  const grow = sql<unknown>`
    with growing as (
      select id, partner_id, currency from payouts where run_id = ${run.id} and claimed_at is null
      order by id limit 1 for update
    ), claimed as (
      update commissions set payout_id = own.payout_id
      from (select growing.id as payout_id, c.workspace_id, c.id from growing cross join lateral (
              select c.workspace_id, c.id from ${openOf(sql`growing.partner_id`, run)} c
              where c.currency = growing.currency limit ${commissions}) c) own
      where commissions.workspace_id = own.workspace_id and commissions.id = own.id and commissions.payout_id is null
      returning commissions.amount_cents
    ), sums as (
      select coalesce(sum(amount_cents), 0) as cents, count(*) < ${commissions} as is_last from claimed
    )
    update payouts p
    set amount_cents = p.amount_cents + sums.cents,
        claimed_at = case when sums.is_last then ${now}::timestamptz end,
        cancel_requested_at = case when sums.is_last and p.amount_cents + sums.cents <= 0 then ${now}::timestamptz end,
        canceled_at = case when sums.is_last and p.amount_cents + sums.cents <= 0 then ${now}::timestamptz end,
        is_freeing = sums.is_last and p.amount_cents + sums.cents <= 0
    from sums, growing where p.id = growing.id`
  await db.batch([lockPayouts(run.workspaceId).compile(db), grow.compile(db)])
}
