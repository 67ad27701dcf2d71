/** Purchases that Stripe tells of: all that is known of one, in two reads. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import type { Click, CouponAlias, PartnerTerms } from '../tracking/attribution.ts'
import { clickJson, type FromJson, reviveClick, reviveTerms, termsJson } from '../tracking/facts.queries.ts'
import type { StripeFact } from './facts.ts'
import type { PurchaseFacts, RecordedSale } from './plan.ts'
import type { Purchase, ToldFact } from './purchase.ts'
import type { StandingCommission } from './reversals.ts'

/** A list of texts as Postgres takes it. */
export const textArray = (values: string[]) =>
  sql`array(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`

/** What was known of a purchase when it was read: by it, whoever saves finds out whether more was told meanwhile. */
export type Told = { keys: string[]; events: number }

/**
 * All that Stripe has told of one purchase: the events that name one of its keys, and those that name one of theirs,
 * and so on, since a refund may be tied to its sale only by way of a payment and an invoice.
 *
 * @returns the facts, every key that any of them names, and by how many events they were told
 */
export const loadPurchase = async (
  db: Db,
  workspaceId: string,
  keys: string[],
): Promise<{ told: ToldFact[] } & Told> => {
  const { rows } = await sql<{ facts: StripeFact[]; keys: string[]; occurredAt: Date }>`
    with recursive known as (
      select id, keys from stripe_events where workspace_id = ${workspaceId} and keys && ${textArray(keys)}
      union
      select e.id, e.keys
      from known join stripe_events e on e.workspace_id = ${workspaceId} and e.keys && known.keys
    )
    select e.facts, e.keys, e.occurred_at as "occurredAt"
    from known join stripe_events e on e.id = known.id
  `.execute(db)
  return {
    told: rows.flatMap(({ facts, occurredAt }) => facts.map((fact) => ({ fact, at: occurredAt }))),
    keys: [...new Set([...keys, ...rows.flatMap((row) => row.keys)])],
    events: rows.length,
  }
}

/** A recorded sale as it comes out of JSON. */
type SaleRow = Omit<RecordedSale, 'sale' | 'commission' | 'occurredAt'> & {
  occurredAt: string
  amountCents: number
  currency: string
  commission:
    | (Omit<StandingCommission, 'amountCents' | 'reversedCents' | 'payableAt'> & {
        amountCents: number
        reversedCents: number
        payableAt: string
      })
    | null
}

type FactsRow = {
  /** All that are recorded of the purchase, the first first. */
  sales: SaleRow[]
  customer: PurchaseFacts['customer']
  owner: FromJson<PartnerTerms> | null
  click: FromJson<Click> | null
  coupon: (Pick<CouponAlias, 'couponId'> & { partner: FromJson<PartnerTerms> }) | null
}

/**
 * The times at which a purchase itself may have brought its customer to a partner: by its checkout, or while that was
 * not known by its payment, or by the merchant's report. What it brought is no owner that it has to respect.
 */
export const ownTimes = ({ broughtAt, sale }: Purchase) =>
  sql`${broughtAt}::timestamptz, ${sale?.paidAt ?? null}::timestamptz`

/** What the purchase earned does not count as the customer's first commission when it is decided again. */
const OF_OTHER_SALES = sql`and c.event_id <> all (array(select id from sold))`

/** A sale, `s`, with the commission that stands for it, as one JSON value. */
const SALE_JSON = sql`jsonb_build_object(
  'id', s.id, 'externalId', s.external_id, 'customerExternalId', s.customer_external_id,
  'occurredAt', s.occurred_at, 'partnerId', s.partner_id, 'attributedBy', s.attributed_by, 'clickId', s.click_id,
  'amountCents', s.amount_cents, 'currency', s.currency, 'steps', s.steps, 'revision', s.revision,
  'commission', (
    select jsonb_build_object(
      'id', c.id, 'partnerId', c.partner_id, 'slug', p.slug, 'payableAt', c.payable_at,
      'amountCents', c.amount_cents, 'currency', c.currency,
      'reversedCents', (select coalesce(-sum(r.amount_cents), 0) from commissions r
                        where r.event_id = s.id and r.reverses_id = c.id))
    from commissions c join partners p on p.id = c.partner_id
    where c.event_id = s.id and c.kind <> 'reversal'
      and not exists (select from commissions r where r.replaces_id = c.id)))`

