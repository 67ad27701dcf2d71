/** Held commissions with their evidence, as managers review them. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { PageRequest } from '../../db/page-request.ts'
import type { Processor } from '../../rules/purchases/processors.ts'
import type { HoldReason } from '../../rules/steps/holds.ts'

/** An event that a manager compares. Built as JSON: time as text, amounts far below 2^53. */
export type HeldEvent = {
  id: string
  externalId: string
  /** Whether the merchant has reported it by API. */
  isReported: boolean
  /** The payment processor that has reported it, if one has. */
  processor: Processor | null
  customerExternalId: string
  customerEmail: string | null
  /** Null for a lead. */
  amountCents: number | null
  currency: string | null
  occurredAt: string
  clickId: string | null
  partnerSlug: string | null
}

export type HeldCommission = {
  /** The commission's id. */
  id: string
  reason: HoldReason
  /** A manager's reason, and the manager. */
  note: string | null
  heldBy: string | null
  /** What refunds have left of it. */
  amountCents: bigint
  currency: string
  partnerId: string
  partnerSlug: string
  partnerName: string | null
  /** Null for an opening balance or an adjustment. */
  event: HeldEvent | null
  /** Null if there is no other event to compare with. */
  evidence: HeldEvent | null
}

const eventJson = (alias: 'e' | 'o') => {
  const e = sql.table(alias)
  return sql`(
    select jsonb_build_object(
      'id', ${e}.id, 'externalId', ${e}.external_id, 'isReported', ${e}.body_hash is not null,
      'processor', (select s.processor from processor_events s where s.event_id = ${e}.id limit 1),
      'customerExternalId', ${e}.customer_external_id, 'customerEmail', cu.email,
      'amountCents', ${e}.amount_cents, 'currency', ${e}.currency, 'occurredAt', ${e}.occurred_at,
      'clickId', ${e}.click_id, 'partnerSlug', pa.slug)
    from (select) one left join customers cu on cu.id = ${e}.customer_id left join partners pa on pa.id = ${e}.partner_id)`
}

/** The open holds, `h`, of which something is left to pay, with their commissions, `c`. */
const heldCommissions = (workspaceId: string) => sql`
  commission_holds h
  join commissions c on c.id = h.commission_id
  join lateral (select c.amount_cents + coalesce(sum(r.amount_cents), 0) as cents from commissions r
                where r.reverses_id = c.id) remaining on remaining.cents <> 0
  where h.workspace_id = ${workspaceId} and h.resolved_at is null`

/**
 * How many commissions are held for review, as a query.
 *
 * @param limit the count stops there
 * @param reason only those that are held for this
 */
export const countHeldQuery = (workspaceId: string, limit: number, reason?: HoldReason) => {
  const isCounted = reason ? sql`and h.reason = ${reason}` : sql``
  return sql<number>`(select count(*)::int from (
    select from ${heldCommissions(workspaceId)} ${isCounted} limit ${limit}) held)`
}

/** The commissions that are held for review, newest first. */
export const listHeld = async (
  db: Db,
  workspaceId: string,
  { cursor, limit }: PageRequest,
): Promise<HeldCommission[]> => {
  const { rows } = await sql<HeldCommission>`
    with held as (
      select h.commission_id as id, h.reason, h.note, h.held_by, h.evidence_event_id, c.event_id, c.partner_id, c.currency,
             remaining.cents::bigint as "amountCents"
      from ${heldCommissions(workspaceId)} ${cursor ? sql`and h.commission_id < ${cursor}` : sql``}
      order by h.commission_id desc limit ${limit}
    )
    select h.id, h.reason, h.note, h.held_by as "heldBy", h."amountCents", h.currency, p.id as "partnerId", p.slug as "partnerSlug",
           p.name as "partnerName", case when e.id is not null then ${eventJson('e')} end as event,
           case when o.id is not null then ${eventJson('o')} end as evidence
    from held h
    join partners p on p.id = h.partner_id
    left join events e on e.id = h.event_id
    left join events o on o.id = h.evidence_event_id
    order by h.id desc`.execute(db)
  return rows
}
