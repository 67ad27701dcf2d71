/** Balances, and how payout runs claim them. transfers.queries.ts sends the payouts. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { lockPayouts } from '../db/locks.queries.ts'
import { isHeld } from '../tracking/holds.queries.ts'
import type { Cover } from './funds.ts'
import { isWithinLimits, isWithinTotals } from './limits.queries.ts'
import { NO_LIMITS, type RunLimits } from './limits.ts'
import { isBelowMinimum } from './minimums.queries.ts'
import { chosenMethod } from './payment-details.queries.ts'
import type { PayoutMethod, SkipCode } from './payouts.ts'
import { occurrences } from './schedules.ts'
import { TRANSFER_STEPS } from './transfer-steps.ts'

/** What a run pays: everything payable at the cutoff, in one program or in all. */
export type RunScope = {
  workspaceId: string
  programId: string | null
  method: PayoutMethod
  cutoffAt: Date
  /** What the Stripe balance covers, as far as it is known. null covers everything. */
  cover: Cover | null
  /** What the run's maximum covers, if it has one. */
  maximum?: Cover | null
  limits?: RunLimits
}

/** A partner's balance in one currency, net of reversals, and why a run skips it. */
export type Balance = {
  partnerId: string
  currency: string
  amountCents: bigint
  /** null if the run pays it. */
  code: SkipCode | null
}

/** The same, whose method may be an expression. */
type BalanceScope = Omit<RunScope, 'method'> & {
  /** The run that claims, if one does. */
  id?: string
  method: PayoutMethod | RawBuilder<PayoutMethod>
}

/** Whether the commission `c` is payable: at a preview, or if it was deducted since then. */
const isDue = (cutoffAt: Date, { previewedAt }: RunLimits = NO_LIMITS): RawBuilder<unknown> =>
  previewedAt
    ? sql`(c.payable_at <= ${cutoffAt}::timestamptz or (c.amount_cents < 0 and c.payable_at <= c.created_at))`
    : sql`c.payable_at <= ${cutoffAt}::timestamptz`

/** Whether a run may claim the commission `c`. */
export const isOpen = ({
  workspaceId,
  programId,
  cutoffAt,
  limits,
}: Omit<RunScope, 'method' | 'cover'>): RawBuilder<unknown> => sql`
        c.workspace_id = ${workspaceId} and c.payout_id is null and ${isDue(cutoffAt, limits)}
        and (${programId}::uuid is null or c.program_id = ${programId}::uuid)
        and not ${isHeld} ${isWithinLimits(limits)}`

/** All balances other than zero. */
export const allSums = (scope: Omit<RunScope, 'method' | 'cover'>) => sql`
      select c.partner_id, c.currency, sum(c.amount_cents)::bigint as amount_cents
      from commissions c where ${isOpen(scope)}
      group by c.partner_id, c.currency having sum(c.amount_cents) <> 0`

/** Whether a cover, of the Stripe balance or of a maximum, includes the balance `s`. */
const isCovered = (cover: Cover | null): RawBuilder<unknown> => {
  if (cover === null) return sql`true`
  const kept = sql`${JSON.stringify(cover)}::jsonb -> s.currency::text`
  return sql`(${kept} is null or exists (
                  select from jsonb_to_recordset(${kept})
                    as r("fromCents" bigint, "fromId" uuid, "toCents" bigint, "toId" uuid)
                  where (s.amount_cents, s.partner_id) >= (r."fromCents", r."fromId")
                    and (s.amount_cents, s.partner_id) <= (r."toCents", r."toId")))`
}

/** Whether the rest of the balance `s` is being claimed, or let go: see freeing.queries.ts. Such payouts are few: they are read once. */
export const isChanging = (workspaceId: string) => sql`
  (s.partner_id, s.currency::text) in (
    select q.partner_id, q.currency::text from payouts q
    where q.workspace_id = ${workspaceId} and (q.claimed_at is null or q.is_freeing))`

/**
 * Balances, each with its destination account and the reason why a run skips it. The minimum applies to the minor units
 * of every currency. What is the same for all of them is read once, as `w`.
 */
