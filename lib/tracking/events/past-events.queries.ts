/** The past of a program, to be decided again under other terms: see replay.ts. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { firstIdAt } from '../../db/ids.ts'
import { withDates } from '../../db/json-rows.ts'
import type { PartnerTerms } from '../../rules/attribution/attribution.ts'
import type { PastCustomer, PastEvent, PastPartner } from '../../rules/decisions/past-events.ts'
import { erasedMark } from '../../rules/identities/identities.ts'
import type { Referral } from '../../rules/identities/owner.ts'
import { SALE_EXPECTED } from '../../rules/purchases/processors.ts'
import { monthOf } from '../../rules/rewards/caps.ts'
import type { PaymentHistory } from '../../rules/rewards/conditions.ts'
import type { Step } from '../../rules/steps/steps.ts'
import type { PastTiers } from '../../rules/tiers/past-tiers.ts'
import type { Tiers } from '../../rules/tiers/tiers.ts'
import { type FromJson, reviveTerms } from '../reports/facts.queries.ts'
import { textArray } from './received.queries.ts'

/** Which events are read, newest first. */
export type PastPage = {
  programId: string
  /** Those that took place since then. */
  since: Date
  /** Also those that are credited to nobody in the program. */
  isWhole: boolean
  /** Whether changed rules ask for payments; those of saved rewards may. */
  countsPayments: boolean
  /** The id of the last event of the page before. */
  cursor: string | undefined
  limit: number
}

type EventRow = Omit<FromJson<PastEvent>, 'sale' | 'click' | 'purchase' | 'history'> & {
  history: FromJson<PaymentHistory> | null
  amountCents: number | null
  currency: string | null
  click: FromJson<NonNullable<PastEvent['click']>> | null
  purchase:
    | (Omit<FromJson<NonNullable<PastEvent['purchase']>>, 'firstSale'> & {
        firstSale: { id: string; partnerId: string | null; occurredAt: string } | null
      })
    | null
}

/** Steps of events that earn nothing, whatever the reward. */
const EARNS_NOTHING: Step['code'][] = ['commission_rejected', 'same_purchase', SALE_EXPECTED]

/** Whether an address of the buyer of the event, `e`, is erased: id, customer's or checkout's. */
const hadErasedAddress = sql`
  (e.customer_external_id like ${erasedMark('%')}
   or exists (select from customer_identities i
              where i.customer_id = e.customer_id and i.kind = 'email' and i.value like ${erasedMark('%')})
   or exists (select from processor_events s where s.event_id = e.id and s.email like ${erasedMark('%')}))`

/** When the row of an id was made. */
export const timeOfId = (id: string): Date =>
  new Date(Number.parseInt(id.slice(0, 13).replace('-', ''), 16))

/** Events of a purchase count as another sale's until something ties them: see duplicates.ts. */
const duplicatesOf = (sale: RawBuilder<unknown>) => sql`
  select d.id from events d
  where d.customer_id = ${sale}.customer_id and d.occurred_at between ${sale}.occurred_at - interval '1 day' and ${sale}.occurred_at + interval '1 day'
    and d.steps @> jsonb_build_array(jsonb_build_object(
          'code', 'same_purchase', 'facts', jsonb_build_object('externalId', ${sale}.external_id)))`

/** The earlier rows of a window, in the order in which sales use up a reward. */
const BEFORE = sql`order by s.occurred_at, s.external_id rows between unbounded preceding and 1 preceding`

/** All events of the customers of a page, and whether each is a payment. */
const customersEvents = (workspaceId: string) => sql`
  select e.id, e.external_id, e.occurred_at, e.subscription_id, e.customer_id::text as customer, is_payment(e) as is_payment
  from events e
  where e.kind <> 'refund' and e.customer_id in (select customer_id from page)
  union all
  select e.id, e.external_id, e.occurred_at, e.subscription_id, e.customer_external_id, is_payment(e)
  from events e
  where e.workspace_id = ${workspaceId} and e.kind = 'sale' and e.customer_id is null
    and e.customer_external_id in (select customer_external_id from page where customer_id is null)`

