import { commissionStatus, isOfShadowMode } from '../../rules/steps/commissions.ts'
import type { CommissionRow } from './commissions.queries.ts'
import type { CommissionResponse } from './commissions.responses.ts'

/** The columns of a left join are null together, which their types don't say. */
const holdOf = ({
  holdReason,
  holdNote,
  heldBy,
  heldAt,
  ...row
}: CommissionRow): CommissionResponse['hold'] => {
  if (holdReason === null || heldAt === null) return null
  const { evidenceEventId, resolution, resolvedAt, resolvedBy } = row
  return {
    reason: holdReason,
    note: holdNote,
    createdBy: heldBy,
    evidenceEventId,
    createdAt: heldAt,
    resolution,
    resolvedAt,
    resolvedBy,
  }
}

const adjustmentOf = (commission: CommissionRow): CommissionResponse['adjustment'] => {
  const {
    adjustmentExternalId: externalId,
    adjustmentReason: reason,
    adjustedBy: createdBy,
  } = commission
  if (externalId === null || reason === null || createdBy === null) return null
  const { adjustedEventId: eventId, correctsId: commissionId } = commission
  return { externalId, reason, createdBy, eventId, commissionId }
}

/** A commission as the API represents it, in responses and webhooks. */
export const commissionResponse = (commission: CommissionRow, now: Date): CommissionResponse => ({
  id: commission.id,
  kind: commission.kind,
  amountCents: Number(commission.amountCents),
  currency: commission.currency,
  status: commissionStatus(commission, now),
  payableAt: isOfShadowMode(commission) ? null : commission.payableAt,
  createdAt: commission.createdAt,
  partnerId: commission.partnerId,
  ...(commission.partnerIsTest && { test: true }),
  customerExternalId: commission.customerExternalId,
  eventId: commission.eventId,
  reversesId: commission.reversesId,
  payoutId: commission.payoutId,
  hold: holdOf(commission),
  adjustment: adjustmentOf(commission),
  bonus: commission.bonusName,
})
