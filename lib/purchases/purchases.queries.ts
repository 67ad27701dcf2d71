/** What the database knows of a purchase, in one read. */
import { sql } from 'kysely'
import type { Referral } from '../customers/owner.ts'
import type { Db } from '../db/connection.ts'
import type { Click, CouponAlias, PartnerTerms } from '../tracking/attribution.ts'
import { clickJson, type FromJson, reviveClick, reviveTerms, termsJson } from '../tracking/facts.queries.ts'
import { type Candidate, identitiesOf } from './buyer.ts'
import { externalIdOf } from './facts.ts'
import { knownFacts, type Loaded } from './known-facts.ts'
import type { KnownFacts, RecordedSale } from './plan.ts'
import type { SalesFrom } from './processors.ts'
import type { Purchase, Trigger } from './purchase.ts'
import { textArray } from './received.queries.ts'
import type { CurrentCommission } from './reversals.ts'

/** A recorded sale as it comes out of JSON. */
type SaleRow = Omit<RecordedSale, 'sale' | 'commission' | 'occurredAt' | 'reportedAt'> & {
  occurredAt: string
  reportedAt: string | null
  amountCents: number
  currency: string
  commission:
    | (Omit<CurrentCommission, 'amountCents' | 'reversedCents' | 'payableAt'> & {
        amountCents: number
        reversedCents: number
        payableAt: string
      })
    | null
}

type CandidateRow = Omit<Candidate, 'referrals' | 'rewarded'> & {
  referrals: (Pick<Referral, 'origin' | 'partnerId' | 'programId' | 'source' | 'attribution'> &
    Record<'referredAt', string> &
    Record<'clickedAt' | 'startedAt', string | null>)[]
  rewarded: { programId: string; at: string }[]
}

type CouponRow = Pick<CouponAlias, 'couponId'> & { partner: FromJson<PartnerTerms> }

type FactsRow = {
  salesFrom: SalesFrom
  /** All recorded sales of the purchase, oldest first. */
  sales: SaleRow[]
  candidates: CandidateRow[]
  firstSale: { partnerId: string | null; occurredAt: string } | null
  terms: FromJson<PartnerTerms>[]
  click: FromJson<Click> | null
  trialClick: FromJson<Click> | null
  coupon: CouponRow | null
  trialCoupon: CouponRow | null
}

/** The terms that a purchase is decided with. */
const TERMS = {
  isUnstarted: true,
  paidAt: { from: sql`(select paid_from from terms_time)`, to: sql`(select paid_to from terms_time)` },
}

/**
 * When the terms of a purchase apply: when it was paid, a second of the processor's time, or reported by the merchant,
 * whichever was first. The amount of a reported sale can be corrected, but not the reward that it was reported under.
 */
const termsTime = ({ sale, referredAt }: Purchase) => {
  const paidAt = sale?.paidAt ?? referredAt
  // A recorded time in whole seconds is the processor's, too.
  return sql`
    select coalesce(min(t), now()) as paid_from,
           coalesce(min(case when t = date_trunc('second', t) then t + interval '999 milliseconds' else t end), now()) as paid_to
    from (select ${paidAt}::timestamptz union all select occurred_at from sold union all select reported_at from sold) known (t)`
}

/** A sale, `s`, with its current commission, as one JSON value. */
const SALE_JSON = sql`jsonb_build_object(
  'id', s.id, 'externalId', s.external_id, 'customerExternalId', s.customer_external_id,
  'occurredAt', s.occurred_at, 'reportedAt', s.reported_at, 'customerId', s.customer_id,
  'subscriptionId', s.subscription_id, 'partnerId', s.partner_id, 'attributedBy', s.attributed_by, 'clickId', s.click_id,
  'amountCents', s.amount_cents, 'currency', s.currency, 'steps', s.steps, 'revision', s.revision,
  'commission', (
    select jsonb_build_object(
      'id', c.id, 'partnerId', c.partner_id, 'slug', p.slug, 'payableAt', c.payable_at,
      'amountCents', c.amount_cents, 'currency', c.currency,
      'reversedCents', (select coalesce(-sum(r.amount_cents), 0) from commissions r
                        where r.event_id = s.id and r.reverses_id = c.id))
    from commissions c join partners p on p.id = c.partner_id
    where c.id = s.commission_id),
  'lastCommissionId', (
    select c.id from commissions c
    where c.event_id = s.id and c.kind <> 'reversal'
      and not exists (select from commissions n where n.replaces_id = c.id)))`

