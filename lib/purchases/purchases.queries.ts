/** What the database knows of a purchase, in one read. */
import { sql } from 'kysely'
import { identityOf } from '../customers/identities.ts'
import type { Db } from '../db/connection.ts'
import type { Click, CouponAlias, PartnerTerms } from '../tracking/attribution.ts'
import { clickJson, type FromJson, reviveClick, reviveTerms, termsJson } from '../tracking/facts.queries.ts'
import { externalIdOf } from './facts.ts'
import type { KnownCustomer, KnownFacts, RecordedSale } from './plan.ts'
import type { SalesFrom } from './processors.ts'
import type { Purchase } from './purchase.ts'
import { textArray } from './received.queries.ts'
import type { CurrentCommission } from './reversals.ts'

/** A recorded sale as it comes out of JSON. */
type SaleRow = Omit<RecordedSale, 'sale' | 'commission' | 'occurredAt'> & {
  occurredAt: string
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

type FactsRow = {
  salesFrom: SalesFrom
  /** All recorded sales of the purchase, oldest first. */
  sales: SaleRow[]
  customer: KnownCustomer | null
  owner: FromJson<PartnerTerms> | null
  click: FromJson<Click> | null
  coupon: (Pick<CouponAlias, 'couponId'> & { partner: FromJson<PartnerTerms> }) | null
}

/** The terms that a purchase is decided with. Its own commissions are not the customer's first ones. */
const TERMS = {
  exclude: sql`and e.id <> all (array(select id from sold))`,
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
    from (select ${paidAt}::timestamptz union all select occurred_at from sold) known (t)`
}

/** A sale, `s`, with its current commission, as one JSON value. */
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
    where c.id = s.commission_id),
  'lastCommissionId', (
    select c.id from commissions c
    where c.event_id = s.id and c.kind <> 'reversal'
      and not exists (select from commissions n where n.replaces_id = c.id)))`

/**
 * Loads what a purchase is planned from, beside its events: its recorded sales, the customer with its partner at the time
 * of payment, and the partners of the checkout's coupons and click.
 *
 * The customer is found by the processor's id, else by the merchant's id in a reported sale, else by the email address
 * where that is an imported customer's id. A guest who left neither is known by the purchase's id.
 *
 * @param keys the ids under which the sale may have been reported
 */
export const loadKnownFacts = async (
  db: Db,
  workspaceId: string,
  keys: string[],
  purchase: Purchase,
): Promise<KnownFacts> => {
  const { customer, email, sale } = purchase
  const coupons = textArray(purchase.coupons)
  const kind = customer && identityOf(customer).kind
  const { rows } = await sql<FactsRow>`
    with sold as (
      select * from events
      where workspace_id = ${workspaceId} and kind = 'sale' and external_id = any(${textArray(keys.map(externalIdOf))})
    ), terms_time as materialized (${termsTime(purchase)})
    select
      coalesce((select f.sales_from from former_sales_from f
                where f.workspace_id = w.id and date_trunc('second', f.until) > ${sale?.paidAt ?? null}::timestamptz
                order by f.until limit 1),
               (select sales_from from workspaces where id = w.id)) as "salesFrom",
      (select coalesce(jsonb_agg(${SALE_JSON} order by s.id), '[]') from sold s) as "sales",
      case when cu.id is not null then jsonb_build_object(
        'id', cu.id, 'externalId', cu.external_id, 'processorCustomerId', (
          select value from customer_identities i where i.customer_id = cu.id and i.kind not in ('external', 'guest', 'email')
          order by created_at, value limit 1)) end as "customer",
      ${termsJson(
        sql`(select r.partner_id from referrals r
             where r.customer_id = cu.id and r.referred_at <= ${sale?.paidAt ?? null}::timestamptz
               and r.origin <> all (${textArray(keys)}) and r.origin <> all (array(select id::text from sold))
             order by r.referred_at desc, r.partner_id limit 1)`,
        TERMS,
      )} as "owner",
      (select ${clickJson(TERMS)} from clicks cl
       where cl.workspace_id = w.id
         and cl.id = any(array(select ${purchase.clickId}::text union select click_id from sold))
       order by cl.created_at desc, cl.id limit 1) as "click",
      (select jsonb_build_object('couponId', a.coupon_id, 'partner', ${termsJson(sql`a.partner_id`, TERMS)})
       from coupon_aliases a where a.workspace_id = w.id and a.coupon_id = any(${coupons})
       order by array_position(${coupons}, a.coupon_id) limit 1) as "coupon"
    from (select ${workspaceId}::uuid as id) w
    left join lateral (
      select c.* from (
        select 1 as rank, customer_id from customer_identities i
        where i.workspace_id = w.id and i.kind <> 'email' and i.kind = ${kind} and i.value = ${customer}
        union all
        select 2, customer_id from customer_identities i
        where i.workspace_id = w.id and i.kind <> 'email' and i.kind <> 'guest'
          and i.value = any(array(select customer_external_id from sold))
        union all
        select 3, customer_id from customer_identities i
        where i.workspace_id = w.id and i.kind = 'email' and i.value = ${email}
        union all
        select 4, customer_id from customer_identities i
        where i.workspace_id = w.id and i.kind = 'guest' and i.value in (${email}, ${purchase.externalId})
      ) i join customers c on c.id = i.customer_id
      order by i.rank, c.id limit 1) cu on true
  `.execute(db)

  const [row] = rows
  if (!row) throw new Error('A select from one row returned none.')
  const [recorded = null, ...duplicates] = row.sales.map(reviveSale)
  return {
    salesFrom: row.salesFrom,
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