/**
 * A page of a workspace's sales and leads. An event is recorded when it took place, or later.
 *
 * @returns `cursor` is the id of the last row that was read, if there are more
 */
export const readPastEvents = async (
  db: Db,
  workspaceId: string,
  { programId, since, isWhole, countsPayments, cursor: before, limit }: PastPage,
): Promise<{ events: PastEvent[]; cursor: string | undefined }> => {
  const { rows } = await sql<{ events: EventRow[]; cursor: string | null }>`
    with page as materialized (
      select id, kind, external_id, customer_external_id, customer_id, occurred_at, report_occurred_at, amount_cents, currency,
             partner_id, attributed_by, click_id, subscription_id, steps, metadata, lines, country, coupon, coupons, is_erased
      from events
      where workspace_id = ${workspaceId} and id >= ${firstIdAt(since)}
        and id < ${before ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'}
      order by id desc limit ${limit + 1}
    ), last as (
      select id from page where (select count(*) from page) > ${limit} order by id offset 1 limit 1
    ), history as materialized (
      select s.id, jsonb_build_object(
        'payments', count(*) filter (where s.is_payment) over before,
        'ofSubscription', case when s.subscription_id is not null then
          count(*) filter (where s.is_payment) over (partition by s.customer, s.subscription_id ${BEFORE}) end,
        'firstSaleAt', min(s.occurred_at) filter (where s.is_payment) over before) as paid
      from (${customersEvents(workspaceId)}) s
      where ${countsPayments} or counts_payments(${workspaceId})
      window before as (partition by s.customer ${BEFORE})
    )
    select (select id from last) as cursor,
           coalesce(jsonb_agg(jsonb_build_object(
             'id', e.id, 'kind', e.kind, 'externalId', e.external_id, 'customerExternalId', e.customer_external_id,
             'customerId', coalesce(e.customer_id, known.customer_id), 'occurredAt', e.occurred_at,
             'amountCents', e.amount_cents, 'currency', e.currency,
             'partnerId', e.partner_id, 'attributedBy', e.attributed_by,
             'earnsNothing', jsonb_path_query_array(e.steps, '$[*].code') ?| ${textArray(EARNS_NOTHING)},
             'erasedSelfReferral', (
               select jsonb_build_object('partnerId', e.partner_id, 'by', own.by)
               from (select coalesce(step -> 'facts' ->> 'by', 'mailbox') as by from jsonb_array_elements(e.steps) step
                     where step ->> 'code' = 'self_referral' limit 1) own
               where own.by in ('mailbox', 'tag') and ${hadErasedAddress}),
             'decidedRules', case when e.is_erased and e.partner_id is not null then jsonb_build_object(
               'partnerId', e.partner_id, 'rules', jsonb_path_query_array(e.steps, '$[*] ? (@.code == "line_reward").facts.rule')) end,
             'decidedTier', case when e.partner_id is not null and e.steps @> '[{"code": "tier"}]' then jsonb_build_object(
               'partnerId', e.partner_id, 'tier', jsonb_path_query_first(e.steps, '$[*] ? (@.code == "tier").facts')) end,
             'code', jsonb_path_query_first(e.steps, '$[*] ? (@.code == "partner_code")'),
             'click', case when c.id is not null then jsonb_build_object(
               'id', c.id, 'createdAt', c.created_at, 'expiresAt', c.expires_at, 'partnerId', c.partner_id,
               'link', c.slug_key, 'sub', c.sub) end,
             'metadata', e.metadata, 'lines', e.lines, 'country', e.country, 'coupon', e.coupon, 'history', h.paid,
             'purchase', case when e.kind = 'sale' and (e.report_occurred_at is null or paid.is_sale) then jsonb_build_object(
               'subscription', e.subscription_id,
               'referredAt', coalesce(paid.checked_out_at, e.occurred_at), 'checkoutId', paid.checkout_id,
               'isProration', coalesce(paid.is_proration, false), 'coupons', e.coupons, 'paid', coalesce(paid.amounts, '[]'),
               'firstSale', case when f.id is not null then jsonb_build_object(
                 'id', f.id, 'partnerId', f.partner_id, 'occurredAt', f.occurred_at) end) end)), '[]') as events
    from page e
    left join partners p on p.id = e.partner_id
    left join history h on h.id = e.id
    left join clicks c on c.workspace_id = ${workspaceId} and c.id = e.click_id
    left join lateral (
      select i.customer_id from customer_identities i
      where i.workspace_id = ${workspaceId} and i.value = e.customer_external_id
        and i.kind <> 'email' and i.kind <> 'guest'
      limit 1) known on e.customer_id is null
    left join lateral (
      select bool_or(fact ->> 'kind' in ('checkout', 'invoice', 'intent')) and w.sales_from <> 'api' as is_sale,
             bool_or((fact ->> 'isProration')::boolean) as is_proration,
             jsonb_agg(fact -> 'paid') filter (where jsonb_typeof(fact -> 'paid') = 'object') as amounts,
             min((fact ->> 'createdAt')::timestamptz) filter (where fact ->> 'kind' = 'checkout') as checked_out_at,
             min(fact ->> 'id') filter (where fact ->> 'kind' = 'checkout') as checkout_id
      from processor_events s cross join lateral jsonb_array_elements(s.facts) fact, workspaces w
      where w.id = ${workspaceId} and s.event_id in (select e.id union all ${duplicatesOf(sql`e`)})
      group by w.sales_from) paid on e.kind = 'sale'
    left join lateral (
      select o.id, o.partner_id, o.occurred_at from events o
      where o.workspace_id = ${workspaceId} and o.subscription_id = e.subscription_id and o.kind = 'sale'
        and (o.occurred_at, o.external_id) < (e.occurred_at, e.external_id)
      order by o.occurred_at, o.external_id limit 1) f on e.subscription_id is not null
    where e.kind <> 'refund' and e.id >= coalesce((select id from last), e.id) and e.occurred_at >= ${since} and (${isWhole} or p.program_id = ${programId})
  `.execute(db)
  const [{ events, cursor } = { events: [], cursor: null }] = rows
  return { events: events.map(reviveEvent), cursor: cursor ?? undefined }
}

