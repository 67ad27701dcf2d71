/** Reports after a payment: what was received before is recomputed, or joined with the report. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { IncompleteRefund, IncompleteReport } from './purchases.rpc.ts'

/** What a saved lead refers to. */
export type SavedLead = {
  customerId: string | null
  customerExternalId: string
}

export const findLead = async (
  db: Db,
  workspaceId: string,
  externalId: string,
): Promise<SavedLead | undefined> => {
  const { rows } = await sql<SavedLead>`
    select e.customer_id as "customerId", e.customer_external_id as "customerExternalId"
    from events e
    where e.workspace_id = ${workspaceId} and e.kind = 'lead' and e.external_id = ${externalId}`.execute(
    db,
  )
  return rows[0]
}

const asJson = (value: object | null | undefined): string | null =>
  value ? JSON.stringify(value) : null

/** Adds a report to a processor's sale, for its next plan. A statement of a batch. */
export const noteReport = (
  workspaceId: string,
  { externalId, customerExternalId, clickId, metadata, lines, country, code }: IncompleteReport,
  now: Date,
) => sql<unknown>`
    update events e
    set click_id = coalesce(${clickId}, click_id), customer_external_id = ${customerExternalId},
        metadata = coalesce(${asJson(metadata)}::jsonb, metadata), lines = coalesce(${asJson(lines)}::jsonb, lines),
        country = coalesce(${country ?? null}, country),
        coupon = coalesce(${code?.by === 'coupon' ? code.value : null}, coupon),
        report_occurred_at = coalesce(report_occurred_at, ${now}::timestamptz), revision = revision + 1
    where e.workspace_id = ${workspaceId} and e.kind = 'sale' and e.external_id = ${externalId} and e.body_hash is null`

/**
 * Completes a report that came after a payment: from now on, it is repeated like any other.
 *
 * @returns the event's id, and whether it is credited
 */
export const endReport = async (
  db: Db,
  workspaceId: string,
  {
    kind,
    externalId,
    bodyHash,
  }: Pick<IncompleteReport | IncompleteRefund, 'kind' | 'externalId' | 'bodyHash'>,
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
