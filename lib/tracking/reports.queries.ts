/** Saves decided reports: event, customer and commission, in one write. */
import { sql } from 'kysely'
import { IDENTITY_KEY, insertIdentities } from '../customers/identities.queries.ts'
import { emailOf, type Identity, identityOf } from '../customers/identities.ts'
import { breaks, type Db, isConflict } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { lockClick } from '../db/locks.queries.ts'
import { noteReceived } from '../purchases/expected-sales.queries.ts'
import { holdPossibleDuplicate } from '../purchases/possible-duplicates.queries.ts'
import { SALE_EXPECTED } from '../purchases/processors.ts'
import type { SaleReport } from '../purchases/purchases.rpc.ts'
import type { Click, Credit, PartnerTerms } from './attribution.ts'
import type { Decision, NewCommission } from './decide.ts'
import type { Report } from './report.ts'

/** What the response to a report is made from. */
export type RecordedEvent = {
  id: string
  attributed: boolean
  /** Null until the merchant has reported the event. */
  bodyHash: string | null
}

/** The customer of a report, as it was read. */
export type ReportedCustomer = {
  id: string
  revision: number
  /** The owner. */
  partnerId: string | null
  email: string | null
  name: string | null
}

type DecidedReport = {
  workspaceId: string
  report: Report
  /** Null if no event with the reported id of the customer was credited before, and it was not imported. */
  customer: ReportedCustomer | null
  click: Click | null
  bodyHash: string | null
  /** Whether a payment processor may report the same sale. */
  mayBeDuplicate: boolean
  decision: Decision
  now: Date
}

/** After a conflict, the customer has changed since it was read: load it and decide again. */
type SaveResult = { status: 'saved'; event: RecordedEvent } | { status: 'conflict' }

const CONFLICT: SaveResult = { status: 'conflict' }

/**
 * Saves a decided report: event, customer and commission together, or none of them, in one database round trip.
 *
 * Of concurrent copies of a report, the first one inserts the event, and the others return it. The batch is Read
 * Committed, so each statement sees the result of the one before.
 */
export const saveReport = async (db: Db, decided: DecidedReport): Promise<SaveResult> => {
  const eventId = newId()
  const event = insertEvent(eventId, decided)
  const { credit } = decided.decision
  const review = reviewDuplicate(eventId, decided)
  try {
    const [recorded] = credit
      ? (
          await db.batch([
            event.compile(db),
            lockCustomer(eventId, decided, credit).compile(db),
            completeEvent(eventId, decided, credit).compile(db),
            ...review.map((statement) => statement.compile(db)),
          ])
        )[0]
      : (await event.execute(db)).rows
    if (!recorded) throw new Error('The upsert returned no row.')
    return { status: 'saved', event: recorded }
  } catch (error) {
    if (isConflict(error) || breaks(error, IDENTITY_KEY)) return CONFLICT
    throw error
  }
}

/** The statements that compare the sale with those that a payment processor reported. */
const reviewDuplicate = (saleId: string, { workspaceId, mayBeDuplicate, decision, now }: DecidedReport) => {
  if (!mayBeDuplicate) return []
  const { clickId, commission, steps } = decision
  const sale = { workspaceId, saleId, clickId, grossCents: null }
  if (commission) return holdPossibleDuplicate({ ...sale, isNew: true, now })
  if (!steps.some(({ code }) => code === SALE_EXPECTED)) return []
  return [...(clickId ? [lockClick(workspaceId, clickId)] : []), noteReceived(sale)]
}

/** Inserts the event, or returns the existing one. */
const insertEvent = (
  eventId: string,
  { workspaceId, report, bodyHash, decision, now }: DecidedReport,
) => sql<RecordedEvent>`
  insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, amount_cents, currency,
                      metadata, click_id, partner_id, attributed_by, body_hash, steps, occurred_at, reported_at)
  values (${eventId}, ${workspaceId}, ${report.kind}, ${report.externalId}, ${report.eventName},
          ${report.customerExternalId}, ${report.sale?.amountCents ?? null}, ${report.sale?.currency ?? null},
          ${report.metadata && JSON.stringify(report.metadata)}, ${decision.clickId},
          ${decision.credit?.partner.id ?? null}, ${decision.credit?.by ?? null}, ${bodyHash},
          ${JSON.stringify(decision.steps)}, ${now}, ${now})
  on conflict (workspace_id, kind, external_id) do update set external_id = excluded.external_id
  returning id, partner_id is not null as attributed, body_hash as "bodyHash"`

/** What a report changes of a customer that is known. */
const changesOf = (report: Report, customer: ReportedCustomer, { partner, by }: Credit) => {
  const email = report.customerEmail ?? customer.email
  const name = report.customerName ?? customer.name
  // Only a click moves an existing customer. A sale credited to the customer's partner must not undo the move of a
  // concurrent click.
  const isMoved = customer.partnerId === null || (by === 'click' && partner.attribution === 'last')
  const partnerId = isMoved ? partner.id : customer.partnerId
  const isChanged = partnerId !== customer.partnerId || email !== customer.email || name !== customer.name
  return { email, name, partnerId, isMoved, isChanged }
}

/**
 * Locks a known customer, and rolls the batch back if it is not as it was read. Reports do not change the revision, so
 * those of one customer do not conflict with each other. Does nothing for a report that exists.
 */
