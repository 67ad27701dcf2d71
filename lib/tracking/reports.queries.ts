/** Reports and their outcome: event, customer and commission, in one write. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { lockCustomer } from '../db/locks.queries.ts'
import type { SaleReport } from '../purchases/purchases.rpc.ts'
import type { PartnerTerms } from './attribution.ts'
import type { Decision, NewCommission, Report } from './decide.ts'

/** An event as the one who reported it hears of it. */
export type RecordedEvent = {
  id: string
  attributed: boolean
  /** Null while only Stripe has told of it. */
  bodyHash: string | null
}

type DecidedReport = {
  workspaceId: string
  report: Report
  bodyHash: string | null
  decision: Decision
  now: Date
}

/**
 * Saves a decided report: event, customer and commission together, or none of them, in one call.
 *
 * Whoever inserts the event first wins; every other copy of the report is answered with the winner's event.
 * The statements are a Read Committed batch, so that each sees what the one before it left behind.
 *
 * @returns null when the decision needed a new customer and another report has made it meanwhile: decide again
 */
export const saveReport = async (db: Db, decided: DecidedReport): Promise<RecordedEvent | null> => {
  const eventId = newId()
  const event = insertEvent(eventId, decided)
  const { credit, needsNewCustomer } = decided.decision
  if (!credit) return (await event.execute(db)).rows[0] ?? null

  const insert = event.compile(db)
  const settle = settleEvent(eventId, decided, credit).compile(db)
  const [recorded] = needsNewCustomer
    ? (
        await db.batch([
          lockCustomer(decided.workspaceId, decided.report.customerExternalId).compile(db),
          insert,
          settle,
        ])
      )[1]
    : (await db.batch([insert, settle]))[0]
  return recorded ?? null
}

/** Inserts the event, or gives the one that is there. Gives none when the decision needs a new customer who is not new. */
const insertEvent = (
  eventId: string,
  { workspaceId, report, bodyHash, decision, now }: DecidedReport,
) => sql<RecordedEvent>`
  insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, amount_cents, currency,
                      metadata, click_id, partner_id, attributed_by, body_hash, steps, occurred_at)
  select ${eventId}::uuid, ${workspaceId}::uuid, ${report.kind}, ${report.externalId}, ${report.eventName},
         ${report.customerExternalId}, ${report.sale?.amountCents ?? null}::bigint, ${report.sale?.currency ?? null},
         ${report.metadata && JSON.stringify(report.metadata)}::jsonb, ${decision.clickId},
         ${decision.credit?.partner.id ?? null}::uuid, ${decision.credit?.by ?? null}, ${bodyHash},
         ${JSON.stringify(decision.steps)}::jsonb, ${now}::timestamptz
  where not (${decision.needsNewCustomer}::boolean and exists (
    select from customers where workspace_id = ${workspaceId} and external_id = ${report.customerExternalId}))
  on conflict (workspace_id, kind, external_id) do update set external_id = excluded.external_id
  returning id, partner_id is not null as attributed, body_hash as "bodyHash"`

/**
 * Gives a new event of ours its customer and its commission. Does nothing when the event is another report's, or
 * when it has them already: the statement may run twice.
 */
const settleEvent = (
  eventId: string,
  decided: DecidedReport,
  { partner, by }: NonNullable<Decision['credit']>,
) => {
  const { workspaceId, report, decision, now } = decided
  // Only a click moves a customer who is there already. A sale credited to the owner that was read must not bring
  // that owner back, when a click has moved the customer meanwhile.
  const moves = partner.attribution === 'last' && by === 'click'
  return sql`
    with customer as (
      insert into customers (id, workspace_id, external_id, email, name, partner_id, created_at)
      select ${newId()}::uuid, workspace_id, customer_external_id, ${report.customerEmail}, ${report.customerName},
             partner_id, occurred_at
      from events where workspace_id = ${workspaceId} and id = ${eventId} and customer_id is null
      on conflict (workspace_id, external_id) do update
        set email = coalesce(excluded.email, customers.email),
            name = coalesce(excluded.name, customers.name),
            partner_id = ${moves ? sql`excluded.partner_id` : sql`customers.partner_id`}
      returning id, partner_id, old.partner_id is distinct from partner_id as is_new
    ), referral as (
      insert into referrals (workspace_id, customer_id, partner_id, referred_at)
      select ${workspaceId}::uuid, id, partner_id, ${now}::timestamptz from customer where is_new
      on conflict do nothing
    ), outcome as (
      ${decision.commission ? insertCommission(eventId, decided, partner, decision.commission) : sql`select from customer`}
    )
    update events
    set customer_id = customer.id,
        steps = case when exists (select from outcome) then steps
                     else ${JSON.stringify(decision.stepsWhenBeaten)}::jsonb end
    from customer where events.workspace_id = ${workspaceId} and events.id = ${eventId}`
}

/** Inserts the commission, unless another sale of the customer has taken the one-time reward meanwhile. */
const insertCommission = (
  eventId: string,
  { workspaceId, report, now }: DecidedReport,
  partner: PartnerTerms,
  commission: NewCommission,
) => sql`
      insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
                               amount_cents, currency, one_time, payable_at, created_at)
      select ${newId()}::uuid, ${workspaceId}::uuid, ${partner.programId}::uuid, ${partner.id}::uuid, customer.id,
             ${eventId}::uuid, ${commission.rewardId}::uuid, ${report.kind}, ${commission.amountCents}::bigint,
             ${commission.currency}, ${commission.oneTime}::boolean, ${commission.payableAt}::timestamptz,
             ${now}::timestamptz
      from customer
      on conflict do nothing
      returning id`

/** Notes what a merchant reports of a sale that Stripe has told of, for the next time that it is settled. */
export const noteReport = async (
  db: Db,
  workspaceId: string,
  { externalId, customerExternalId, clickId }: SaleReport,
): Promise<void> => {
  await sql`
    update events
    set click_id = coalesce(${clickId}, click_id), customer_external_id = ${customerExternalId}, revision = revision + 1
    where workspace_id = ${workspaceId} and kind = 'sale' and external_id = ${externalId} and body_hash is null
  `.execute(db)
}

/**
 * Ends a report of a sale that Stripe has told of: from now on, it is repeated like any other.
 *
 * @returns the event's id
 */
export const endReport = async (
  db: Db,
  workspaceId: string,
  { externalId, bodyHash }: SaleReport,
): Promise<string> => {
  const { rows } = await sql<{ id: string }>`
    update events set body_hash = coalesce(body_hash, ${bodyHash})
    where workspace_id = ${workspaceId} and kind = 'sale' and external_id = ${externalId}
    returning id
  `.execute(db)
  const [event] = rows
  if (!event) throw new Error('A sale that was reported is not there.')
  return event.id
}
