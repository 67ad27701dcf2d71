/** Saves decided reports: event, customer and commission, in one write. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { lockCustomer } from '../db/locks.queries.ts'
import type { SaleReport } from '../purchases/purchases.rpc.ts'
import type { Credit, PartnerTerms } from './attribution.ts'
import type { Decision, NewCommission } from './decide.ts'
import type { Report } from './report.ts'

/** What the response to a report is made from. */
export type RecordedEvent = {
  id: string
  attributed: boolean
  /** Null until the merchant has reported the event. */
  bodyHash: string | null
}

type DecidedReport = {
  workspaceId: string
  report: Report
  bodyHash: string | null
  decision: Decision
  now: Date
}

/** After a conflict, a concurrent report has inserted the customer that the decision needed to be new: decide again. */
type SaveResult = { status: 'saved'; event: RecordedEvent } | { status: 'conflict' }

const resultOf = (event: RecordedEvent | undefined): SaveResult =>
  event ? { status: 'saved', event } : { status: 'conflict' }

/**
 * Saves a decided report: event, customer and commission together, or none of them, in one database round trip.
 *
 * Of concurrent copies of a report, the first one inserts the event, and the others return it. The batch is Read
 * Committed, so each statement sees the result of the one before.
 */
export const saveReport = async (db: Db, decided: DecidedReport): Promise<SaveResult> => {
  const eventId = newId()
  const event = insertEvent(eventId, decided)
  const { credit, needsNewCustomer } = decided.decision
  if (!credit) return resultOf((await event.execute(db)).rows[0])

  const insert = event.compile(db)
  const complete = completeEvent(eventId, decided, credit).compile(db)
  const [recorded] = needsNewCustomer
    ? (
        await db.batch([
          lockCustomer(decided.workspaceId, decided.report.customerExternalId).compile(db),
          insert,
          complete,
        ])
      )[1]
    : (await db.batch([insert, complete]))[0]
  return resultOf(recorded)
}

/** Inserts the event, or returns the existing one. Returns no row if the decision needs a new customer and it exists. */
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
 * Inserts the customer and commission of the event, if this call has inserted it. Does nothing the second time: the
 * statement may be retried.
 */
const completeEvent = (eventId: string, decided: DecidedReport, { partner, by }: Credit) => {
  const { workspaceId, report, decision, now } = decided
  // Only a click moves an existing customer. A sale credited to the customer's partner must not undo the move of a
  // concurrent click.
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

/** Inserts the commission, unless a concurrent sale of the customer has taken the one-time reward. */
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

/** Adds a merchant's report to a sale that a processor has reported, for the next plan of it. */
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
 * Completes the report of a sale that a processor has reported: from now on, it is repeated like any other.
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
  if (!event) throw new Error('The reported sale does not exist.')
  return event.id
}
