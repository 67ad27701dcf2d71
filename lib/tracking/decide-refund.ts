/** Decides a reported refund: what of its sale it counts for, and what it reverses of the commission. */
import { includeRefunds, type ReportedRefund, settleRefunds, waitingStep } from '../purchases/refunds.ts'
import { nothingReturned } from '../purchases/returns.ts'
import { changeReturned } from '../purchases/reversals.ts'
import type { RefundedSale } from './refund.ts'
import type { Money } from './rewards.ts'
import type { Step } from './steps.ts'

export type DecidedRefund = {
  /** What it counts for; null while it waits for its sale. */
  counted: Money | null
  steps: Step[]
  /** What changes of the sale's commission. */
  change: ReturnType<typeof changeReturned>
}

/**
 * A refund of a sale that no processor has reported, or one that waits.
 *
 * @param earlier the refunds of the sale that were reported before
 */
export const decideRefund = (
  refund: ReportedRefund,
  saleExternalId: string,
  recorded: Pick<RefundedSale, 'sale' | 'externalId' | 'steps' | 'commission'> | null,
  earlier: ReportedRefund[],
): DecidedRefund => {
  if (!recorded) {
    return { counted: null, steps: [waitingStep(saleExternalId, refund.requested)], change: null }
  }
  const { sale, externalId } = recorded
  const settled = settleRefunds([...earlier, refund], { ...sale, externalId })
  const mine = settled.find(({ id }) => id === refund.id) ?? null
  const returned = includeRefunds(nothingReturned(sale), settled, sale)
  return { counted: mine, steps: mine?.steps ?? [], change: changeReturned(recorded, returned) }
}
