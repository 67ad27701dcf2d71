/**
 * Reads stored purchases page by page, to check the ledger. In plain SQL, for the connection of a
 * command: it reads all of them from one moment, for longer than a request may take.
 */
import type { SalesFrom, StoredPurchase } from './purchase.ts'

export type Query = <Row extends Record<string, unknown>>(
  text: string,
  values?: unknown[],
) => Promise<Row[]>

/** Whether Stripe alone reported the sales of the workspace of `s` at some time. */
const ONCE_FROM_STRIPE = `(
  exists (select from workspaces o where o.id = s.workspace_id and o.sales_from = 'stripe')
  or exists (select from former_sales_from f where f.workspace_id = s.workspace_id and f.sales_from = 'stripe'))`

/** The products by which other sales of its customer have earned, not later than the sale `s`. */
const REWARDED_PRODUCTS = `array(
  select distinct r.product from rewarded_products r
  where s.steps @> '[{"code": "line_reward", "facts": {"refusal": "one_time_already_rewarded"}}]'
    and r.customer_id = s.customer_id and r.event_id <> s.id and r.program_id = c.program_id
    and r.occurred_at < s.occurred_at + interval '1 second')`

/**
 * What the rules of the reward `w` ask of the sale `s`. A sale at the same time, one that counts
 * under another id, or one that was reported where Stripe reports the sales may count as an earlier
 * payment, and so does the start of an import.
 */
const RULED = `
  select jsonb_build_object('rules', coalesce(w.rules, '[]'), 'lines', s.lines, 'country', s.country, 'metadata', s.metadata,
    'isErased', s.is_erased, 'tier', jsonb_path_query_first(s.steps, '$[*] ? (@.code == "tier").facts.tier'),
    'rewardedProducts', ${REWARDED_PRODUCTS}, 'paidBefore', case when s.customer_id is not null and not s.is_erased and w.rules::text like '%"payment"%' then (
      select jsonb_build_object(
        'least', count(*) filter (where b.occurred_at < s.occurred_at
                                    and not b.is_duplicate and not b.steps @> '[{"code": "same_purchase"}]'
                                    and (b.report_occurred_at is null or not ${ONCE_FROM_STRIPE}
                                         or exists (select from processor_events p where p.event_id = b.id))),
        'most', count(*) + (exists (select from referrals r where r.customer_id = s.customer_id
                                                              and r.started_at is not null))::integer)
      from events b
      where b.workspace_id = s.workspace_id and b.customer_id = s.customer_id and b.kind = 'sale' and b.id <> s.id
        and b.amount_cents > 0 and b.occurred_at <= s.occurred_at) end)
  where w.rules is not null or s.steps @> '[{"code": "line_reward"}]'`

/** The commission `c` of the sale `s`. */
const COMMISSION = `
  select jsonb_build_object(
    'amountCents', c.amount_cents, 'currency', c.currency,
    'reversedCents', (select coalesce(-sum(r.amount_cents), 0) from commissions r where r.reverses_id = c.id),
    'ruled', (${RULED}), 'caps', w.caps, 'earnedBefore', case when w.caps::text like '%"customer"%' then (
      select coalesce(sum(o.amount_cents), 0) from events b join commissions o on o.id = b.commission_id
      where b.customer_id = s.customer_id and b.kind = 'sale' and o.partner_id = c.partner_id and o.currency = c.currency
        and (b.occurred_at, b.external_id) < (s.occurred_at, s.external_id)) end,
    'basisPoints', w.basis_points, 'flatCents', w.amount_cents, 'flatCurrency', w.currency,
    'byHand', (select coalesce(jsonb_agg(jsonb_build_object('amountCents', -r.amount_cents, 'ofCents', o.amount_cents)), '[]')
               from commissions r join adjustments a on a.commission_id = r.id join commissions o on o.id = r.reverses_id
               where r.event_id = s.id and o.partner_id = c.partner_id),
    'isRejected', s.steps @> '[{"code": "commission_rejected"}]'
                  or exists (select from commission_holds h where h.commission_id = c.id and h.resolution = 'rejected'),
    'isCompared', exists (select from commission_holds h where h.evidence_event_id = s.id)
                  or exists (select from commissions o join commission_holds h on h.commission_id = o.id where o.event_id = s.id))
  from commissions c join rewards w on w.id = c.reward_id where c.id = s.commission_id`

