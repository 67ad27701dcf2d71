/**
 * What partners have earned, by its state: sums of few rows, whatever they add up. Above the table
 * totals in schema.sql is how.
 */
import { type RawBuilder, sql } from 'kysely'
import { NEVER } from '../rules/steps/commissions.ts'

/**
 * Sums of commissions by status, in minor units. What is payable is negative if more was reversed
 * after a payout than was earned since.
 */
export type EarnedSums = {
  currency: string
  heldCents: bigint
  pendingCents: bigint
  payableCents: bigint
  processingCents: bigint
  paidCents: bigint
}

/** The earnings by currency of a workspace's partners, or of one. The status depends on `now`. */
export const earnedQuery = (workspaceId: string, now: Date, partnerId?: string) =>
  sql<EarnedSums>`
    with own as (${
      partnerId === undefined
        ? sql`select ${workspaceId}::uuid as workspace_id, ${cutoffOf(sql`${workspaceId}::uuid`)} as cutoff_at`
        : sql`select id, workspace_id, ${cutoffOf(sql`partners.workspace_id`)} as cutoff_at
              from partners where workspace_id = ${workspaceId} and id = ${partnerId}`
    })
    select currency, ${SUMS} from (${parts(now, partnerId !== undefined)}) parts group by currency order by currency`

/** The earnings of the partners of an email address, by partner. */
export const ownEarnedQuery = (email: string, now: Date) =>
  sql<EarnedSums & { partnerId: string }>`
    with own as (
      select id, workspace_id, ${cutoffOf(sql`partners.workspace_id`)} as cutoff_at from partners where email = ${email}
    )
    select id as "partnerId", currency, ${SUMS} from (${parts(now, true)}) parts group by id, currency order by currency`

const SUMS = sql`
  coalesce(sum(held), 0)::bigint as "heldCents", coalesce(sum(pending), 0)::bigint as "pendingCents",
  coalesce(sum(payable), 0)::bigint as "payableCents", coalesce(sum(processing), 0)::bigint as "processingCents",
  coalesce(sum(paid), 0)::bigint as "paidCents"`

/**
 * Up to when the balances of a workspace count what is payable.
 * @param workspaceId a parameter, or a reference to a column
 */
const cutoffOf = (workspaceId: RawBuilder<unknown>) => sql`
  coalesce((select k.cutoff_at from balance_cutoffs k where k.workspace_id = ${workspaceId}), '-infinity')`

/**
 * Whether the commission `c` becomes payable between a cutoff and now, whichever is later: what
 * balances have counted too little, or too much.
 */
const isBetween = (cutoff: RawBuilder<unknown>, now: Date) => sql`
  c.payable_at > least(${cutoff}, ${now}::timestamptz) and c.payable_at <= greatest(${cutoff}, ${now}::timestamptz)`

/** The amount of the commission `c` by which the balances at the cutoff differ. */
const since = (cutoff: RawBuilder<unknown>, now: Date) =>
  sql`case when ${cutoff} <= ${now}::timestamptz then c.amount_cents else -c.amount_cents end`

/** The open commissions of open holds, `c`, with their reversals. They are few. */
const held = sql`
  commission_holds h cross join lateral (
    select c.* from commissions c where c.id = h.commission_id and c.payout_id is null
    union all
    select r.* from commissions r where r.reverses_id = h.commission_id and r.payout_id is null) c`

/** Whether the unpaid payout `p` may have commissions: the predicate of payouts_unpaid_idx. */
export const isUnpaid = (p: string) => {
  const payout = sql.table(p)
  return sql`(${payout}.paid_at is null
      and (${payout}.failed_at is null and ${payout}.canceled_at is null or ${payout}.is_freeing))`
}

/**
 * What the earnings of `own` consist of: folded totals, differences, and what depends on the time
 * or on a hold.
 *
 * @param isPartner whether `own` are partners, else a workspace
 */