/** A candidate, `cu`, as one JSON value. Its rewarded sales are those before this one. */
const CANDIDATE_JSON = sql`jsonb_build_object(
  'id', cu.id, 'externalId', cu.external_id, 'email', cu.email, 'name', cu.name, 'revision', cu.revision,
  'needsReplan', cu.replan_from is not null,
  'identities', (select coalesce(jsonb_agg(jsonb_build_object('kind', f.kind, 'value', f.value, 'byAddress', f.by_address)), '[]')
                 from strong f where f.customer_id = cu.id),
  'hasAddress', cu.id in (select customer_id from address),
  'referrals', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'origin', r.origin, 'partnerId', r.partner_id, 'programId', p.program_id, 'source', r.source,
      'attribution', r.attribution, 'referredAt', r.referred_at, 'clickedAt', r.clicked_at, 'startedAt', r.started_at)), '[]')
    from referrals r join partners p on p.id = r.partner_id where r.customer_id = cu.id),
  'rewarded', (
    select coalesce(jsonb_agg(jsonb_build_object('programId', f.program_id, 'at', f.at)), '[]') from (
      select c.program_id, min(e.occurred_at) as at
      from own, events e join commissions c on c.id = e.commission_id
      where e.customer_id = cu.id and c.kind = 'sale' and e.id <> all (array(select id from sold))
        and (e.occurred_at, e.external_id) < (own.at, own.external_id)
      group by c.program_id) f))`

/**
 * Loads what a purchase is planned from, beside its events: its recorded sales, the customers with one of its ids or
 * addresses, and the partners of its coupons and clicks, of those customers and of its subscription.
 *
 * @param keys the ids under which the sale may have been reported
 */