/**
 * The tier of the sale `s`. What was counted of a day is kept for 92 days. A time zone may begin a
 * day half a day earlier or later.
 */
const TIER = `
  select jsonb_build_object('facts', t.facts,
    'reachedOfDay', (select f.reached from tier_figures f
                     where f.partner_id = s.partner_id and f.day = d.day and f.day > current_date - 92
                       and f.measure = t.facts ->> 'by' and f.period = t.facts ->> 'period'
                       and f.currency = coalesce(t.facts ->> 'currency', '')),
    'inForce', (select coalesce(jsonb_agg(v.tiers), '[]')
                from (select o.tiers, o.until, lag(o.until) over (order by o.until) as since
                      from partners p join program_terms o on o.id = p.program_id where p.id = s.partner_id) v
                where v.until > d.day - interval '1 day' and coalesce(v.since, '-infinity') < d.day + interval '2 days'))
  from (select jsonb_path_query_first(s.steps, '$[*] ? (@.code == "tier").facts') as facts) t
  cross join lateral (select coalesce((t.facts ->> 'day')::date, s.occurred_at::date) as day) d
  where t.facts is not null
     or (select w.rules::text ~ '"fact": ?"tier"' from commissions c join rewards w on w.id = c.reward_id
         where c.id = s.commission_id)`

/** The sale `s`. */
const SALE = `jsonb_build_object(
  'id', s.id, 'externalId', s.external_id, 'customerId', s.customer_id, 'occurredAt', s.occurred_at, 'amountCents', s.amount_cents, 'returnedCents', s.returned_cents, 'currency', s.currency,
  'steps', array(select step ->> 'code' from jsonb_array_elements(s.steps) step),
  'lineRewards', jsonb_path_query_array(s.steps, '$[*] ? (@.code == "line_reward").facts'),
  'cap', jsonb_path_query_first(s.steps, '$[*] ? (@.code == "cap_applied").facts'),
  'tier', (${TIER}),
  'isToBeReplanned', exists (select from customers k where k.id = s.customer_id and k.replan_from is not null),
  'settings', (select jsonb_build_object('rewardShipping', g.reward_shipping, 'creditOutOfBand', g.credit_out_of_band)
               from partners p join programs g on g.id = p.program_id where p.id = s.partner_id),
  'hadOtherSettings', exists (select from partners p join programs g on g.id = p.program_id
                              where p.id = s.partner_id and g.terms_since is not null),
  'isFirstRewarded', not exists (
     select from events b
     where b.workspace_id = s.workspace_id and b.kind = 'sale' and b.commission_id is not null
       and (b.subscription_id = s.subscription_id or s.subscription_id is null and b.customer_id = s.customer_id)
       and (b.occurred_at, b.external_id) < (s.occurred_at, s.external_id)),
  'commission', (${COMMISSION}),
  'earned', (select coalesce(jsonb_agg(jsonb_build_object('amountCents', t.cents, 'currency', t.currency)), '[]')
             from (select sum(c.amount_cents) as cents, c.currency from commissions c where c.event_id = s.id
                   group by c.currency) t))`

/**
 * The purchases of some roots: rows with an id and keys. Of each, all events that share a key with
 * it, directly or through others, and all sales that are recorded under one of these keys.
 */