export const balances = (
  { id, workspaceId, method, cover, maximum, limits, cutoffAt }: BalanceScope,
  sums: RawBuilder<unknown>,
) => sql`
    select s.partner_id, p.program_id, p.status as partner_status, s.currency, s.amount_cents, a.stripe_account_id,
           a.status as account_status, can_receive,
           case when s.amount_cents < 0 then 'negative_balance'
                when p.status = 'banned' then 'partner_banned'
                when s.partner_id = any (${sql.val(limits?.excludePartnerIds ?? [])}::uuid[]) then 'excluded'
                when ${isBelowMinimum({
                  workspaceId,
                  id,
                  excludePartnerIds: limits?.excludePartnerIds ?? [],
                  isOpen: isOpen({ workspaceId, programId: null, cutoffAt, ...(limits && { limits }) }),
                })} then 'below_minimum'
                when w.require_documents and p.documents_received_at is null then 'documents_missing'
                when w.by_stripe and w.has_choices
                     and ${chosenMethod(sql`${workspaceId}`, sql`p.email`, sql`${cutoffAt}::timestamptz`)} <> 'stripe'
                  then 'other_method'
                when w.by_stripe and not can_receive then 'country_not_supported'
                when w.by_stripe and a.status is distinct from 'enabled' then
                  case a.status when 'in_review' then 'account_in_review' when 'restricted' then 'account_restricted'
                                else 'not_connected' end
                when w.by_stripe
                     and s.amount_cents % coalesce((${JSON.stringify(TRANSFER_STEPS)}::jsonb ->> s.currency::text)::bigint, 1) <> 0
                  then 'amount_too_fine'
                when w.by_stripe and exists (
                       select from payouts small where small.partner_id = s.partner_id and small.currency = s.currency
                         and small.stripe_account_id = a.stripe_account_id
                         and small.failure_code = 'amount_too_small' and small.amount_cents >= s.amount_cents)
                  then 'amount_too_small'
                when w.by_stripe and not ${isCovered(cover)} then 'insufficient_funds'
                when not ${isCovered(maximum ?? null)} then 'over_maximum'
           end as code
    from (${sums}) s
    cross join (select require_documents, ${method}::text = 'stripe' as by_stripe,
                       exists (select from payment_details d where d.workspace_id = ${workspaceId}) as has_choices,
                       (select k.transfer_countries from stripe_keys k where k.workspace_id = ${workspaceId}) as countries
                from workspaces where id = ${workspaceId} offset 0) w
    join partners p on p.id = s.partner_id
    join programs g on g.id = p.program_id
    left join payout_accounts a on a.workspace_id = ${workspaceId} and a.email = p.email
                               and a.disconnected_at is null
    left join unreachable_people u on u.workspace_id = ${workspaceId} and u.email = p.email
    cross join lateral (select coalesce(coalesce(a.country, u.country) = any (w.countries), true) as can_receive) country
    where not ${isChanging(workspaceId)}`

/** The balances that a run would pay or skip now, as a query. */
export const balancesQuery = (scope: RunScope) => sql<Balance>`
    select partner_id as "partnerId", currency, amount_cents as "amountCents", code
    from (${balances(scope, allSums(scope))}) as balances order by partner_id, currency`

/**
 * Inserts the runs of programs whose schedule is due, one per occurrence, of which managers get a report. Idempotent.
 * Programs of workspaces without a Stripe key wait for one.
 */
export const beginScheduledRuns = async (db: Db, now: Date): Promise<void> => {
  await sql`
    with begun as (
    insert into payout_runs (id, workspace_id, program_id, method, cutoff_at, scheduled_for, sends_at, needs_approval,
                             created_at)
    select uuidv7(), due.workspace_id, due.id, 'stripe', ${now}::timestamptz, due.at,
           case when due.review_days > 0 then ${now}::timestamptz + make_interval(days => due.review_days) end, null,
           ${now}::timestamptz
    from (select g.workspace_id, g.id, g.review_days, max(t.at) as at
          from jsonb_to_recordset(${JSON.stringify(occurrences('latest', now))}::jsonb)
            as t(schedule text, day integer, defaults integer[], at timestamptz)
          join programs g on g.payout_schedule = t.schedule and t.day = any (coalesce(g.payout_days, t.defaults))
                         and g.payout_schedule_since <= t.at
          join stripe_keys k on k.workspace_id = g.workspace_id
          group by g.id) due
    where not exists (select from payout_runs r where r.program_id = due.id and r.scheduled_for = due.at)
    on conflict do nothing returning id, workspace_id, sends_at, created_at
    )
    insert into payout_run_notices (workspace_id, run_id, reason, created_at)
    select workspace_id, id, reason, created_at from begun cross join unnest(array['review', 'report']) reason
    where reason = 'report' or sends_at is not null`.execute(db)
}

/** A run that has not claimed everything yet. */
export type OpenRun = RunScope & {
  id: string
  /** Whether it pays no more than a sum. */
  isLimited?: boolean
  /** null until it is decided. */
  needsApproval?: boolean | null
}

