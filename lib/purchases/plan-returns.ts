/** Plans what a return changes: how much of the commission is reversed. */
import type { Money } from '../tracking/rewards.ts'
import type { EventOutcome } from './outcomes.ts'
import type { PurchasePlan, RecordedSale } from './plan.ts'
import type { Purchase } from './purchase.ts'
import { returnedOf } from './returns.ts'
import { type CurrentCommission, type Reversal, reversedSteps, reverseTo, toReverse } from './reversals.ts'

/** Reverses as much of the sale's commission as was returned, or reinstates what is no longer returned. */
export const planReturns = ({ sale, returns }: Purchase, recorded: RecordedSale): PurchasePlan => {
  const gross = sale && { amountCents: BigInt(sale.paid.grossCents), currency: sale.paid.currency }
  const returned = returnedOf(returns, gross?.amountCents ? gross : recorded.sale)
  const { externalId, steps } = recorded
  // A rejected commission must not be reinstated.
  const current = steps.some(({ code }) => code === 'commission_created') ? recorded.commission : null
  const reversals = current ? reverseTo(current, toReverse(current, returned, steps)) : []
  const [reversal] = reversals
  if (!reversal || !current) {
    const outcome: EventOutcome = { code: 'nothing_changed', facts: { externalId } }
    return { sale: { kind: 'keep', recorded }, customer: null, duplicates: [], outcome }
  }
  return {
    sale: {
      kind: 'adjust',
      recorded,
      steps: [
        ...steps.filter(({ code }) => code !== 'commission_reversed'),
        ...reversedSteps(current, returned),
      ],
      reversals,
    },
    customer: null,
    duplicates: [],
    outcome: commissionChanged(externalId, current, reversal),
  }
}

export const commissionChanged = (
  externalId: string,
  { slug }: CurrentCommission,
  reversal: Reversal,
): EventOutcome => ({ code: 'commission_changed', facts: { ...saleFacts(externalId, reversal), slug } })

export const saleFacts = (externalId: string, { amountCents, currency }: Money) => ({
  externalId,
  amountCents: Number(amountCents),
  currency,
})
