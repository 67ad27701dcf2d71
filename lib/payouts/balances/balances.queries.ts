/** Balances of partners, and why some are not paid, as managers read them. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { PageRequest } from '../../db/page-request.ts'
import { payableSums } from '../../totals/balances.queries.ts'
import { presentMethod } from '../details/methods.queries.ts'
import type { SkipCode } from '../payouts.ts'
import { balances, balancesOneByOne, isChanging, openOf } from './due.queries.ts'

/** Balances of one currency that a run would pay, or skip for one reason. */
export type BalanceTotal = {
  currency: string
  /** null if a run would pay them. */
  code: SkipCode | null
  /** Negative for what partners owe. */
  amountCents: bigint
  partners: number
}

const presentScope = (workspaceId: string, now: Date) => ({
  workspaceId,
  programId: null,
  method: presentMethod(workspaceId),
  cutoffAt: now,
  cover: null,
})

/** The totals as they come out of JSON. */
type TotalRow = Omit<BalanceTotal, 'amountCents'> & { amountCents: string }

/** The totals of the balances `b`, as a column. */
const totalsOf = (b: RawBuilder<unknown>) => sql`
  (select coalesce(jsonb_agg(to_jsonb(t) order by t.currency, t.code), '[]')
   from (select currency, code, sum(amount_cents)::text as "amountCents", count(*)::int as partners
         from ${b} b group by currency, code) t) as totals`

/**
 * The payable balances of a workspace by currency and by why a run would skip them, as a query of
 * one row. Partners' balances are not netted against each other. Whether the money suffices is not
 * known here.
 */
export const balanceTotalsQuery = (workspaceId: string, now: Date) =>
  sql<{ totals: TotalRow[] }>`
    select ${totalsOf(sql`(
      select currency, code, amount_cents
      from (${balances(presentScope(workspaceId, now), payableSums(workspaceId, now))}) b offset 0)`)}`

/** How many partners a run would skip because of their accounts, by who has to act. */
type Unready = { unconnected: number; inReview: number; restricted: number }

/** The same totals, and how many partners lack nothing but the account, in any currency. */
export const readinessQuery = (workspaceId: string, now: Date) => sql<
  Unready & { totals: TotalRow[] }
>`
    with b as materialized (
      select currency, code, amount_cents, partner_id
      from (${balances(presentScope(workspaceId, now), payableSums(workspaceId, now))}) b
    )
    select count(distinct partner_id) filter (where code = 'not_connected')::int as unconnected,
           count(distinct partner_id) filter (where code = 'account_in_review')::int as "inReview",
           count(distinct partner_id) filter (where code = 'account_restricted')::int as restricted,
           ${totalsOf(sql`b`)}
    from b where code in ('not_connected', 'account_in_review', 'account_restricted')`

export const toBalanceTotals = (totals: TotalRow[]): BalanceTotal[] =>
  totals.map((total) => ({ ...total, amountCents: BigInt(total.amountCents) }))

/** What is payable to a partner in one currency, or owed by it. */
export type PartnerBalance = {
  partnerId: string
  partnerSlug: string
  partnerName: string | null
  currency: string
  /** Negative if the partner owes it. */
  amountCents: bigint
  /** Why a run would skip it; null if one would pay it. */
  code: SkipCode | null
  /** The time since which the balance has been negative; null if it is not. */
  owedSince: Date | null
}

/**
 * The payable balances of the next partners of a workspace, newest partner first, or only the
 * negative ones, or those that a run would skip for one reason. All currencies of a partner are on
 * one page: the limit counts partners.
 */
export const listPartnerBalances = async (
  db: Db,
  workspaceId: string,
  {
    owed = false,
    code,
    partnerId,
    cursor,
    limit,
  }: PageRequest & {
    owed?: boolean | undefined
    code?: SkipCode | undefined
    partnerId?: string | undefined
  },
  now: Date,
): Promise<PartnerBalance[]> => {
  const scope = presentScope(workspaceId, now)
  const isShown = sql`(${partnerId ?? null}::uuid is null or s.partner_id = ${partnerId ?? null}::uuid)
                      and (not ${owed}::boolean or s.amount_cents < 0)`
  const isNext = sql`(${cursor ?? null}::uuid is null or s.partner_id < ${cursor ?? null}::uuid)`
  const sums = sql`select * from (${payableSums(workspaceId, now)}) s where ${isShown}`
  const page = sql`order by partner_id desc limit ${limit}`
  // Why a run would skip a balance is decided on few, unless it is what they are chosen by.
  const shown = code
    ? sql`
    decided as materialized (
      ${balances(scope, sql`${sums} and ${isNext}`, code)}
    ), shown as (
      select distinct partner_id from decided ${page}
    ), b as (
      select decided.* from decided join shown using (partner_id)
    )`
    : sql`
    s as materialized (${sums}), shown as (
      select distinct partner_id from s where ${isNext} and not ${isChanging(workspaceId)} ${page}
    ), b as (
      ${balancesOneByOne(scope, sql`select s.* from shown join s using (partner_id)`)}
    )`
  const { rows } = await sql<PartnerBalance>`
    with ${shown}
    select b.partner_id as "partnerId", p.slug as "partnerSlug", p.name as "partnerName", b.currency,
           b.amount_cents as "amountCents", b.code,
           case when b.amount_cents < 0 then (
             select min(at) from (
               select at, bool_or(total >= 0) over (order by at desc, id desc) as is_before
               from (select c.id, greatest(c.payable_at, c.created_at) as at,
                            sum(c.amount_cents) over (order by greatest(c.payable_at, c.created_at), c.id) as total
                     from ${openOf(sql`b.partner_id`, scope)} c where c.currency = b.currency) steps) falls
             where not is_before) end as "owedSince"
    from b join partners p on p.id = b.partner_id
    order by b.partner_id desc, b.currency`.execute(db)
  return rows
}