/** The oldest runs that have not claimed everything yet, and wait for nobody. */
export const listUnclaimedRuns = async (db: Db, limit: number): Promise<OpenRun[]> => {
  const rows = await db
    .selectFrom('payout_runs')
    .where('claimed_at', 'is', null)
    .where(sql<SqlBool>`(needs_approval is not true or approved_at is not null)`)
    .select([
      'id',
      'workspace_id as workspaceId',
      'program_id as programId',
      'method',
      'cutoff_at as cutoffAt',
      'cover',
      'maximum',
      'previewed_at as previewedAt',
      'exclude_partner_ids as excludePartnerIds',
      'exclude_commission_ids as excludeCommissionIds',
      'max_amount_cents as maxAmountCents',
      sql<boolean>`(expected is not null or max_amount_cents is not null)`.as('isLimited'),
      'needs_approval as needsApproval',
    ])
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ previewedAt, excludePartnerIds, excludeCommissionIds, maxAmountCents, ...run }) => ({
    ...run,
    limits: { previewedAt, excludePartnerIds, excludeCommissionIds, maxAmountCents: maxAmountCents ?? {} },
  }))
}

/** Sorts before all ids. */
const NIL = '00000000-0000-0000-0000-000000000000'

/** Commissions per statement. Each takes about 50 microseconds, and a statement must finish well within the timeout. */
const COMMISSIONS_PER_PAGE = 5_000

/** How many partners, and how many commissions of one balance, a statement claims at most. */
type PageSize = { partners: number; commissions?: number }

/** What a page leaves: other partners, the rest of a large balance, or nothing. */
export type Claimed = 'more' | 'growing' | 'all'

/**
 * Claims the balances of a run's next partners: their commissions, netted, become a payout per partner and currency.
 * Concurrent runs are serialized, and a payout that is growing or letting its commissions go keeps others from taking any
 * of its partner and currency, so no balance is split. Repeated after an unseen commit, it claims the partners after
 * those. A run by Stripe claims nothing once the key is gone, because its payouts could not be sent.
 *
 * A balance of more commissions than a page becomes a payout that grows: see `growPayout`.
 *
 * Partners and commissions are looked up one by one: Postgres would plan a join by the sizes that the tables had at the
 * last analyze.
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
      select claim_cursor, sends_at from payout_runs
      where workspace_id = ${workspaceId} and id = ${id} and claimed_at is null and not exists (select from growing)
        and (needs_approval = false or approved_at is not null) for update
    ), next as (
      select c.partner_id from commissions c
      where ${isOpen(run)} and c.partner_id > (select coalesce(claim_cursor, ${NIL}::uuid) from run)
        and (${method}::text <> 'stripe' or exists (select from stripe_keys where workspace_id = ${workspaceId}))
      order by c.partner_id limit ${commissions}
    ), page as (
      select distinct partner_id from next order by partner_id limit ${partners}
    ), chosen as materialized (
      select uuidv7() as id, b.*
      from (
        select balances.*, sum(amount_cents) over nth as cents, row_number() over nth as nth
        from (${balances(
          run,
          sql`
      select page.partner_id, own.* from page cross join lateral (
        select c.currency, sum(c.amount_cents)::bigint as amount_cents
        from commissions c where ${isOpen(run)} and c.partner_id = page.partner_id
        group by c.currency having sum(c.amount_cents) <> 0) own`,
        )}) as balances
        where code is null window nth as (partition by currency order by partner_id)
      ) b
      where ${run.isLimited ? isWithinTotals(id) : sql`true`}
    ), claimed as (
      update commissions set payout_id = own.payout_id
      from (select chosen.id as payout_id, c.workspace_id, c.id from chosen cross join lateral (
              select c.workspace_id, c.id from commissions c
              where ${isOpen(run)} and c.partner_id = chosen.partner_id and c.currency = chosen.currency
              limit ${commissions}) c) own
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
  // No row: another Worker has claimed the rest, the run was canceled, or a payout is still growing.
  return claimed?.claimed ?? (grows.length ? 'growing' : 'all')
}

/**
 * Claims the next commissions of a large balance of a run, for the payout that was made for it. Its amount is final, and it
 * may be sent, once none are left. If they have turned out to be worth nothing, because of a refund meanwhile, it is
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
              select c.workspace_id, c.id from commissions c
              where ${isOpen(run)} and c.partner_id = growing.partner_id and c.currency = growing.currency
              limit ${commissions}) c) own
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