export const loadKnownFacts = async (
  db: Db,
  workspaceId: string,
  keys: string[],
  purchase: Purchase,
  trigger: Trigger = 'sale',
): Promise<KnownFacts> => {
  const { sale, email, subscription, trial } = purchase
  const paidAt = sale?.paidAt ?? null
  const identities = JSON.stringify(identitiesOf(purchase, []))
  const couponOf = (ids: string[]) => sql`(
    select jsonb_build_object('couponId', a.coupon_id, 'partner', ${termsJson(sql`a.partner_id`, TERMS)})
    from coupon_aliases a where a.workspace_id = w.id and a.coupon_id = any(${textArray(ids)})
    order by array_position(${textArray(ids)}, a.coupon_id) limit 1)`
  const { rows } = await sql<FactsRow>`
    with sold as (
      select * from events
      where workspace_id = ${workspaceId} and kind = 'sale' and external_id = any(${textArray(keys.map(externalIdOf))})
    ), terms_time as materialized (${termsTime(purchase)}),
    own as (
      select coalesce(${paidAt}::timestamptz, (select min(occurred_at) from sold)) as at,
             coalesce((select external_id from sold order by id limit 1), ${purchase.externalId}) as external_id
    ), strong as materialized (
      select i.kind, i.value, i.by_address, i.customer_id
      from jsonb_to_recordset(${identities}::jsonb) as t (kind text, value text)
      join customer_identities i
        on i.workspace_id = ${workspaceId} and i.value = t.value and i.kind = t.kind and i.kind <> 'email'
      union
      select i.kind, i.value, i.by_address, i.customer_id
      from sold join customer_identities i
        on i.workspace_id = ${workspaceId} and i.value = sold.customer_external_id and i.kind <> 'email' and i.kind <> 'guest'
      where sold.reported_at is not null
    ), address as materialized (
      select customer_id from customer_identities
      where workspace_id = ${workspaceId} and kind = 'email' and value = ${email}
    ), candidate as materialized (select customer_id as id from strong union select customer_id from address),
    first_sale as materialized (
      select e.partner_id, e.occurred_at from events e, own
      where e.workspace_id = ${workspaceId} and e.subscription_id = ${subscription} and e.kind = 'sale'
        and e.id <> all (array(select id from sold)) and (e.occurred_at, e.external_id) < (own.at, own.external_id)
      order by e.occurred_at, e.external_id limit 1
    )
    select
      coalesce((select f.sales_from from former_sales_from f
                where f.workspace_id = w.id and date_trunc('second', f.until) > ${paidAt}::timestamptz
                order by f.until limit 1),
               (select sales_from from workspaces where id = w.id)) as "salesFrom",
      (select coalesce(jsonb_agg(${SALE_JSON} order by s.id), '[]') from sold s) as "sales",
      (select coalesce(jsonb_agg(${CANDIDATE_JSON} order by cu.id), '[]')
       from customers cu where cu.id in (select id from candidate)) as "candidates",
      (select jsonb_build_object('partnerId', partner_id, 'occurredAt', occurred_at) from first_sale) as "firstSale",
      (select coalesce(jsonb_agg(${termsJson(sql`credited.id`, TERMS)}), '[]') from (
         select partner_id as id from referrals where customer_id in (select id from candidate)
         union select partner_id from first_sale where partner_id is not null
         union select partner_id from sold where partner_id is not null) credited) as "terms",
      (select ${clickJson(TERMS)} from clicks cl
       where cl.workspace_id = w.id
         and cl.id = any(array(select ${purchase.clickId}::text union select click_id from sold))
       order by cl.created_at desc, cl.id limit 1) as "click",
      (select ${clickJson(TERMS)} from clicks cl
       where cl.workspace_id = w.id and cl.id = ${trial?.clickId ?? null}) as "trialClick",
      ${couponOf(purchase.coupons)} as "coupon",
      ${couponOf(trial?.coupons ?? [])} as "trialCoupon"
    from (select ${workspaceId}::uuid as id) w
  `.execute(db)

  const [row] = rows
  if (!row) throw new Error('A select from one row returned none.')
  const { salesFrom, firstSale, coupon, trialCoupon } = row
  const loaded: Loaded = {
    salesFrom,
    sales: row.sales.map(reviveSale),
    candidates: row.candidates.map(reviveCandidate),
    coupon: coupon && reviveCoupon(coupon),
    click: row.click && reviveClick(row.click),
    trialCoupon: trialCoupon && reviveCoupon(trialCoupon),
    trialClick: row.trialClick && reviveClick(row.trialClick),
    firstSale: firstSale && { ...firstSale, occurredAt: new Date(firstSale.occurredAt) },
    terms: new Map(row.terms.map((terms) => [terms.id, reviveTerms(terms)])),
  }
  return knownFacts(purchase, loaded, keys, trigger)
}

const date = (time: string | null): Date | null => (time === null ? null : new Date(time))

const reviveCoupon = ({ couponId, partner }: CouponRow): CouponAlias => ({
  couponId,
  partner: reviveTerms(partner),
})

const reviveCandidate = ({ referrals, rewarded, ...candidate }: CandidateRow): Candidate => ({
  ...candidate,
  referrals: referrals.map(({ referredAt, clickedAt, startedAt, ...referral }) => ({
    ...referral,
    referredAt: new Date(referredAt),
    clickedAt: date(clickedAt),
    startedAt: date(startedAt),
  })),
  rewarded: rewarded.map(({ programId, at }) => ({ programId, at: new Date(at) })),
})

const reviveSale = ({
  amountCents,
  currency,
  commission,
  occurredAt,
  reportedAt,
  ...sale
}: SaleRow): RecordedSale => ({
  ...sale,
  occurredAt: new Date(occurredAt),
  reportedAt: date(reportedAt),
  sale: { amountCents: BigInt(amountCents), currency },
  commission: commission && {
    ...commission,
    amountCents: BigInt(commission.amountCents),
    reversedCents: BigInt(commission.reversedCents),
    payableAt: new Date(commission.payableAt),
  },
})