/**
 * What decides a purchase beside itself, in one read: its sales, if any are recorded, the customer and whose it was when
 * it paid, and where the checkout's coupons and clicks lead.
 *
 * The customer is known by Stripe's id, else by the merchant's, which may have reported the sale, else by the
 * address, where the address is its id, as mappings may be imported so. Whoever left neither is known by the purchase.
 *
 * @param keys under any of which the sale may have been reported
 */
export const loadPurchaseFacts = async (
  db: Db,
  workspaceId: string,
  keys: string[],
  purchase: Purchase,
): Promise<PurchaseFacts> => {
  const { customer, email, checkout, sale } = purchase
  const coupons = textArray(checkout?.coupons ?? [])
  const { rows } = await sql<FactsRow>`
    with sold as (
      select * from events
      where workspace_id = ${workspaceId} and kind = 'sale' and external_id = any(${textArray(keys)})
    )
    select
      (select coalesce(jsonb_agg(${SALE_JSON} order by s.id), '[]') from sold s) as "sales",
      case when cu.id is not null then jsonb_build_object(
        'id', cu.id, 'externalId', cu.external_id, 'stripeCustomerId', cu.stripe_customer_id) end as "customer",
      ${termsJson(
        sql`(select r.partner_id from referrals r
             where r.customer_id = cu.id and r.referred_at <= ${sale?.paidAt ?? null}::timestamptz
               and (r.referred_at in (${ownTimes(purchase)})) is not true
               and r.referred_at <> all (array(select occurred_at from sold))
             order by r.referred_at desc, r.partner_id limit 1)`,
        OF_OTHER_SALES,
      )} as "owner",
      (select ${clickJson(OF_OTHER_SALES)} from clicks cl
       where cl.workspace_id = w.id
         and cl.id = any(array(select ${checkout?.clickId ?? null}::text union select click_id from sold))
       order by cl.created_at desc, cl.id limit 1) as "click",
      (select jsonb_build_object('couponId', a.coupon_id, 'partner', ${termsJson(sql`a.partner_id`, OF_OTHER_SALES)})
       from coupon_aliases a where a.workspace_id = w.id and a.coupon_id = any(${coupons})
       order by array_position(${coupons}, a.coupon_id) limit 1) as "coupon"
    from (select ${workspaceId}::uuid as id) w
    left join lateral (
      select * from (
        select 1 as rank, c.* from customers c where c.workspace_id = w.id and c.external_id = ${customer}
        union all
        select 2, c.* from customers c where c.workspace_id = w.id and c.stripe_customer_id = ${customer}
        union all
        select 3, c.* from customers c
        where c.workspace_id = w.id and c.external_id = any(array(select customer_external_id from sold))
        union all
        select 4, c.* from customers c where c.workspace_id = w.id and c.external_id = ${email}
        union all
        select 5, c.* from customers c where c.workspace_id = w.id and c.email = ${email} and c.external_id like '%@%'
        union all
        select 6, c.* from customers c where c.workspace_id = w.id and c.external_id = ${purchase.externalId}
      ) c order by c.rank, c.id limit 1) cu on true
  `.execute(db)

  const [row] = rows
  if (!row) throw new Error('A select without a table gave no row.')
  const [recorded = null, ...duplicates] = row.sales.map(reviveSale)
  return {
    recorded,
    duplicates,
    customer: row.customer,
    customerPartner: row.owner && reviveTerms(row.owner),
    click: row.click && reviveClick(row.click),
    coupon: row.coupon && { couponId: row.coupon.couponId, partner: reviveTerms(row.coupon.partner) },
  }
}

const reviveSale = ({ amountCents, currency, commission, occurredAt, ...sale }: SaleRow): RecordedSale => ({
  ...sale,
  occurredAt: new Date(occurredAt),
  sale: { amountCents: BigInt(amountCents), currency },
  commission: commission && {
    ...commission,
    amountCents: BigInt(commission.amountCents),
    reversedCents: BigInt(commission.reversedCents),
    payableAt: new Date(commission.payableAt),
  },
})
