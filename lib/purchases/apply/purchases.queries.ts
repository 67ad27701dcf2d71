/** What the database knows of a purchase, in one read. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { withDates } from '../../db/json-rows.ts'
import type { Click, CouponAlias, PartnerTerms } from '../../rules/attribution/attribution.ts'
import { clickIdsIn } from '../../rules/attribution/click-ids.ts'
import type { FirstSale } from '../../rules/attribution/renewals.ts'
import { identityOf } from '../../rules/identities/identities.ts'
import { identitiesOf } from '../../rules/plans/buyer.ts'
import type { Elsewhere } from '../../rules/plans/checkout-reference.ts'
import { knownFacts } from '../../rules/plans/known-facts.ts'
import type { Loaded } from '../../rules/plans/loaded-facts.ts'
import type { KnownFacts, SharedCard } from '../../rules/plans/plan.ts'
import type { Purchase, Trigger } from '../../rules/plans/purchase.ts'
import { externalIdOf } from '../../rules/purchases/facts.ts'
import type { SalesFrom } from '../../rules/purchases/processors.ts'
import { CLOCK_DIFFERENCE_MS } from '../../rules/steps/occurred-at.ts'
import type { HandCreditStep } from '../../rules/steps/steps.ts'
import { places } from '../../tracking/events/received.queries.ts'
import { type FromJson, reviveTerms } from '../../tracking/reports/facts.queries.ts'
import { sharedCard } from './cards.queries.ts'
import {
  type CandidateRow,
  candidateJson,
  hasCapPer,
  REFUND_JSON,
  type RefundRow,
  reviveCandidate,
  reviveRecorded,
  reviveRefund,
  SALE_JSON,
  type SaleRow,
} from './known-rows.queries.ts'

type CouponRow = Pick<CouponAlias, 'couponId'> & { partnerId: string }

type ClickRow = FromJson<Omit<Click, 'partner'>> & { partnerId: string }

type FactsRow = {
  salesFrom: SalesFrom
  /** All recorded sales of the purchase, oldest first. */
  sales: SaleRow[]
  refunds: RefundRow[]
  candidates: CandidateRow[]
  elsewhere: Elsewhere
  card: SharedCard
  firstSale: (Omit<FirstSale, 'occurredAt'> & { occurredAt: string }) | null
  ofMonth: Loaded['ofMonth']
  terms: FromJson<PartnerTerms>[]
  click: ClickRow | null
  trialClick: ClickRow | null
  coupon: CouponRow | null
  trialCoupon: CouponRow | null
}

/** The end of the second of a processor's time. Ours has milliseconds, and stays. */
const endOfSecond = (at: RawBuilder<unknown>) =>
  sql`case when ${at} = date_trunc('second', ${at}) then ${at} + interval '999 milliseconds' else ${at} end`

/**
 * When the terms of a purchase apply: when it was paid, a second of the processor's time, or
 * reported by the merchant, whichever was first. The amount of a reported sale can be corrected,
 * but not the reward that it was reported under. A recorded time in whole seconds is the
 * processor's, too.
 */
const TERMS_TIME = sql`
    select coalesce(min(t), now()) as paid_from,
           coalesce(min(${endOfSecond(sql`t`)}), now()) as paid_to
    from (select wanted."termsAt" union all select occurred_at from sold union all select report_occurred_at from sold) known (t)`

/** When the setting of who reports sales applies: when it was paid, or else reported. */
const SETTING_TIME = sql`
  coalesce(${endOfSecond(sql`wanted."paidAt"`)}, (select min(${endOfSecond(sql`coalesce(report_occurred_at, occurred_at)`)}) from sold))`

/**
 * The alias of one of a list of coupons: the first that belongs to a partner. One that was added
 * after the sale was credited by another coupon does not change it.
 */
