/** Recorded sales and customers as the database's JSON values, and revived from them. */
import { type RawBuilder, sql } from 'kysely'
import { withDates } from '../../db/json-rows.ts'
import type { Referral } from '../../rules/identities/owner.ts'
import type { Candidate } from '../../rules/plans/buyer.ts'
import type { RecordedRefund, RecordedSale } from '../../rules/plans/plan.ts'
import type { Capped } from '../../rules/rewards/caps.ts'
import { reviveSale, type SaleJson } from '../../tracking/refunds/refunds.queries.ts'
import type { FromJson } from '../../tracking/reports/facts.queries.ts'

/** A recorded sale as it comes out of JSON. */
export type SaleRow = Omit<
  RecordedSale,
  'sale' | 'returnedCents' | 'commission' | 'occurredAt' | 'reportOccurredAt'
> &
  SaleJson & { returnedCents: number; occurredAt: string; reportOccurredAt: string | null }

/** A sale, `s`, with its current commission, as one JSON value. */
export const SALE_JSON = sql`jsonb_build_object(
  'id', s.id, 'externalId', s.external_id, 'customerExternalId', s.customer_external_id,
  'occurredAt', s.occurred_at, 'reportOccurredAt', s.report_occurred_at, 'customerId', s.customer_id, 'addressedId', s.addressed_id,
  'metadata', s.metadata, 'coupon', s.coupon, 'coupons', s.coupons, 'isErased', s.is_erased,
  'subscriptionId', s.subscription_id, 'partnerId', s.partner_id, 'attributedBy', s.attributed_by, 'clickId', s.click_id,
  'amountCents', s.amount_cents, 'returnedCents', s.returned_cents, 'currency', s.currency, 'lines', s.lines, 'country', s.country, 'steps', s.steps, 'revision', s.revision,
  'commission', (
    select jsonb_build_object(
      'id', c.id, 'partnerId', c.partner_id, 'slug', p.slug, 'payableAt', c.payable_at,
      'amountCents', c.amount_cents, 'currency', c.currency,
      'isMonthCapped', (select w.caps::jsonb @> jsonb_build_array(jsonb_build_object('per', 'partner_month', 'currency', c.currency))
                        from rewards w where w.id = c.reward_id),
      'reversedCents', (select coalesce(-sum(r.amount_cents), 0) from commissions r
                        where r.event_id = s.id and r.reverses_id = c.id))
    from commissions c join partners p on p.id = c.partner_id
    where c.id = s.commission_id),
  'lastCommissionId', (
    select c.id from commissions c
    where c.event_id = s.id and c.kind <> 'reversal'
      and not exists (select from commissions n where n.replaces_id = c.id)))`

export const reviveRecorded = ({ returnedCents, ...row }: SaleRow): RecordedSale => ({
  ...withDates(reviveSale(row), 'occurredAt', 'reportOccurredAt'),
  returnedCents: BigInt(returnedCents),
})

/** A refund as it comes out of JSON. */
export type RefundRow = Omit<RecordedRefund, 'amountCents'> & { amountCents: number | null }

/** A reported refund, `r`, as one JSON value. */
export const REFUND_JSON = sql`jsonb_build_object(
  'id', r.id, 'requested', r.requested, 'saleId', r.sale_id, 'amountCents', r.amount_cents, 'currency', r.currency,
  'steps', r.steps)`

export const reviveRefund = ({ amountCents, ...refund }: RefundRow): RecordedRefund => ({
  ...refund,
  amountCents: amountCents === null ? null : BigInt(amountCents),
})

/** A candidate as it comes out of JSON. */
export type CandidateRow = Omit<Candidate, 'referrals' | 'rewarded' | 'payments' | 'byAddress'> & {
  byAddress: { namedAt: string; isVerified: boolean } | null
  referrals: FromJson<Referral>[]
  rewarded: { programId: string; subscriptionId: string | null; rewardedAt: string }[]
  payments: { subscriptionId: string | null; count: number; firstAt: string }[] | null
}

/** With whom a customer, `cu`, is a possible merge. Either may have been merged since. */
const PAIRED_WITH = sql`
  select coalesce(o.merged_into, o.id)
  from customers mine
  join possible_merges p on mine.id in (p.customer_id, p.named_customer_id)
  join customers o on o.id in (p.customer_id, p.named_customer_id) and o.id <> mine.id
  where mine.workspace_id = cu.workspace_id and (mine.id = cu.id or mine.merged_into = cu.id)`

const HAS_PAID = sql`exists (
  select from events e where e.customer_id = cu.id and e.kind = 'sale' and e.id <> all (array(select id from sold)))`

