/** The facts that a report is decided from, in one read. */
import { type RawBuilder, sql } from 'kysely'
import { customerIdBy } from '../customers/identities.queries.ts'
import { identityOf } from '../customers/identities.ts'
import type { Db } from '../db/connection.ts'
import { reportKey } from '../purchases/facts.ts'
import { isProcessorId, type SalesFrom } from '../purchases/processors.ts'
import type { Click, Facts, PartnerTerms } from './attribution.ts'
import type { ReportedCustomer } from './decided-report.ts'
import type { Report } from './report.ts'
import { type RecordedEvent, salesWithoutCustomer } from './reports.queries.ts'

export type ReportFacts = Facts & {
  workspaceId: string
  /** The customer of the report, if it is known. */
  customer: ReportedCustomer | null
  /** Whether sales were reported under the id of the customer, who is not known. */
  adoptsSales: boolean
  /** The event of an earlier report with the same id. */
  recorded: RecordedEvent | null
  /** Whether a payment processor has reported something of this sale, such as a refund: the report is joined with it. */
  hasProcessorEvents: boolean
  /** Whether a payment processor reports this workspace's sales too, so that this one may be reported twice. */
  mayBeDuplicate: boolean
}

type ReportKey = Pick<Report, 'kind' | 'externalId' | 'customerExternalId' | 'clickId'>

const rewardJson = (rewardId: RawBuilder<unknown>) => sql`(
  select jsonb_build_object('id', r.id, 'kind', r.kind, 'basisPoints', r.basis_points,
                            'amountCents', r.amount_cents, 'currency', r.currency)
  from rewards r where r.id = ${rewardId})`

/**
 * When a sale was paid, as SQL expressions. They differ where a payment processor's time is in whole seconds: the terms
 * are those of the end, and a partner who was active at the beginning or the end is credited. Design, section 5.
 */
export type PaidAt = { from: RawBuilder<unknown>; to: RawBuilder<unknown> }

type TermsOptions = {
  /** Whether the start of the customer's reward period is added later. */
  isUnstarted?: boolean
  /** The terms in force at this time; the present ones without it, which takes no look-up of former terms. */
  paidAt?: PaidAt | undefined
}

/** The row of one of the views of terms that was in force at a time. */
const inForce = (view: string, id: RawBuilder<unknown>, at: RawBuilder<unknown>) => sql`(
  select * from ${sql.table(view)} v where v.id = ${id} and v.until > ${at} order by v.until limit 1)`

/** A partner `p`, its program `pr` and its group `g`, if it has one. */
const partnerWithTerms = (partnerId: RawBuilder<unknown>, paidAt: PaidAt | undefined) =>
  paidAt
    ? sql`
  from ${inForce('partner_terms', partnerId, paidAt.to)} p
  join lateral ${inForce('program_terms', sql`p.program_id`, paidAt.to)} pr on true
  left join lateral ${inForce('group_terms', sql`p.group_id`, paidAt.to)} g on true`
    : sql`
  from partners p
  join programs pr on pr.id = p.program_id
  left join groups g on g.id = p.group_id
  where p.id = ${partnerId}`

const statusOf = (paidAt: PaidAt | undefined) =>
  paidAt
    ? sql`case when 'approved' in (p.status, (select b.status from ${inForce('partner_terms', sql`p.id`, paidAt.from)} b))
               then 'approved' else 'banned' end`
    : sql`p.status`

/**
 * When the customer, `cu`, first earned a sale commission in the program, `pr`: by its first sale that earns one at
 * present, reversed or not, or as an import reported it.
 */
const FIRST_REWARDED_AT = sql`least( -- ignores nulls
      (select e.occurred_at from events e join commissions c on c.id = e.commission_id
       where e.customer_id = cu.id and c.program_id = pr.id and c.kind = 'sale'
       order by e.occurred_at limit 1),
      case when cu.imported_at is not null then (
        select r.started_at from referrals r join partners i on i.id = r.partner_id
        where r.customer_id = cu.id and r.started_at is not null and i.program_id = pr.id
        order by r.referred_at desc limit 1) end)`

/**
 * A partner with its terms as one JSON value. Expects the customer as `cu`. Subqueries are planned faster than one join of
 * a dozen tables.
 */
export const termsJson = (
  partnerId: RawBuilder<unknown>,
  { isUnstarted = false, paidAt }: TermsOptions = {},
) => sql`(
  select jsonb_build_object(
    'id', p.id, 'slug', p.slug, 'status', ${statusOf(paidAt)}, 'programId', pr.id,
    'reward', ${rewardJson(sql`pr.reward_id`)},
    'rewardInterval', pr.reward_interval, 'rewardDurationMonths', pr.reward_duration_months,
    'oneTimeMinimumCents', pr.one_time_minimum_cents, 'rewardShipping', pr.reward_shipping,
    'creditOutOfBand', pr.credit_out_of_band, 'holdingDays', pr.holding_days, 'netDays', pr.net_days,
    'attribution', pr.attribution,
    'attributeKnownCustomers', pr.attribute_known_customers,
    'group', case when g.id is not null then jsonb_build_object(
      'name', g.name,
      'saleReward', ${rewardJson(sql`g.sale_reward_id`)},
      'leadReward', ${rewardJson(sql`g.lead_reward_id`)}) end,
    'firstRewardedAt', ${isUnstarted ? sql`null` : FIRST_REWARDED_AT})
  ${partnerWithTerms(partnerId, paidAt)})`