const couponOf = (workspaceId: string, ids: 'coupons' | 'trialCoupons') => sql`
  select a.coupon_id as "couponId", a.partner_id as "partnerId"
  from coupon_aliases a
  where a.workspace_id = ${workspaceId} and a.coupon_id = any(${sql.ref(`wanted.${ids}`)})
    and a.created_at <= coalesce(
      (select min(uuid_extract_timestamp(id)) from sold where attributed_by = 'coupon'), 'infinity'::timestamptz)
  order by array_position(${sql.ref(`wanted.${ids}`)}, a.coupon_id) limit 1`

/** The names of the partner `credited`, and those in which it is paid. */
const NAMES = sql`array(
  select p.name from partners p where p.id = credited.id and p.name is not null
  union select y.name from partners p join payees y on y.workspace_id = p.workspace_id and y.email = p.email
  where p.id = credited.id)`

const CLICK = sql`
  id, created_at as "createdAt", expires_at as "expiresAt", partner_id as "partnerId", slug_key as link, sub`

/** What has the ids of the purchase beside the candidates: see `Elsewhere`. */
const elsewhere = (workspaceId: string) => sql`(
  with named as (
    select t.value from jsonb_to_recordset(wanted.identities) as t (value text)
    union select customer_external_id from sold where report_occurred_at is not null
  )
  select jsonb_build_object(
    'addressed', array(select distinct e.customer_id
                       from named join events e on e.workspace_id = ${workspaceId} and e.addressed_id = named.value
                       where e.id <> all (array(select id from sold))),
    'untied', array(select distinct e.customer_external_id
                    from named join events e on e.workspace_id = ${workspaceId} and e.customer_external_id = named.value
                    where e.kind = 'sale' and e.customer_id is null and e.id <> all (array(select id from sold)))))`

/** The doubt about the credit of a sale, `e`, and a manager's decision about its hold. */
const DOUBT = sql`
  select step, case
           when e.steps @> '[{"code": "commission_rejected"}]' then 'rejected'
           when exists (select from commissions c join commission_holds h on h.commission_id = c.id
                        where c.event_id = e.id and h.resolved_by is not null and h.resolution = 'released') then 'released' end as resolution
  from jsonb_array_elements(e.steps) step where step ->> 'code' in ('late_lead', 'unverified_address') limit 1`

/** What the partners who may be credited have earned in the month of the sale by others. */
const OF_MONTH = sql`(
  select case when ${hasCapPer(sql`terms`, 'partner_month')} then earned_in_month(
    array(select (jsonb_array_elements(terms) ->> 'id')::uuid), own.at, array(select id from sold)) end
  from known_terms, own)`

/** A purchase, and the ids under which its sale may have been reported. */
type Wanted = {
  keys: string[]
  purchase: Purchase
  /** A manager's decision that is being applied. */
  handCredit?: HandCreditStep | null
}

/**
 * Loads what a purchase is planned from, beside its events: its recorded sales, the customers with
 * one of its ids or addresses, and the partners of its coupons and clicks, of those customers and
 * of its subscription.
 *
 * @param keys the ids under which the sale may have been reported
 */
export const loadKnownFacts = async (
  db: Db,
  workspaceId: string,
  keys: string[],
  purchase: Purchase,
  trigger: Trigger = 'sale',
  handCredit: HandCreditStep | null = null,
): Promise<KnownFacts> => {
  const [facts] = await loadAllKnownFacts(
    db,
    workspaceId,
    [{ keys, purchase, handCredit }],
    trigger,
  )
  if (!facts) throw new Error('Nothing was loaded of a purchase.')
  return facts
}

