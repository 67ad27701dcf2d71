/** Refunds by hand, by the rules of the API. docs/decisions.md, "Refunds reported by API". */

import type { Act } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import type { HandRefundOutcome } from '../../rules/refunds/hand-refunds.ts'
import type { RefundReport } from '../../rules/refunds/refund.ts'
import { settleRefunds } from '../../rules/refunds/refunds.ts'
import { decideAndSave, refundHash } from '../../tracking/refunds/refund.service.ts'
import type { RefundFacts } from '../../tracking/refunds/refunds.queries.ts'
import { joinReport } from '../apply/late.service.ts'
import { loadHandRefund, saveHandRefund } from './hand-refund.queries.ts'

/**
 * Records a refund of a sale, once for each external id. One of more than is left is refused,
 * because a person can correct it; of concurrent ones, the later counts for what is left.
 *
 * @param report of a sale of the workspace, in its currency
 */
export const refundByHand = async (
  db: Db,
  act: Act,
  report: RefundReport,
): Promise<HandRefundOutcome> => {
  const { workspaceId, now } = act
  const bodyHash = await refundHash(report)
  const facts = await loadHandRefund(db, workspaceId, report)
  if (!facts.recorded) {
    const leftCents = leftOf(facts)
    const { amountCents } = report.requested
    if (leftCents === 0n || (amountCents !== null && BigInt(amountCents) > leftCents)) {
      return { outcome: 'exceeds', leftCents: Number(leftCents) }
    }
  }
  const event = await decideAndSave(report, bodyHash, now, {
    load: () => loadHandRefund(db, workspaceId, report),
    save: (refund) => saveHandRefund(db, act, refund),
    join: (workspace, refund) => joinReport(db, workspace, refund, now),
  })
  return { outcome: event.bodyHash === bodyHash ? 'refunded' : 'saved_before' }
}

/** What the refunds of a sale have left of it. */
const leftOf = ({ sale, refunds }: RefundFacts): bigint => {
  if (!sale) return 0n
  const settled = settleRefunds(refunds, { ...sale.sale, externalId: sale.externalId })
  return settled.reduce((left, { amountCents }) => left - amountCents, sale.sale.amountCents)
}