const purchasesOf = (roots: string) => `
  with root as materialized (${roots})
  select root.id as "rootId", k.keys, received.events, sold.sales, refunds.reported
  from root
  cross join lateral (
    with recursive known as (
      select p.id, p.keys from processor_events p where p.workspace_id = $1 and p.keys && root.keys
      union
      select p.id, p.keys from known join processor_events p on p.workspace_id = $1 and p.keys && known.keys
    )
    select coalesce(array_agg(known.id), '{}') as ids from known
  ) found
  cross join lateral (
    select coalesce(jsonb_agg(jsonb_build_object(
             'id', p.id, 'facts', p.facts, 'occurredAt', p.occurred_at, 'receivedAt', p.received_at,
             'outcome', p.outcome ->> 'code') order by p.occurred_at, p.processor_event_id), '[]') as events
    from processor_events p where p.id = any (found.ids)
  ) received
  cross join lateral (
    select array(select key from processor_events p cross join unnest(p.keys) key where p.id = any (found.ids)
                 union select unnest(root.keys)) as keys
  ) k
  cross join lateral (
    select coalesce(jsonb_agg(${SALE} order by s.id), '[]') as sales, array_agg(s.id) as ids
    from events s
    where s.workspace_id = $1 and s.kind = 'sale'
      and s.external_id = any (array(select regexp_replace(key, '^report:', '') from unnest(k.keys) key))
  ) sold
  cross join lateral (
    select coalesce(jsonb_agg(r.requested), '[]') as reported from events r where r.sale_id = any (sold.ids)
  ) refunds
  order by root.id`

/** The keys of the purchase of a sale `s`. */
const SALE_KEYS = `array[s.external_id, 'report:' || s.external_id]`

const RECORDED = purchasesOf(`
  select s.id, ${SALE_KEYS} as keys from events s
  where s.workspace_id = $1 and s.kind = 'sale' and s.id > $2 order by s.id limit $3`)

const RECEIVED = purchasesOf(`
  select p.id, p.keys from processor_events p
  where p.workspace_id = $1 and p.id > $2 and p.processor = $4 and p.event_id is null and p.keys <> '{}'
  order by p.id limit $3`)

const NEAR = purchasesOf(`
  select distinct s.id, ${SALE_KEYS} as keys
  from events o join events s on s.customer_id = o.customer_id and s.id <> o.id and s.kind = 'sale' and s.currency = o.currency
                             and s.occurred_at between o.occurred_at - $3 * interval '1 hour' and o.occurred_at + $3 * interval '1 hour'
  where o.workspace_id = $1 and o.id = any ($2)`)

const PAGE = 200
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

async function* pages(query: Query, text: string, workspaceId: string, more: unknown[]) {
  let after = BEFORE_ALL
  for (;;) {
    const page = await query<StoredPurchase>(text, [workspaceId, after, PAGE, ...more])
    yield page
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.rootId
  }
}

/** The purchases of which sales are recorded, once for each of these sales. */
export const recordedPurchases = (query: Query, workspaceId: string) =>
  pages(query, RECORDED, workspaceId, [])

/** The purchases of events that have led to no sale, once for each of these events. */
export const receivedPurchases = (query: Query, workspaceId: string, processor: string) =>
  pages(query, RECEIVED, workspaceId, [processor])

/** The purchases of other sales of the same customers and currencies within so many hours. */
export const purchasesNear = (
  query: Query,
  workspaceId: string,
  saleIds: string[],
  hours: number,
) => query<StoredPurchase>(NEAR, [workspaceId, saleIds, hours])

/** The events of a workspace that could not be read, so that nothing of what they report counts. */
export const unreadableEvents = (query: Query, workspaceId: string) =>
  query<{ id: string; type: string; reason: string }>(
    `select processor_event_id as id, type, coalesce(outcome #>> '{facts,reason}', '') as reason from processor_events
     where workspace_id = $1 and outcome ->> 'code' = 'unreadable' order by id`,
    [workspaceId],
  )

/** The settings of who reports sales, oldest first. */
export const salesFromOf = (query: Query, workspaceId: string) =>
  query<SalesFrom>(
    `select to_jsonb(until) as until, sales_from as "salesFrom" from former_sales_from where workspace_id = $1
     union all select null, sales_from from workspaces where id = $1
     order by until nulls last`,
    [workspaceId],
  )

export const allWorkspaces = (query: Query) =>
  query<{ id: string; slug: string }>('select id, slug from workspaces order by slug')