/** Whether terms ask what a customer paid before: see `PaymentHistory`. */
const asksHistory = (terms: RawBuilder<unknown>) =>
  sql`jsonb_path_exists(${terms}, '$.**.fact ? (@ == "payment" || @ == "customerMonths")')`

/** Whether terms have a cap of this kind: see `CapFacts`. */
export const hasCapPer = (terms: RawBuilder<unknown>, per: Capped) =>
  sql`jsonb_path_exists(${terms}, '$.**.per ? (@ == $per)', jsonb_build_object('per', ${per}::text))`

/** Whether the program of a partner who may be credited rewards each product once. */
const EARNS_PER_PRODUCT = sql`
  jsonb_path_exists((select terms from known_terms), '$[*] ? (@.oneTimePer == "product")')`

/** The customer's payments before this one, whoever was credited with them. */
const PAYMENTS = sql`
  select coalesce(jsonb_agg(jsonb_build_object(
    'subscriptionId', f.subscription_id, 'count', f.count, 'firstAt', f.first_at)), '[]') from (
    select e.subscription_id, count(*), min(e.occurred_at) as first_at
    from own, events e
    where e.customer_id = cu.id and is_payment(e) and e.id <> all (array(select id from sold))
      and (e.occurred_at, e.external_id) < (own.at, own.external_id)
    group by e.subscription_id) f`

/**
 * A candidate, `cu`, as one JSON value. Its rewarded sales, its payments and what it earned are those
 * before this one: the latter two only if the terms of a partner who may be credited ask for them.
 *
 * @param hasReference whether a purchase that is loaded has one
 */
export const candidateJson = (hasReference: boolean) => sql`jsonb_build_object(
  'id', cu.id, 'externalId', cu.external_id, 'email', cu.email, 'name', cu.name, 'revision', cu.revision,
  'emails', array(select i.value from customer_identities i where i.customer_id = cu.id and i.kind = 'email'
                  union select cu.email where cu.email is not null),
  'isMarked', cu.replan_from is not null or cu.addressed_from is not null,
  'identities', (select coalesce(jsonb_agg(jsonb_build_object('kind', f.kind, 'value', f.value)), '[]')
                 from strong f where f.customer_id = cu.id),
  'hasAddress', cu.id in (select customer_id from address),
  'hasPaid', ${hasReference ? HAS_PAID : sql`false`},
  'pairedWith', ${hasReference ? sql`array(${PAIRED_WITH})` : sql`'[]'::jsonb`},
  'byAddress', (
    select jsonb_build_object('namedAt', i.created_at, 'isVerified', i.is_verified)
    from customer_identities i
    where i.customer_id = cu.id and i.kind = 'email' and i.value = wanted.email and i.source <> 'import'),
  'referrals', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'origin', r.origin, 'partnerId', r.partner_id, 'programId', p.program_id, 'source', r.source,
      'attribution', r.attribution, 'referredAt', r.referred_at, 'clickedAt', r.clicked_at, 'startedAt', r.started_at)), '[]')
    from referrals r join partners p on p.id = r.partner_id where r.customer_id = cu.id),
  'rewarded', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'programId', f.program_id, 'subscriptionId', f.subscription_id, 'rewardedAt', f.rewarded_at)), '[]') from (
      select c.program_id, e.subscription_id, min(e.occurred_at) as rewarded_at
      from own, events e join commissions c on c.id = e.commission_id
      where e.customer_id = cu.id and c.kind = 'sale' and e.id <> all (array(select id from sold))
        and (e.occurred_at, e.external_id) < (own.at, own.external_id)
      group by c.program_id, e.subscription_id) f),
  'rewardedProducts', case when ${EARNS_PER_PRODUCT} then (
    select coalesce(jsonb_agg(distinct jsonb_build_object('programId', r.program_id, 'product', r.product)), '[]')
    from own, rewarded_products r
    where r.customer_id = cu.id and r.event_id <> all (array(select id from sold))
      and (r.occurred_at, r.external_id) < (own.at, own.external_id)) else '[]' end,
  'payments', case when ${asksHistory(sql`(select terms from known_terms)`)} then (${PAYMENTS}) end,
  'earned', case when ${hasCapPer(sql`(select terms from known_terms)`, 'customer')} then (
    select earned_before(cu.id, own.external_id, own.at, array(select id from sold)) from own) end)`

export const reviveCandidate = ({
  referrals,
  rewarded,
  payments,
  byAddress,
  ...candidate
}: CandidateRow): Candidate => ({
  ...candidate,
  byAddress: byAddress && withDates(byAddress, 'namedAt'),
  referrals: referrals.map((row) => withDates(row, 'referredAt', 'clickedAt', 'startedAt')),
  rewarded: rewarded.map((row) => withDates(row, 'rewardedAt')),
  payments: payments?.map((row) => withDates(row, 'firstAt')) ?? null,
})