const reviveEvent = ({
  amountCents,
  currency,
  click,
  history,
  purchase,
  ...event
}: EventRow): PastEvent => ({
  ...withDates(event, 'occurredAt'),
  sale:
    amountCents === null || currency === null
      ? null
      : { amountCents: BigInt(amountCents), currency },
  click: click && withDates(click, 'createdAt', 'expiresAt'),
  history: history && withDates(history, 'firstSaleAt'),
  purchase: purchase
    ? {
        ...withDates(purchase, 'referredAt'),
        firstSale: purchase.firstSale && withDates(purchase.firstSale, 'occurredAt'),
      }
    : undefined,
})

type CustomerRow = Omit<FromJson<PastCustomer>, 'referrals' | 'rewardedSubscriptions'> & {
  id: string
  referrals: FromJson<Referral>[]
  rewardedSubscriptions: { id: string; rewardedAt: string }[]
}

/** Where the events that were read begin, in time and, if there are more, with which id. */
export type PastStart = { programId: string; since: Date; firstId: string | undefined }

/** What the decisions about customers depend on, by their ids. */
export const readPastCustomers = async (
  db: Db,
  workspaceId: string,
  ids: string[],
  { programId, since, firstId }: PastStart,
): Promise<[string, PastCustomer][]> => {
  const { rows } = await sql<CustomerRow>`
    select cu.id,
           array_remove(array(select i.value from customer_identities i where i.customer_id = cu.id and i.kind = 'email')
                        || cu.email, null) as emails,
           not exists (select from customer_identities i
                       where i.customer_id = cu.id and i.kind <> 'email' and i.kind <> 'guest') as "isGuest",
           (select coalesce(jsonb_agg(jsonb_build_object(
              'origin', r.origin, 'partnerId', r.partner_id, 'programId', p.program_id, 'source', r.source,
              'attribution', r.attribution, 'referredAt', r.referred_at, 'clickedAt', r.clicked_at,
              'startedAt', r.started_at)), '[]')
            from referrals r join partners p on p.id = r.partner_id where r.customer_id = cu.id) as referrals,
           (select to_jsonb(e.occurred_at) from events e
            where e.customer_id = cu.id and (e.id < ${firstId ?? firstIdAt(since)} or e.occurred_at < ${since}) and ${programId} = (
              select c.program_id from commissions c where c.id = e.commission_id and c.kind = 'sale')
            order by e.occurred_at limit 1) as "rewardedAt",
           array(select distinct r.product from rewarded_products r
                 where r.customer_id = cu.id and r.program_id = ${programId}
                   and (r.event_id < ${firstId ?? firstIdAt(since)} or r.occurred_at < ${since})) as "rewardedProducts",
           (select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'rewardedAt', s.rewarded_at)), '[]') from (
              select e.subscription_id as id, min(e.occurred_at) as rewarded_at
              from events e join commissions c on c.id = e.commission_id
              where e.customer_id = cu.id and e.subscription_id is not null and c.kind = 'sale'
                and (c.program_id <> ${programId} or e.id < ${firstId ?? firstIdAt(since)}
                     or e.occurred_at < ${since})
              group by e.subscription_id) s) as "rewardedSubscriptions",
           (select coalesce(jsonb_agg(jsonb_build_object('partnerId', s.partner_id, 'currency', s.currency, 'cents', s.cents)), '[]') from (
              select c.partner_id, c.currency, sum(c.amount_cents) as cents
              from events e join commissions c on c.id = e.commission_id
              where e.customer_id = cu.id and c.kind = 'sale' and c.program_id = ${programId}
                and (e.id < ${firstId ?? firstIdAt(since)} or e.occurred_at < ${since})
              group by c.partner_id, c.currency) s) as earned
    from customers cu where cu.workspace_id = ${workspaceId} and cu.id = any (${textArray(ids)}::uuid[])
  `.execute(db)
  return rows.map(({ id, referrals, rewardedSubscriptions, ...customer }) => [
    id,
    {
      ...withDates(customer, 'rewardedAt'),
      rewardedSubscriptions: rewardedSubscriptions.map((row) => withDates(row, 'rewardedAt')),
      referrals: referrals.map((row) => withDates(row, 'referredAt', 'clickedAt', 'startedAt')),
    },
  ])
}

