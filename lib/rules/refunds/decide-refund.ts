/** Decides a reported refund: what it counts for, and what it reverses of the commission. */

import type { Money } from '../../values/money.ts'
import type { Step } from '../steps/steps.ts'
import type { RefundedSale } from './refund.ts'
import { includeRefunds, type ReportedRefund, settleRefunds, waitingStep } from './refunds.ts'
import { nothingReturned, returnedPartOf } from './returns.ts'
import { changeReturned } from './reversals.ts'

export type DecidedRefund = {
  /** What it counts for; null while it waits for its sale. */
  counted: Money | null
  steps: Step[]
  /** What of the sale was returned in all, in its minor units; null while it waits. */
  returnedCents: bigint | null
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
    const steps = [waitingStep(saleExternalId, refund.requested)]
    return { counted: null, steps, returnedCents: null, change: null }
  }
  const { sale, externalId } = recorded
  const settled = settleRefunds([...earlier, refund], { ...sale, externalId })
  const mine = settled.find(({ id }) => id === refund.id) ?? null
  const returned = includeRefunds(nothingReturned(sale), settled, sale)
  return {
    counted: mine,
    steps: mine?.steps ?? [],
    returnedCents: returnedPartOf(sale.amountCents, returned),
    change: changeReturned(recorded, returned),
  }
}
