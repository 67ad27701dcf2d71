/** Loads and saves refunds that a manager records by hand: see hand-refund.service.ts. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { isConflict } from '../../db/neon.ts'
import { purchaseKeyOf } from '../../rules/purchases/facts.ts'
import type { RefundReport } from '../../rules/refunds/refund.ts'
import {
  type LoadedFacts,
  type RefundFacts,
  reviveFacts,
  type SavedRefund,
  toSaved,
} from '../../tracking/refunds/refunds.queries.ts'
import type { RecordedEvent } from '../../tracking/reports/reports.queries.ts'

/** The same as `loadRefundFacts`, without an API key. */
export const loadHandRefund = async (
  db: Db,
  workspaceId: string,
  { externalId, saleExternalId }: RefundReport,
): Promise<RefundFacts> => {
  const { rows } = await sql<{ facts: LoadedFacts }>`
    select refund_facts(${workspaceId}, ${externalId}, ${saleExternalId}, ${purchaseKeyOf(saleExternalId)}) as facts`.execute(
    db,
  )
  if (!rows[0]) throw new Error('A call of a function returned no row.')
  return reviveFacts(rows[0].facts)
}

/** The same as `saveRefund`, with the audit entry, in one transaction. */
export const saveHandRefund = async (
  db: Db,
  act: Act,
  refund: SavedRefund,
): Promise<RecordedEvent | null> => {
  const { workspaceId } = act
  const { id, report, decision } = refund
  const { saleExternalId, requested } = report
  const { amountCents = requested.amountCents, currency = requested.currency } =
    decision.counted ?? {}
  const details = {
    externalId: saleExternalId,
    amountCents: amountCents === null ? null : Number(amountCents),
    currency,
    reason: requested.byHand?.reason,
  }
  try {
    const [[saved]] = await db.batch([
      sql<{
        event: RecordedEvent
      }>`select save_refund(${JSON.stringify(toSaved(refund))}) as event`.compile(db),
      auditEntry(db, {
        ...act,
        action: 'event.refunded',
        subjectId: id,
        details,
        when: sql<SqlBool>`exists (select from events where workspace_id = ${workspaceId} and id = ${id})`,
      }).compile(),
    ])
    if (!saved) throw new Error('A call of a function returned no row.')
    return saved.event
  } catch (error) {
    if (isConflict(error)) return null
    throw error
  }
}

/** What refunds that were reported to us have returned of a sale, in its minor units. */
export const refundedCentsOf = async (
  db: Db,
  workspaceId: string,
  saleId: string,
): Promise<bigint> => {
  const { rows } = await sql<{ cents: bigint }>`
    select coalesce(sum(amount_cents), 0)::bigint as cents
    from events where workspace_id = ${workspaceId} and sale_id = ${saleId}`.execute(db)
  return rows[0]?.cents ?? 0n
}