/** The start of a month, in UTC. */
const firstOfMonth = (at: Date): Date => new Date(monthOf(at))

type PartnerRow = Pick<PastPartner, 'name' | 'groupId' | 'earned'> & {
  id: string
  terms: FromJson<PartnerTerms>
  formerStatuses: { until: string; status: PartnerTerms['status'] }[]
}

/** Partners with their present terms, by their ids. */
export const readPastPartners = async (
  db: Db,
  workspaceId: string,
  ids: string[],
  { programId, since, firstId }: PastStart,
): Promise<[string, PastPartner][]> => {
  const { rows } = await sql<PartnerRow>`
    select p.id, p.name, p.group_id as "groupId", terms_of_partner(p.id, null, null, null) as terms,
           (select coalesce(jsonb_agg(jsonb_build_object('until', f.until, 'status', f.status) order by f.until), '[]')
            from former_partner_terms f where f.partner_id = p.id) as "formerStatuses",
           (select coalesce(jsonb_agg(jsonb_build_object(
              'partnerId', p.id, 'month', s.month, 'currency', s.currency, 'cents', s.cents)), '[]') from (
              select utc_day(date_trunc('month', e.occurred_at, 'UTC')) as month, c.currency, sum(c.amount_cents) as cents
              from events e join commissions c on c.id = e.commission_id
              where p.program_id = ${programId} and e.partner_id = p.id and c.kind = 'sale'
                and e.occurred_at >= date_trunc('month', ${since}::timestamptz, 'UTC') and e.id >= ${firstIdAt(firstOfMonth(since))}
                and (e.id < ${firstId ?? firstIdAt(since)} or e.occurred_at < ${since})
              group by 1, c.currency) s) as earned
    from partners p where p.workspace_id = ${workspaceId} and p.id = any (${textArray(ids)}::uuid[])
  `.execute(db)
  return rows.map(({ id, terms, formerStatuses, ...partner }) => [
    id,
    {
      ...partner,
      terms: reviveTerms(terms),
      formerStatuses: formerStatuses.map((row) => withDates(row, 'until')),
    },
  ])
}