const lockCustomer = (eventId: string, { workspaceId, report, customer }: DecidedReport, credit: Credit) => {
  if (!customer) return sql`select`
  const strength = changesOf(report, customer, credit).isChanged ? 'no key update' : 'share'
  return sql`
    select assert_unchanged(exists (
      select from customers where id = ${customer.id} and revision = ${customer.revision} for ${sql.raw(strength)}))
    from events where workspace_id = ${workspaceId} and id = ${eventId} and customer_id is null`
}

/**
 * Inserts or updates the customer and inserts the commission of the event, if this call has inserted it. Does nothing the
 * second time: the statement may be retried.
 */
const completeEvent = (eventId: string, decided: DecidedReport, credit: Credit) => {
  const { workspaceId, report, customer, click, decision, now } = decided
  const { commission } = decision
  const { partner, by } = credit
  const isReferral = by === 'click' && click !== null
  return sql`
    with event as (
      select * from events where workspace_id = ${workspaceId} and id = ${eventId} and customer_id is null
    ), customer as (
      ${customer ? updateCustomer(decided, customer, credit) : insertCustomer(decided, credit)}
    ), identity as (
      ${insertIdentities(workspaceId, identitiesOf(report, customer === null), now)}
    ), referral as (
      ${
        isReferral
          ? sql`
      insert into referrals (workspace_id, customer_id, origin, partner_id, source, attribution, referred_at, clicked_at)
      select ${workspaceId}::uuid, id, ${eventId}, ${partner.id}::uuid, 'click', ${partner.attribution},
             ${now}::timestamptz, ${click.createdAt}::timestamptz
      from customer on conflict do nothing`
          : sql`select`
      }
    ), taken as (
      ${commission?.oneTime ? takeOneTimeReward(eventId, decided, partner) : sql`select from customer`}
    ), outcome as (
      ${commission ? insertCommission(eventId, decided, partner, commission) : sql`select null::uuid as id from customer`}
    )
    update events
    set customer_id = customer.id, commission_id = (select id from outcome),
        steps = case when exists (select from outcome) then steps
                     else ${JSON.stringify(decision.stepsWhenBeaten)}::jsonb end
    from customer where events.workspace_id = ${workspaceId} and events.id = ${eventId}`
}

const insertCustomer = ({ workspaceId, report, now }: DecidedReport, { partner }: Credit) => sql`
      insert into customers (id, workspace_id, external_id, email, name, partner_id, created_at)
      select ${newId()}::uuid, ${workspaceId}::uuid, ${report.customerExternalId}, ${report.customerEmail},
             ${report.customerName}, ${partner.id}::uuid, ${now}::timestamptz
      from event
      returning id`

const updateCustomer = (
  { workspaceId, report }: DecidedReport,
  customer: ReportedCustomer,
  credit: Credit,
) => {
  const { email, name, partnerId, isMoved, isChanged } = changesOf(report, customer, credit)
  if (!isChanged) return sql`select ${customer.id}::uuid as id from event`
  return sql`
      update customers
      set email = ${email}, name = ${name},
          partner_id = ${isMoved ? sql`${partnerId}::uuid` : sql`customers.partner_id`}
      from event where customers.workspace_id = ${workspaceId} and customers.id = ${customer.id}
      returning customers.id`
}

/** The identities that a report adds to its customer. */
const identitiesOf = ({ customerExternalId, customerEmail }: Report, isNew: boolean): Identity[] => {
  const emails = [customerEmail, isNew ? emailOf(customerExternalId) : null].filter((email) => email !== null)
  return [
    ...(isNew ? [identityOf(customerExternalId)] : []),
    ...[...new Set(emails)].map((value) => ({ kind: 'email' as const, value })),
  ]
}

/** Returns no row if a concurrent sale of the customer has taken the one-time reward. */
const takeOneTimeReward = (
  eventId: string,
  { workspaceId }: DecidedReport,
  { programId }: PartnerTerms,
) => sql`
      insert into one_time_rewards (workspace_id, program_id, customer_id, event_id)
      select ${workspaceId}::uuid, ${programId}::uuid, id, ${eventId}::uuid from customer
      on conflict do nothing
      returning event_id`

const insertCommission = (
  eventId: string,
  { workspaceId, report, now }: DecidedReport,
  partner: PartnerTerms,
  commission: NewCommission,
) => sql`
      insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
                               amount_cents, currency, payable_at, created_at)
      select ${newId()}::uuid, ${workspaceId}::uuid, ${partner.programId}::uuid, ${partner.id}::uuid, customer.id,
             ${eventId}::uuid, ${commission.rewardId}::uuid, ${report.kind}, ${commission.amountCents}::bigint,
             ${commission.currency}, ${commission.payableAt}::timestamptz, ${now}::timestamptz
      from customer where exists (select from taken)
      returning id`

/** Adds a merchant's report to a sale that a processor has reported, for the next plan of it. */
export const noteReport = async (
  db: Db,
  workspaceId: string,
  { externalId, customerExternalId, clickId }: SaleReport,
  now: Date,
): Promise<void> => {
  await sql`
    update events
    set click_id = coalesce(${clickId}, click_id), customer_external_id = ${customerExternalId},
        reported_at = coalesce(reported_at, ${now}::timestamptz), revision = revision + 1
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
