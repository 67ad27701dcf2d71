/** Balances that are due, and why a run skips them. claims.queries.ts claims them. */
import { type RawBuilder, sql } from 'kysely'
import type { Cover } from '../../tenancy/settings/funds.ts'
import { isDecidedByHand } from '../../tracking/checks/likely-credits.queries.ts'
import { isHeld } from '../../tracking/holds/holds.queries.ts'
import { chosenMethod } from '../details/payment-details.queries.ts'
import { newSince } from '../details/payment-details.ts'
import type { PayoutMethod, SkipCode } from '../payouts.ts'
import { isWithinLimits } from '../runs/limits.queries.ts'
import { NO_LIMITS, type RunLimits } from '../runs/limits.ts'
import { TRANSFER_STEPS } from '../transfers/transfer-steps.ts'
import { isBelowMinimum } from './minimums.queries.ts'

/** What a run pays: everything payable at the cutoff, in one program or in all. */
export type RunScope = {
  workspaceId: string
  programId: string | null
  method: PayoutMethod
  cutoffAt: Date
  /** The balances that the Stripe balance covers; null for all, also if it is unknown. */
  cover: Cover | null
  /** The balances that the run's maximum covers, if it has one. */
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

/** A scope whose method may be an expression. */
type BalanceScope = Omit<RunScope, 'method'> & {
  id?: string
  method: PayoutMethod | RawBuilder<PayoutMethod>
}

/** Whether the commission `c` is payable: at a preview, or if it was deducted since then. */
const isDue = (cutoffAt: Date, { previewedAt }: RunLimits = NO_LIMITS): RawBuilder<unknown> =>
  previewedAt
    ? sql`(c.payable_at <= ${cutoffAt}::timestamptz or (c.amount_cents < 0 and c.payable_at <= c.created_at))`
    : sql`c.payable_at <= ${cutoffAt}::timestamptz`

/** Whether a run may claim the commission `c`. */
export const isOpen = (
  { workspaceId, programId, cutoffAt, limits }: Omit<RunScope, 'method' | 'cover'>,
  due = isDue(cutoffAt, limits),
): RawBuilder<unknown> => sql`
        c.workspace_id = ${workspaceId} and c.payout_id is null and ${due}
        and (${programId}::uuid is null or c.program_id = ${programId}::uuid)
        and not ${isHeld} ${isWithinLimits(limits)}`

/**
 * The commissions of one partner that a run may claim, by the time they became payable, as a
 * subquery. This order makes Postgres use the index of a partner's payable commissions. With old
 * statistics, it could choose the index of the whole workspace.
 */
export const openOf = (
  partnerId: RawBuilder<unknown>,
  scope: Parameters<typeof isOpen>[0],
): RawBuilder<unknown> => {
  const due = scope.limits?.previewedAt
    ? isDue(scope.cutoffAt, scope.limits)
    : sql`(c.partner_id, c.payable_at) <= (${partnerId}, ${scope.cutoffAt}::timestamptz)`
  return sql`(
  select c.* from commissions c
  where ${isOpen(scope, due)} and c.partner_id >= ${partnerId} and c.partner_id <= ${partnerId}
  order by c.partner_id, c.payable_at, c.id)`
}

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

/** The workspace's payouts that claim or release commissions, as `q`: see freeing.queries.ts. */
const changing = (workspaceId: string) => sql`
    from payouts q where q.workspace_id = ${workspaceId} and (q.claimed_at is null or q.is_freeing)`

/** Whether the rest of the balance `s` is being claimed or released. Read once: these are few. */
export const isChanging = (workspaceId: string) => sql`
  (s.partner_id, s.currency::text) in (select q.partner_id, q.currency::text ${changing(workspaceId)})`

/** The workspace whose accounts are read: none if it does not pay by Stripe. */
const accountsOf = ({ workspaceId, method }: BalanceScope) =>
  sql`(select case when ${method}::text = 'stripe' then ${workspaceId}::uuid end)`

/** The partner, its program and its account of the balance `s`. */
const joined = (scope: BalanceScope) => sql`
    join partners p on p.id = s.partner_id
    join programs g on g.id = p.program_id
    left join payout_accounts a on a.workspace_id = ${accountsOf(scope)} and a.email = p.email
                               and a.disconnected_at is null`

/** The same, looked up. If the tables seem empty to Postgres, a join reads all rows per balance. */
const lookedUp = (scope: BalanceScope) => sql`
    join lateral (select o.* from partners o where o.id = s.partner_id offset 0) p on true
    join programs g on g.id = p.program_id
    left join lateral (select o.* from payout_accounts o
                       where o.workspace_id = ${accountsOf(scope)} and o.email = p.email and o.disconnected_at is null
                       offset 0) a on true`

/**
 * Balances with the destination account, for a run by Stripe, and the reason why a run skips them.
 * The minimum is in minor units of every currency. `w` has what is the same for all balances.
 *
 * @param code limits them to those that a run skips for this reason
 */
export const balances = (scope: BalanceScope, sums: RawBuilder<unknown>, code?: SkipCode) =>
  balancesWith(joined(scope), scope, sums, code)

/** The same for a run, which may begin right after an import. */
export const balancesOneByOne = (scope: BalanceScope, sums: RawBuilder<unknown>) =>
  balancesWith(lookedUp(scope), scope, sums)

/** Why a run skips the balance `s`, each with a condition: the first one that applies. */
type Reasons = [code: SkipCode, applies: RawBuilder<unknown>][]

/** The reasons that apply to any method. */
const anyReasons = ({ id, workspaceId, limits, cutoffAt }: BalanceScope): Reasons => {
  const excludePartnerIds = limits?.excludePartnerIds ?? []
  const anywhere = { workspaceId, programId: null, cutoffAt, ...(limits && { limits }) }
  return [
    ['program_in_shadow', sql`g.mode = 'shadow'`],
    ['test_partner', sql`p.is_test`],
    ['negative_balance', sql`s.amount_cents < 0`],
    ['partner_banned', sql`p.status = 'banned'`],
    ['excluded', sql`s.partner_id = any (${sql.val(excludePartnerIds)}::uuid[])`],
    [
      'below_minimum',
      isBelowMinimum({ workspaceId, id, excludePartnerIds, open: openOf(sql`o.id`, anywhere) }),
    ],
    ['documents_missing', sql`w.require_documents and p.documents_received_at is null`],
  ]
}

const steps = Object.entries(TRANSFER_STEPS).map(
  ([currency, step]) => sql`when ${sql.lit(currency)} then ${sql.lit(step)}`,
)
/** The step of the amounts that Stripe can transfer in the currency of the balance `s`. */
const step = sql`case s.currency::text ${sql.join(steps, sql` `)} else 1 end`

/** Whether the commission `o` was made by hand: only a manager or an API key reported it. */
const isByHand = sql`(o.kind in ('adjustment', 'opening_balance')
                      or exists (select from events e where e.id = o.event_id and ${isDecidedByHand}))`

/** Whether most of the balance `s` was made by hand, net of reversals. For new accounts only. */
const isMostlyByHand = (scope: BalanceScope) => sql`(
                select sum(c.amount_cents) filter (where ${isByHand}) * 2 > sum(c.amount_cents)
                from ${openOf(sql`s.partner_id`, scope)} c
                join commissions o on o.id = coalesce(c.reverses_id, c.id)
                where c.currency = s.currency)`

/** The reasons that apply to payouts by Stripe. */
const stripeReasons = (scope: BalanceScope): Reasons => {
  const { workspaceId, cover, cutoffAt } = scope
  return [
    [
      'other_method',
      sql`w.has_choices and ${chosenMethod(sql`${workspaceId}`, sql`p.email`, sql`${cutoffAt}::timestamptz`)} <> 'stripe'`,
    ],
    [
      'country_not_supported',
      sql`coalesce(a.country, (select u.country from unreachable_people u
                             where u.workspace_id = ${workspaceId} and u.email = p.email)) <> all (w.countries)`,
    ],
    ['account_in_review', sql`a.status = 'in_review'`],
    ['account_restricted', sql`a.status = 'restricted'`],
    ['not_connected', sql`a.status is distinct from 'enabled'`],
    ['account_changed', sql`a.effective_at > ${cutoffAt}::timestamptz`],
    [
      'account_new',
      sql`a.created_at > ${newSince(cutoffAt)}::timestamptz and ${isMostlyByHand(scope)}`,
    ],
    ['amount_too_fine', sql`s.amount_cents % ${step} <> 0`],
    [
      'amount_too_small',
      sql`w.has_too_small and exists (
                select from payouts small where small.workspace_id = ${workspaceId} and small.partner_id = s.partner_id and small.currency = s.currency
                  and small.stripe_account_id = a.stripe_account_id
                  and small.failure_code = 'amount_too_small' and small.amount_cents >= s.amount_cents)`,
    ],
    ['insufficient_funds', sql`not ${isCovered(cover)}`],
  ]
}

const firstOf = (reasons: Reasons, otherwise: RawBuilder<unknown>) => {
  const cases = reasons.map(([code, applies]) => sql`when ${applies} then ${sql.lit(code)}`)
  return sql`case ${sql.join(cases, sql` `)} else ${otherwise} end`
}

/**
 * @param partner joins the partner of each balance
 * @param only    the reason of all that are wanted: whether it applies is cheaper to know than that
 *   no other one comes before
 */
const balancesWith = (
  partner: RawBuilder<unknown>,
  scope: BalanceScope,
  sums: RawBuilder<unknown>,
  only?: SkipCode,
) => {
  const { workspaceId, method, maximum } = scope
  const [any, byStripe] = [anyReasons(scope), stripeReasons(scope)]
  const isOverMaximum = sql`case when not ${isCovered(maximum ?? null)} then 'over_maximum' end`
  const decided = firstOf(
    any,
    sql`coalesce(case when w.by_stripe then ${firstOf(byStripe, sql`null`)} end, ${isOverMaximum})`,
  )
  const applies = [
    ...any,
    ...byStripe.map(([code, is]) => [code, sql`w.by_stripe and ${is}`] as const),
  ]
    .filter(([code]) => code === only)
    .map(([, is]) => sql`and (${is})`)
  return sql`
    select s.*, p.program_id, a.stripe_account_id, ${decided} as code
    from (${sums}) s
    cross join (select require_documents, ${method}::text = 'stripe' as by_stripe,
                       exists (select from payment_details d where d.workspace_id = ${workspaceId}) as has_choices,
                       exists (select from payouts o
                               where o.workspace_id = ${workspaceId} and o.failure_code = 'amount_too_small') as has_too_small,
                       exists (select ${changing(workspaceId)}) as has_changing,
                       (select k.transfer_countries from stripe_keys k where k.workspace_id = ${workspaceId}) as countries
                from workspaces where id = ${workspaceId} offset 0) w
    ${partner}
    where not (w.has_changing and ${isChanging(workspaceId)}) ${sql.join(applies, sql` `)} ${only ? sql`and ${decided} = ${only}` : sql``}`
}

/** The balances that a run would pay or skip now, as a query. */
export const balancesQuery = (scope: RunScope) => sql<Balance>`
    select partner_id as "partnerId", currency, amount_cents as "amountCents", code
    from (${balancesOneByOne(scope, allSums(scope))}) as balances order by partner_id, currency`