/** A year, of which some part of a day may be in another time zone. */
const LONGEST_PERIOD_MS = 367 * 24 * 60 * 60_000

type ReachedRow = { tiers: Tiers; reached: { partnerId: string; day: string; delta: number }[] }

/**
 * The tiers of a program, and what each sale of some partners adds to what they have reached: from
 * the day after the sale until the end of its period. Null without tiers.
 */
export const readPastTiers = async (
  db: Db,
  { programId, since }: PastStart,
  partnerIds: string[],
): Promise<PastTiers | null> => {
  const first = new Date(Number(since) - LONGEST_PERIOD_MS)
  const { rows } = await sql<ReachedRow>`
    with program as (
      select tiers, tiers ->> 'by' as measure, tiers ->> 'period' as period, tiers ->> 'timeZone' as zone,
             tiers ->> 'currency' as currency
      from programs where id = ${programId} and tiers is not null
    ), sale as materialized (
      select s.partner_id, s.customer_id, (s.occurred_at at time zone g.zone)::date as day, sum(s.left_cents) as cents,
             count(*) filter (where s.left_cents > 0) as sales
      from program g join sales_of_partners s on s.partner_id = any (${textArray(partnerIds)}::uuid[])
        and s.id >= case g.period when 'ever' then ${firstIdAt(new Date(0))}::uuid else ${firstIdAt(first)}::uuid end
      where g.measure <> 'netSales' or s.currency = g.currency
      group by 1, 2, 3
    ), lasting as (
      select s.*, case g.period
               when 'month' then (date_trunc('month', s.day) + interval '1 month')::date
               when 'quarter' then (date_trunc('quarter', s.day) + interval '3 months')::date
               when 'year' then s.day + 366
               else date 'infinity' end as until,
             lead(s.day) over (partition by s.partner_id, s.customer_id order by s.day) as next_day
      from program g, sale s where g.measure <> 'customers' or s.sales > 0
    ), added as (
      select s.partner_id, s.day + 1 as day,
             case g.measure when 'netSales' then s.cents when 'sales' then s.sales else 1 end as delta,
             -- A customer counts once: until the day after the next sale, which counts instead.
             case g.measure when 'customers' then least(s.until, s.next_day + 1) else s.until end as until
      from program g, lasting s
    )
    select g.tiers, (
      select coalesce(jsonb_agg(jsonb_build_object('partnerId', partner_id, 'day', day, 'delta', delta) order by day), '[]')
      from (select partner_id, day, sum(delta) as delta from (
              select partner_id, day, delta from added where day < until
              union all select partner_id, until, -delta from added where day < until and until < 'infinity') d
            group by 1, 2) days) as reached
    from program g`.execute(db)
  const [row] = rows
  return (
    (row && {
      tiers: row.tiers,
      reached: Map.groupBy(row.reached, ({ partnerId }) => partnerId),
    }) ??
    null
  )
}