const parts = (now: Date, isPartner: boolean): RawBuilder<unknown> => {
  const id = isPartner ? sql`own.id` : sql`null::uuid as id`
  const isOwn = (row: string) =>
    isPartner
      ? sql`${sql.table(row)}.workspace_id = own.workspace_id and ${sql.table(row)}.partner_id = own.id`
      : sql`${sql.table(row)}.workspace_id = own.workspace_id`
  const isTotal = isPartner
    ? sql`b.of_id = own.id and b.starts_on = '-infinity' and b.value = ''`
    : sql`b.workspace_id = own.workspace_id and b.level = 'program'`
  const between = since(sql`own.cutoff_at`, now)
  const isPayable = sql`c.payable_at <= ${now}::timestamptz`
  return sql`
    select ${id}, b.currency, 0 as held, b.open_cents - b.due_cents as pending, b.due_cents as payable, 0 as processing,
           b.claimed_cents as paid
    from own join totals b on ${isTotal} and ${isBalance('b')}
    union all
    select ${id}, t.currency, 0, case when t.due_at <= own.cutoff_at then 0 else t.open_cents end,
           case when t.due_at <= own.cutoff_at then t.open_cents else 0 end, 0, t.claimed_cents
    from own join total_deltas t on ${isOwn('t')} where t.due_at is not null
    union all
    select ${id}, c.currency, 0, -${between}, ${between}, 0, 0
    from own join commissions c on ${isOwn('c')} where c.payout_id is null and ${isBetween(sql`own.cutoff_at`, now)}
    union all
    select ${id}, c.currency, c.amount_cents, case when ${isPayable} then 0 else -c.amount_cents end,
           case when ${isPayable} then -c.amount_cents else 0 end, 0, 0
    from own join ${held} on ${isOwn('c')}
    where h.workspace_id = own.workspace_id and h.resolved_at is null and c.payable_at < ${NEVER}::timestamptz
    union all
    select ${id}, p.currency, 0, 0, 0, p.cents, -p.cents from own cross join lateral (${isPartner ? inPayouts : inRuns}) p`
}

/** Whether the row `t` of totals is a balance. */
const isBalance = (t: string) => {
  const total = sql.table(t)
  return sql`${total}.dimension = 'all' and ${total}.unit = 'all_time' and ${total}.currency <> ''`
}

/** The rest of the payout `q`, which is releasing its commissions. */
const remaining = sql`(select coalesce(sum(c.amount_cents), 0)::bigint from commissions c where c.payout_id = q.id)`

/** The sum in payouts to the partner `own`. */
const inPayouts = sql`
      select q.currency, case when q.is_freeing then ${remaining} else q.amount_cents end as cents
      from payouts q where q.partner_id = own.id and ${isUnpaid('q')}`

/**
 * What is being paid in the workspace `own`, by the totals of runs, whose payouts may be many. Few
 * are releasing commissions.
 */
const inRuns = sql`
      select r.currency, r.amount_cents as cents from totals r
      where r.workspace_id = own.workspace_id and r.dimension = 'status' and r.value in ('processing', 'canceling')
      union all
      select t.currency, t.amount_cents from total_deltas t
      where t.workspace_id = own.workspace_id and t.partner_id is null and t.status in ('processing', 'canceling')
      union all
      select q.currency, ${remaining} - case when q.status in ('processing', 'canceling') then q.amount_cents else 0 end
      from payouts q where q.workspace_id = own.workspace_id and q.is_freeing and q.paid_at is null`

/**
 * What is payable to each partner of a workspace, by currency, if it is not zero: rows of
 * partner_id, currency, amount_cents. The balances are many, what they do not count yet is little:
 * so only that is grouped.
 */
export const payableSums = (workspaceId: string, now: Date) => {
  const cutoff = cutoffOf(sql`${workspaceId}`)
  return sql`
  select * from (
    select coalesce(b.of_id, d.partner_id) as partner_id, coalesce(b.currency, d.currency) as currency,
           coalesce(b.due_cents, 0) + coalesce(d.cents, 0) as amount_cents
    from (select of_id, currency, due_cents from totals t
          where t.workspace_id = ${workspaceId} and t.level = 'partner' and ${isBalance('t')}) b
    full join (
      select partner_id, currency, sum(cents)::bigint as cents
      from (
        select t.partner_id, t.currency, t.open_cents as cents from total_deltas t
        where t.workspace_id = ${workspaceId} and t.due_at <= ${cutoff}
        union all
        select c.partner_id, c.currency, ${since(cutoff, now)} from commissions c
        where c.workspace_id = ${workspaceId} and c.payout_id is null and ${isBetween(cutoff, now)}
        union all
        select c.partner_id, c.currency, -c.amount_cents from ${held}
        where h.workspace_id = ${workspaceId} and h.resolved_at is null and c.payable_at <= ${now}::timestamptz) changes
      group by partner_id, currency) d on d.partner_id = b.of_id and d.currency = b.currency) sums
  where amount_cents <> 0`
}
