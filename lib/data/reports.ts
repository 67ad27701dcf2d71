/** What merchants report: the facts that a decision needs, in one read, and the outcome, in one write. */
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { Click, Facts, PartnerTerms } from '../domain/attribution.ts'
import type { Decision, Report } from '../domain/decisions.ts'
import type { Db } from './connection.ts'
import { newId } from './ids.ts'

/** An event as the one who reported it hears of it. */
export type RecordedEvent = { id: string; attributed: boolean; bodyHash: string }

export type ReportFacts = Facts & {
  workspaceId: string
  /** The event that this report made before, when it is a repeat. */
  recorded: RecordedEvent | null
}

type ReportKey = Pick<Report, 'kind' | 'externalId' | 'customerExternalId' | 'clickId'>

const rewardJson = (rewardId: RawBuilder<unknown>) => sql`(
  select jsonb_build_object('id', r.id, 'kind', r.kind, 'basisPoints', r.basis_points,
                            'amountCents', r.amount_cents, 'currency', r.currency)
  from rewards r where r.id = ${rewardId})`

/** A partner with its terms as one JSON value: a subquery each plans faster than one join of a dozen tables. */
const termsJson = (partnerId: RawBuilder<unknown>) => sql`(
  select jsonb_build_object(
    'id', p.id, 'slug', p.slug, 'status', p.status, 'programId', pr.id,
    'reward', ${rewardJson(sql`pr.reward_id`)},
    'rewardInterval', pr.reward_interval, 'rewardDurationMonths', pr.reward_duration_months,
    'holdingDays', pr.holding_days, 'attribution', pr.attribution,
    'attributeKnownCustomers', pr.attribute_known_customers,
    'group', case when g.id is not null then jsonb_build_object(
      'name', g.name,
      'saleReward', ${rewardJson(sql`g.sale_reward_id`)},
      'leadReward', ${rewardJson(sql`g.lead_reward_id`)}) end,
    'firstRewardedAt', (select min(c.created_at) from commissions c
                        where c.program_id = pr.id and c.customer_id = cu.id and c.kind = 'sale'))
  from partners p
  join programs pr on pr.id = p.program_id
  left join groups g on g.id = p.group_id
  where p.id = ${partnerId})`

/**
 * Everything that decides a report, in one read: whose key it is, whether the report is a repeat,
 * where its click leads, and to whom its customer belongs.
 *
 * @returns null when the key is unknown or revoked
 */
export const loadReportFacts = async (
  db: Db,
  apiKeyHash: string,
  report: ReportKey,
): Promise<ReportFacts | null> => {
  const { rows } = await sql<{
    workspaceId: string
    recorded: RecordedEvent | null
    click: Json<Click> | null
    customerPartner: Json<PartnerTerms> | null
  }>`
    select k.workspace_id as "workspaceId",
           case when e.id is not null then jsonb_build_object(
             'id', e.id, 'attributed', e.partner_id is not null, 'bodyHash', e.body_hash) end as "recorded",
           case when cl.id is not null then jsonb_build_object(
             'id', cl.id, 'createdAt', cl.created_at, 'expiresAt', cl.expires_at,
             'partner', ${termsJson(sql`cl.partner_id`)}) end as "click",
           ${termsJson(sql`cu.partner_id`)} as "customerPartner"
    from api_keys k
    left join events e on e.workspace_id = k.workspace_id
                      and e.kind = ${report.kind} and e.external_id = ${report.externalId}
    left join clicks cl on cl.workspace_id = k.workspace_id and cl.id = ${report.clickId}
    left join customers cu on cu.workspace_id = k.workspace_id and cu.external_id = ${report.customerExternalId}
    where k.key_hash = ${apiKeyHash} and k.revoked_at is null
  `.execute(db)

  const row = rows[0]
  if (!row) return null
  const { click } = row
  return {
    ...row,
    click: click && {
      ...click,
      createdAt: new Date(click.createdAt),
      expiresAt: new Date(click.expiresAt),
      partner: reviveTerms(click.partner),
    },
    customerPartner: row.customerPartner && reviveTerms(row.customerPartner),
  }
}

/** A value as it comes out of JSON: dates are text. */
type Json<T> = {
  [K in keyof T]: Date extends T[K]
    ? string | Extract<T[K], null>
    : T[K] extends PartnerTerms
      ? Json<PartnerTerms>
      : T[K]
}