/** Whether a processor reported the sale too: under its own id, or naming the merchant's. */
const hasProcessorEvents = ({ kind, externalId }: ReportKey) =>
  kind === 'sale'
    ? sql`exists (select from processor_events s
                  where s.workspace_id = k.workspace_id
                    and s.keys @> array[${isProcessorId(externalId) ? externalId : reportKey(externalId)}::text])`
    : sql`false`

/** Only a sale under an id of the merchant's can be a possible duplicate. */
const mayBeDuplicate = ({ kind, externalId }: ReportKey) =>
  kind === 'sale' && !isProcessorId(externalId)
    ? sql`exists (select from processor_events s where s.workspace_id = k.workspace_id)`
    : sql`false`

/** Who reports the sales that earn. Only a sale under an id of the merchant's depends on it. */
const salesFrom = ({ kind, externalId }: ReportKey) =>
  kind === 'sale' && !isProcessorId(externalId)
    ? sql`(select w.sales_from from workspaces w where w.id = k.workspace_id)`
    : sql`'both'`

/** A click with its partner, as one JSON value. Expects the click as `cl` and the customer as `cu`. */
const CLICK_JSON = sql`jsonb_build_object(
  'id', cl.id, 'createdAt', cl.created_at, 'expiresAt', cl.expires_at,
  'partner', ${termsJson(sql`cl.partner_id`)})`

/**
 * Loads the workspace of the API key, the event of an earlier report, the click's partner and the customer's partner.
 *
 * @returns null when the key is unknown or revoked
 */
export const loadReportFacts = async (
  db: Db,
  apiKeyHash: string,
  report: ReportKey,
  now: Date,
): Promise<ReportFacts | null> => {
  const { rows } = await sql<{
    workspaceId: string
    recorded: RecordedEvent | null
    customer: ReportedCustomer | null
    click: FromJson<Click> | null
    customerPartner: FromJson<PartnerTerms> | null
    adoptsSales: boolean
    hasProcessorEvents: boolean
    mayBeDuplicate: boolean
    salesFrom: SalesFrom
  }>`
    select k.workspace_id as "workspaceId",
           case when e.id is not null then jsonb_build_object(
             'id', e.id, 'attributed', e.partner_id is not null, 'bodyHash', e.body_hash) end as "recorded",
           case when cu.id is not null then jsonb_build_object(
             'id', cu.id, 'revision', cu.revision, 'partnerId', cu.partner_id, 'email', cu.email, 'name', cu.name,
             'isClickedFirst', cl.id is not null and not exists (
               select from referrals r where r.customer_id = cu.id and r.referred_at <= ${now}::timestamptz
                                         and coalesce(r.clicked_at, r.referred_at) <= cl.created_at)) end as "customer",
           cu.id is null and exists (${salesWithoutCustomer(sql`k.workspace_id`, report)}) as "adoptsSales",
           case when cl.id is not null then ${CLICK_JSON} end as "click",
           ${termsJson(sql`cu.partner_id`)} as "customerPartner",
           ${hasProcessorEvents(report)} as "hasProcessorEvents",
           ${mayBeDuplicate(report)} as "mayBeDuplicate",
           ${salesFrom(report)} as "salesFrom"
    from api_keys k
    left join events e on e.workspace_id = k.workspace_id
                      and e.kind = ${report.kind} and e.external_id = ${report.externalId}
    left join clicks cl on cl.workspace_id = k.workspace_id and cl.id = ${report.clickId}
    left join customers cu on cu.id = (${customerIdBy(sql`k.workspace_id`, identityOf(report.customerExternalId))})
    where k.key_hash = ${apiKeyHash} and k.revoked_at is null
  `.execute(db)

  const row = rows[0]
  if (!row) return null
  return {
    ...row,
    click: row.click && reviveClick(row.click),
    customerPartner: row.customerPartner && reviveTerms(row.customerPartner),
  }
}

/** A value as JSON holds it: dates are text. */
export type FromJson<T> = {
  [K in keyof T]: Date extends T[K]
    ? string | Extract<T[K], null>
    : T[K] extends PartnerTerms
      ? FromJson<PartnerTerms>
      : T[K]
}

const reviveClick = (click: FromJson<Click>): Click => ({
  ...click,
  createdAt: new Date(click.createdAt),
  expiresAt: new Date(click.expiresAt),
  partner: reviveTerms(click.partner),
})

export const reviveTerms = (terms: FromJson<PartnerTerms>): PartnerTerms => ({
  ...terms,
  firstRewardedAt: terms.firstRewardedAt === null ? null : new Date(terms.firstRewardedAt),
})
