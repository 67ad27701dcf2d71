/** Reports that come after a payment: what was received before is planned again, or joined with the report. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { isUncredited } from '../purchases/by-address.queries.ts'
import type { IncompleteReport } from '../purchases/purchases.rpc.ts'
import type { Credit } from './attribution.ts'
import { addressesOf, changesOf, type DecidedReport, referrerOf } from './decided-report.ts'

/**
 * Marks what a report refers of payments received before: these have to be planned again, of the customer from the click on,
 * and of its addresses whose payments were credited to nobody. Then the report has no hash until that is done.
 * A sale that somebody has referred by then stays that partner's. A sale in whole seconds is a processor's. Concurrent reports
 * commit in another order than that of their times, so they count within a second; an import counts for the sales after it.
 *
 * @returns a statement with a row for a report that was marked
 */
export const markLate = (eventId: string, decided: DecidedReport, credit: Credit) => {
  const { workspaceId, report, customer, adoptsSales, now } = decided
  const referrer = referrerOf(decided)
  const emails = JSON.stringify(addressesOf(report))
  const isKnown = customer !== null || adoptsSales || emails !== '[]'
  if (!referrer || !isKnown) return sql<{ id: string }>`select null as id where false`
  const { isReferred, isClickedFirst } = customer
    ? { ...changesOf(decided, customer, credit), ...customer }
    : { isReferred: adoptsSales, isClickedFirst: adoptsSales }
  const addresses = isReferred
    ? sql`select value from customer_identities where customer_id = event.customer_id and kind = 'email'`
    : sql`select jsonb_array_elements_text(${emails}::jsonb)`
  return sql<{ id: string }>`
    with event as (
      select id, customer_id from events
      where workspace_id = ${workspaceId} and id = ${eventId}
    ), paid as (
      select s.occurred_at
      from event join events s on s.customer_id = event.customer_id and s.kind = 'sale' and s.id <> event.id
      where ${isReferred}::boolean
        and s.occurred_at >= date_trunc('second', ${isClickedFirst ? referrer.createdAt : now}::timestamptz)
        and (s.occurred_at >= date_trunc('second', ${now}::timestamptz) and s.occurred_at = date_trunc('second', s.occurred_at)
             or not exists (select from referrals r where r.customer_id = s.customer_id and r.origin <> ${eventId}
                              and r.referred_at < s.occurred_at + interval '1 second'
                              and (r.source <> 'import' or r.referred_at <= s.occurred_at
                                   or s.occurred_at = date_trunc('second', s.occurred_at))))
      order by s.occurred_at limit 1
    ), addressed as (
      select min(p.occurred_at) as occurred_at
      from event, processor_events p left join events s on s.id = p.event_id
      where p.workspace_id = ${workspaceId} and ${isUncredited('p', 's')} and p.email in (${addresses})
        and s.customer_id is distinct from event.customer_id
    ), marked as (
      update customers
      set replan_from = least(replan_from, (select occurred_at from paid)),
          addressed_from = least(addressed_from, addressed.occurred_at),
          revision = revision + case when exists (select from paid) then 1 else 0 end
      from event, addressed
      where customers.id = event.customer_id and (addressed.occurred_at is not null or exists (select from paid))
      returning customers.id
    )
    update events set body_hash = null
    from event where events.id = event.id and exists (select from marked)
    returning events.id`
}

/** What a saved report refers to. */
export type SavedReport = {
  customerId: string | null
  customerExternalId: string
  /** Whether payments with an address of its customer are marked to be planned again. */
  isAddressed: boolean
}

const SAVED_REPORT = sql`
  e.customer_id as "customerId", e.customer_external_id as "customerExternalId",
  exists (select from customers c where c.id = e.customer_id and c.addressed_from is not null) as "isAddressed"`

export const findLead = async (
  db: Db,
  workspaceId: string,
  externalId: string,
): Promise<SavedReport | undefined> => {
  const { rows } = await sql<SavedReport>`
    select ${SAVED_REPORT} from events e
    where e.workspace_id = ${workspaceId} and e.kind = 'lead' and e.external_id = ${externalId}`.execute(db)
  return rows[0]
}

/** Adds a merchant's report to a sale that a processor has reported, for the next plan of it. A statement of a batch. */
export const noteReport = (
  workspaceId: string,
  { externalId, customerExternalId, clickId }: IncompleteReport,
  now: Date,
) => sql<SavedReport>`
    update events e
    set click_id = coalesce(${clickId}, click_id), customer_external_id = ${customerExternalId},
        reported_at = coalesce(reported_at, ${now}::timestamptz), revision = revision + 1
    where e.workspace_id = ${workspaceId} and e.kind = 'sale' and e.external_id = ${externalId} and e.body_hash is null
    returning ${SAVED_REPORT}`

/**
 * Completes a report that came after a payment: from now on, it is repeated like any other.
 *
 * @returns the event's id, and whether it is credited
 */
export const endReport = async (
  db: Db,
  workspaceId: string,
  { kind, externalId, bodyHash }: IncompleteReport,
): Promise<{ id: string; attributed: boolean }> => {
  const { rows } = await sql<{ id: string; attributed: boolean }>`
    update events set body_hash = coalesce(body_hash, ${bodyHash})
    where workspace_id = ${workspaceId} and kind = ${kind} and external_id = ${externalId}
    returning id, partner_id is not null as attributed
  `.execute(db)
  const [event] = rows
  if (!event) throw new Error('The report does not exist.')
  return event
}