const reviveTerms = (terms: Json<PartnerTerms>): PartnerTerms => ({
  ...terms,
  firstRewardedAt: terms.firstRewardedAt === null ? null : new Date(terms.firstRewardedAt),
})

/**
 * Saves a decided report: event, customer and commission together, or none of them, in one call.
 *
 * Whoever inserts the event first wins; every other copy of the report is answered with the winner's event.
 * The statements are a Read Committed batch, so that the second sees whose event the first one left behind.
 *
 * @returns null when the decision needed a new customer and another report has made it meanwhile: decide again
 */
export const saveReport = async (
  db: Db,
  {
    workspaceId,
    report,
    bodyHash,
    decision,
    now,
  }: { workspaceId: string; report: Report; bodyHash: string; decision: Decision; now: Date },
): Promise<RecordedEvent | null> => {
  const eventId = newId()
  const partnerId = decision.credit?.partner.id ?? null
  const customer = sql`workspace_id = ${workspaceId} and external_id = ${report.customerExternalId}`

  const saveEvent = sql<RecordedEvent>`
    insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, amount_cents, currency,
                        metadata, click_id, partner_id, attributed_by, body_hash, steps, occurred_at)
    select ${eventId}::uuid, ${workspaceId}::uuid, ${report.kind}, ${report.externalId}, ${report.eventName},
           ${report.customerExternalId}, ${report.sale?.amountCents ?? null}::bigint, ${report.sale?.currency ?? null},
           ${report.metadata && JSON.stringify(report.metadata)}::jsonb, ${decision.clickId}, ${partnerId}::uuid,
           ${decision.credit?.by ?? null}, ${bodyHash}, ${JSON.stringify(decision.steps)}::jsonb, ${now}::timestamptz
    where not (${decision.needsNewCustomer}::boolean and exists (select from customers where ${customer}))
    on conflict (workspace_id, kind, external_id) do update set external_id = excluded.external_id
    returning id, partner_id is not null as attributed, body_hash as "bodyHash"`
  if (!decision.credit) return (await saveEvent.execute(db)).rows[0] ?? null

  const { partner } = decision.credit
  const { commission } = decision
  // Only a click moves a customer who is there already. A sale credited to the owner that was read must not bring
  // that owner back, when a click has moved the customer meanwhile.
  const moves = partner.attribution === 'last' && decision.credit.by === 'click'
  const ownerAfter = moves ? sql`excluded.partner_id` : sql`customers.partner_id`
  const saveCommission = commission
    ? sql`
      insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
                               amount_cents, currency, one_time, payable_at, created_at)
      select ${newId()}::uuid, ${workspaceId}::uuid, ${partner.programId}::uuid, ${partner.id}::uuid, customer.id,
             ${eventId}::uuid, ${commission.rewardId}::uuid, ${report.kind}, ${commission.amountCents}::bigint,
             ${commission.currency}, ${commission.oneTime}::boolean, ${commission.payableAt}::timestamptz,
             ${now}::timestamptz
      from customer
      on conflict do nothing
      returning id`
    : sql`select id from customer`
  const saveOutcome = sql`
    with customer as (
      insert into customers (id, workspace_id, external_id, email, name, partner_id, created_at)
      select ${newId()}::uuid, workspace_id, customer_external_id, ${report.customerEmail}, ${report.customerName},
             partner_id, occurred_at
      from events where id = ${eventId} and customer_id is null
      on conflict (workspace_id, external_id) do update
        set email = coalesce(excluded.email, customers.email),
            name = coalesce(excluded.name, customers.name),
            partner_id = ${ownerAfter}
      returning id
    ), outcome as (${saveCommission})
    update events
    set customer_id = customer.id,
        steps = case when exists (select from outcome) then steps else ${JSON.stringify(decision.stepsWhenBeaten)}::jsonb end
    from customer where events.id = ${eventId}`

  const lockCustomer = sql`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} ${report.customerExternalId}`}, 0))`
  const statements = decision.needsNewCustomer
    ? [lockCustomer, saveEvent, saveOutcome]
    : [saveEvent, saveOutcome]
  const results = await db.batch(statements.map((statement) => statement.compile(db) as CompiledQuery))
  return (results.at(-2)?.[0] as RecordedEvent | undefined) ?? null
}
