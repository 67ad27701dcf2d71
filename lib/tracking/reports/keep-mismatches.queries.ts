/** Keeps mismatches: reports that differ from their events. */
import type { Client } from '../../db/neon.ts'
import type { RefundReport } from '../../rules/refunds/refund.ts'
import type { Report } from '../../rules/steps/report.ts'
import { comparableFields } from '../checks/mismatches.ts'

/** @param bodyHash of the report */
export type Mismatch = { eventId: string; bodyHash: string; report: Report | RefundReport }

export const noteMismatches = async (
  db: Client,
  mismatches: Mismatch[],
  now: Date,
): Promise<void> => {
  const noted = mismatches.map(({ eventId, bodyHash, report }) => ({
    eventId,
    bodyHash,
    reported: comparableFields(report),
  }))
  await db.query('select note_mismatches($1, $2)', [JSON.stringify(noted), now])
}
