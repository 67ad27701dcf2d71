/** Saves decided reports: event, customer and commission, in one write. */
import { sql } from 'kysely'
import { customerIdBy, IDENTITY_KEY, insertIdentities } from '../customers/identities.queries.ts'
import { identityOf } from '../customers/identities.ts'
import { breaks, type Db, isConflict } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { lockClick, lockIdentities } from '../db/locks.queries.ts'
import { noteReceived } from '../purchases/expected-sales.queries.ts'
import { holdPossibleDuplicate } from '../purchases/possible-duplicates.queries.ts'
import { SALE_EXPECTED } from '../purchases/processors.ts'
import type { Credit, PartnerTerms } from './attribution.ts'
import type { NewCommission } from './decide.ts'
import {
  changesOf,
  type DecidedReport,
  identitiesOf,
  type ReportedCustomer,
  referrerOf,
} from './decided-report.ts'
import { markLate } from './late-reports.queries.ts'

/** What the response to a report is made from. */
export type RecordedEvent = {
  id: string
  attributed: boolean
  /** Null until the merchant has reported the event. */
  bodyHash: string | null
}

/** After a conflict, the customer has changed since it was read: load it and decide again. */
type SaveResult = { status: 'saved'; event: RecordedEvent } | { status: 'conflict' }

const CONFLICT: SaveResult = { status: 'conflict' }

/**
 * Saves a decided report: event, customer and commission together, or none of them, in one database round trip. A report
 * that refers a customer of payments received before is saved without its hash: these have to be planned again.
 *
 * Of concurrent copies of a report, the first one inserts the event, and the others return it. The batch is Read
 * Committed, so each statement sees the result of the one before.
 */
export const saveReport = async (db: Db, decided: DecidedReport): Promise<SaveResult> => {
  const eventId = newId()
  const { credit } = decided.decision
  try {
    const [[recorded], isLate] = credit
      ? await saveCredited(db, eventId, decided, credit)
      : await saveUncredited(db, eventId, decided)
    if (!recorded) throw new Error('The upsert returned no row.')
    return { status: 'saved', event: isLate ? { ...recorded, bodyHash: null } : recorded }
  } catch (error) {
    if (isConflict(error) || breaks(error, IDENTITY_KEY)) return CONFLICT
    throw error
  }
}

const saveCredited = async (db: Db, eventId: string, decided: DecidedReport, credit: Credit) => {
  const { workspaceId, report, customer } = decided
  const identities = identitiesOf(report, customer)
  const locks = identities.length ? [lockIdentities(workspaceId, identities, 'shared')] : []
  const before = [...locks, ...assertNoSales(decided)]
  const results = await db.batch(
    [
      ...before,
      insertEvent(eventId, decided),
      lockCustomer(eventId, decided, credit),
      completeEvent(eventId, decided, credit),
      markLate(eventId, decided, credit),
      ...reviewDuplicate(eventId, decided),
    ].map((statement) => statement.compile(db)),
  )
  const [recorded = [], , , late = []] = results.slice(before.length)
  return [recorded as RecordedEvent[], late.length > 0] as const
}

/** A sale that credits nobody may be credited by a report that comes late: each has to see the other. */
const saveUncredited = async (db: Db, eventId: string, decided: DecidedReport) => {
  const { workspaceId, report, customer } = decided
  const event = insertEvent(eventId, decided)
  if (!report.sale) return [(await event.execute(db)).rows, false] as const
  const identity = identityOf(report.customerExternalId)
  const before = customer
    ? [assertSame(customer, 'share')]
    : [
        lockIdentities(workspaceId, [identity], 'exclusive'),
        sql`select assert_unchanged(not exists (${customerIdBy(sql`${workspaceId}`, identity)}))`,
      ]
  const results = await db.batch([...before, event].map((statement) => statement.compile(db)))
  return [results[before.length] as RecordedEvent[], false] as const
}