/** The same of several purchases, in one database round trip. */
export const loadAllKnownFacts = async (
  db: Db,
  workspaceId: string,
  purchases: Wanted[],
  trigger: Trigger,
): Promise<KnownFacts[]> => {
  const wanted = purchases.map(({ keys, purchase, handCredit }) => ({
    keys: keys.map(externalIdOf),
    paidAt: purchase.sale?.paidAt ?? null,
    termsAt: purchase.sale?.paidAt ?? purchase.referredAt,
    externalId: purchase.externalId,
    identities: [
      ...identitiesOf(purchase, []),
      ...(purchase.reference === null ? [] : [identityOf(purchase.reference)]),
    ],
    email: purchase.email,
    subscription: purchase.subscription,
    clickIds: purchase.clickIds,
    trialClickIds: clickIdsIn(purchase.trial?.clickId ?? ''),
    coupons: purchase.coupons,
    trialCoupons: purchase.trial?.coupons ?? [],
    creditTo: handCredit?.facts.partnerId ?? null,
    cards: purchase.cards,
    customer: purchase.customer,
  }))
  const hasCard = purchases.some(({ purchase }) => purchase.cards.length > 0)
  const hasReference = purchases.some(({ purchase }) => purchase.reference !== null)
  const { rows } = await sql<FactsRow & { place: number }>`
    select place, facts.*
    from ${places(wanted)} cross join lateral jsonb_to_record(${JSON.stringify(wanted)}::jsonb -> place) as wanted (
      keys text[], "paidAt" timestamptz, "termsAt" timestamptz, "externalId" text, identities jsonb, email text,
      subscription text, "clickIds" text[], "trialClickIds" text[], coupons text[], "trialCoupons" text[], "creditTo" uuid,
      cards text[], customer text)
    cross join lateral (
    with sold as (
      select * from events
      where workspace_id = ${workspaceId} and kind = 'sale' and external_id = any(wanted.keys)
    ), terms_time as materialized (${TERMS_TIME}),
    setting as (
      select coalesce((select f.sales_from from former_sales_from f
                       where f.workspace_id = s.id and f.until > ${SETTING_TIME}
                       order by f.until limit 1), s.sales_from) as sales_from
      from workspaces s where s.id = ${workspaceId}
    ), own as (
      select case when (select sales_from from setting) = 'api'
                  then coalesce((select min(occurred_at) from sold), wanted."paidAt")
                  else coalesce(wanted."paidAt", (select min(occurred_at) from sold)) end as at,
             coalesce((select external_id from sold order by id limit 1), wanted."externalId") as external_id
    ), strong as materialized (
      select i.kind, i.value, i.customer_id
      from jsonb_to_recordset(wanted.identities) as t (kind text, value text)
      join customer_identities i
        on i.workspace_id = ${workspaceId} and i.value = t.value and i.kind = t.kind and i.kind <> 'email'
      union
      select i.kind, i.value, i.customer_id
      from sold join customer_identities i
        on i.workspace_id = ${workspaceId} and i.value = sold.customer_external_id and i.kind <> 'email' and i.kind <> 'guest'
      where sold.report_occurred_at is not null
    ), address as materialized (
      select customer_id from customer_identities
      where workspace_id = ${workspaceId} and kind = 'email' and value = wanted.email
        -- Mappings create no commissions for past invoices: spec, section 4.4.
        and (source <> 'import' or date_trunc('second', created_at) <= (select at from own))
    ), candidate as materialized (select customer_id as id from strong union select customer_id from address),
    first_sale as materialized (
      select case when d.resolution = 'rejected' then null else e.partner_id end as partner_id, e.occurred_at,
             case when d.resolution is null then d.step end as doubt
      from own, events e left join lateral (${DOUBT}) d on true
      where e.workspace_id = ${workspaceId} and e.subscription_id = wanted.subscription and e.kind = 'sale'
        and e.id <> all (array(select id from sold)) and (e.occurred_at, e.external_id) < (own.at, own.external_id)
      order by e.occurred_at, e.external_id limit 1
    ), click as materialized (
      select ${CLICK} from clicks
      -- The click of a trial is not its first payment's own: the trial's coupon comes before it.
      where workspace_id = ${workspaceId} and id = any(array(
        select unnest(wanted."clickIds") union select click_id from sold where click_id <> all(wanted."trialClickIds")))
      order by created_at <= (select at from own) + ${CLOCK_DIFFERENCE_MS} * interval '1 millisecond' desc,
               expires_at > wanted."termsAt" desc, created_at desc, id limit 1
    ), trial_click as materialized (
      select ${CLICK} from clicks where workspace_id = ${workspaceId} and id = any(wanted."trialClickIds")
      order by expires_at > wanted."termsAt" desc, created_at desc, id limit 1
    ), coupon as materialized (${couponOf(workspaceId, 'coupons')}
    ), trial_coupon as materialized (${couponOf(workspaceId, 'trialCoupons')}
    ), known_terms as materialized (
      select coalesce(jsonb_agg(terms_of_partner(credited.id, null, paid_from, paid_to)::jsonb
                                || jsonb_build_object('names', ${NAMES})), '[]') as terms from terms_time, (
         select partner_id as id from referrals where customer_id in (select id from candidate)
         union select partner_id from first_sale where partner_id is not null
         union select partner_id from sold where partner_id is not null
         union select (jsonb_path_query(steps, '$[*] ? (@.code == "partner_code")') -> 'facts' ->> 'partnerId')::uuid from sold
         union select id from partners where workspace_id = ${workspaceId} and id = wanted."creditTo"
         union select "partnerId" from click union select "partnerId" from trial_click
         union select "partnerId" from coupon union select "partnerId" from trial_coupon) credited
    )
    select
      (select sales_from from setting) as "salesFrom",
      (select coalesce(jsonb_agg(${SALE_JSON} order by s.id), '[]') from sold s) as "sales",
      (select coalesce(jsonb_agg(${REFUND_JSON} order by r.id), '[]') from (
         select * from events where workspace_id = ${workspaceId} and sale_external_id = any(wanted.keys)
         union select * from events where sale_id = any(array(select id from sold))) r) as "refunds",
      (select coalesce(jsonb_agg(${candidateJson(hasReference)} order by cu.id), '[]')
       from customers cu where cu.id in (select id from candidate)) as "candidates",
      ${hasReference ? elsewhere(workspaceId) : sql`'{"addressed": [], "untied": []}'::jsonb`} as "elsewhere",
      ${hasCard ? sharedCard(workspaceId) : sql`'{"isShared": false, "emails": []}'::jsonb`} as "card",
      (select jsonb_build_object('partnerId', partner_id, 'occurredAt', occurred_at, 'doubt', doubt)
       from first_sale) as "firstSale",
      (select terms from known_terms) as "terms",
      ${OF_MONTH} as "ofMonth",
      (select to_jsonb(c) from click c) as "click",
      (select to_jsonb(c) from trial_click c) as "trialClick",
      (select to_jsonb(c) from coupon c) as "coupon",
      (select to_jsonb(c) from trial_coupon c) as "trialCoupon"
    from (select ${workspaceId}::uuid as id) w
    ) facts
  `.execute(db)

  const byPlace = new Map(rows.map((row) => [row.place, revive(row)]))
  return purchases.map(({ purchase, keys, handCredit = null }, place) => {
    const loaded = byPlace.get(place)
    if (!loaded) throw new Error('A select from one row returned none.')
    return knownFacts(purchase, { ...loaded, handCredit }, keys, trigger)
  })
}

const revive = (row: FactsRow): Omit<Loaded, 'handCredit'> => {
  const { salesFrom, firstSale } = row
  const terms = new Map(row.terms.map((partner) => [partner.id, reviveTerms(partner)]))
  const coupon = (alias: CouponRow | null): CouponAlias | null => {
    const partner = terms.get(alias?.partnerId ?? '')
    return alias && partner ? { couponId: alias.couponId, partner } : null
  }
  const click = (found: ClickRow | null): Click | null => {
    const partner = terms.get(found?.partnerId ?? '')
    return found && partner ? { ...withDates(found, 'createdAt', 'expiresAt'), partner } : null
  }
  return {
    salesFrom,
    terms,
    sales: row.sales.map(reviveRecorded),
    refunds: row.refunds.map(reviveRefund),
    candidates: row.candidates.map(reviveCandidate),
    elsewhere: row.elsewhere,
    card: row.card,
    coupon: coupon(row.coupon),
    click: click(row.click),
    trialCoupon: coupon(row.trialCoupon),
    trialClick: click(row.trialClick),
    firstSale: firstSale && withDates(firstSale, 'occurredAt'),
    ofMonth: row.ofMonth,
  }
}