/** Rolls the batch back if the customer, who was not known, has sales of which nothing was known. */
const assertNoSales = ({ workspaceId, report, customer, adoptsSales }: DecidedReport) =>
  customer || adoptsSales
    ? []
    : [
        sql`
          select assert_unchanged(not exists (
            select from events s
            where s.workspace_id = ${workspaceId} and s.kind = 'sale' and s.customer_id is null
              and s.customer_external_id = ${report.customerExternalId}))`,
      ]

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
  { workspaceId, report, customer, bodyHash, decision, now }: DecidedReport,
) => sql<RecordedEvent>`
  insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id, amount_cents,
                      currency, metadata, click_id, partner_id, attributed_by, body_hash, steps, occurred_at, reported_at)
  values (${eventId}, ${workspaceId}, ${report.kind}, ${report.externalId}, ${report.eventName},
          ${report.customerExternalId}, ${report.sale && customer && !decision.credit ? survivorOf(customer) : null},
          ${report.sale?.amountCents ?? null}, ${report.sale?.currency ?? null},
          ${report.metadata && JSON.stringify(report.metadata)}, ${decision.clickId},
          ${decision.credit?.partner.id ?? null}, ${decision.credit?.by ?? null}, ${bodyHash},
          ${JSON.stringify(decision.steps)}, ${now}, ${now})
  on conflict (workspace_id, kind, external_id) do update set external_id = excluded.external_id
  returning id, partner_id is not null as attributed, body_hash as "bodyHash"`

/** The customer may be merged concurrently. */
const survivorOf = ({ id }: ReportedCustomer) => sql`(
  select coalesce(merged_into, id) from customers where id = ${id} for share)`

/**
 * Locks a known customer, and rolls the batch back if it is not as it was read. Reports change the revision only if they
 * change whose the customer is, so most reports of one customer do not conflict with each other. Does nothing for a report
 * that exists.
 */
const lockCustomer = (eventId: string, decided: DecidedReport, credit: Credit) => {
  const { workspaceId, customer } = decided
  if (!customer) return sql`select`
  const strength = changesOf(decided, customer, credit).isChanged ? 'no key update' : 'share'
  return sql`
    ${assertSame(customer, strength)}
    from events where workspace_id = ${workspaceId} and id = ${eventId} and customer_id is null`
}

/** Locks a known customer, and rolls the batch back if it is not as it was read. */
const assertSame = ({ id, revision }: ReportedCustomer, strength: 'share' | 'no key update') => sql`
    select assert_unchanged(exists (
      select from customers where id = ${id} and revision = ${revision} for ${sql.raw(strength)}))`

/**
 * Inserts or updates the customer and inserts the commission of the event, if this call has inserted it. Does nothing the
 * second time: the statement may be retried.
 */
const completeEvent = (eventId: string, decided: DecidedReport, credit: Credit) => {
  const { workspaceId, report, customer, adoptsSales, decision, now } = decided
  const { commission } = decision
  const { partner } = credit
  const referrer = referrerOf(decided)
  return sql`
    with event as (
      select * from events where workspace_id = ${workspaceId} and id = ${eventId} and customer_id is null
    ), customer as (
      ${customer ? updateCustomer(decided, customer, credit) : insertCustomer(decided, credit)}
    ), identity as (
      ${insertIdentities(workspaceId, identitiesOf(report, customer), { source: report.kind, evidence: report.externalId }, now)}
    ), adopted as (
      ${adoptsSales ? adoptSales(eventId, decided) : sql`select`}
    ), referral as (
      ${
        referrer
          ? sql`
      insert into referrals (workspace_id, customer_id, origin, partner_id, source, attribution, referred_at, clicked_at)
      select ${workspaceId}::uuid, id, ${eventId}, ${referrer.partner.id}::uuid, 'click', ${referrer.partner.attribution},
             ${now}::timestamptz, ${referrer.createdAt}::timestamptz
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

/** Sales that were reported under the id of a customer who was not known are the customer's. */
const adoptSales = (eventId: string, { workspaceId, report }: DecidedReport) => sql`
      update events s set customer_id = customer.id
      from customer
      where s.workspace_id = ${workspaceId} and s.kind = 'sale' and s.customer_id is null
        and s.customer_external_id = ${report.customerExternalId} and s.id <> ${eventId}`

const updateCustomer = (decided: DecidedReport, customer: ReportedCustomer, credit: Credit) => {
  const { workspaceId, now } = decided
  const { email, name, partnerId, isMoved, isReferred, isChanged } = changesOf(decided, customer, credit)
  if (!isChanged) return sql`select ${customer.id}::uuid as id from event`
  // A concurrent report may have been received later and saved earlier.
  const owner = sql`case when exists (
            select from referrals r where r.customer_id = customers.id and r.referred_at > ${now}::timestamptz
                                      and (r.source = 'import' or r.attribution = 'last'))
          then customers.partner_id else ${partnerId}::uuid end`
  return sql`
      update customers
      set email = ${email}, name = ${name}, partner_id = ${isMoved ? owner : sql`customers.partner_id`},
          revision = customers.revision + ${isReferred ? 1 : 0}
      from event where customers.workspace_id = ${workspaceId} and customers.id = ${customer.id}
      returning customers.id`
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
