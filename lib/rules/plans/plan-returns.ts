/** Plans what a return changes: what of the sale was returned, and what of the commission reversed. */

import type { Money } from '../../values/money.ts'
import type { EventOutcome } from '../purchases/outcomes.ts'
import { includeRefunds, settleRefunds } from '../refunds/refunds.ts'
import { type Returned, returnedOf, returnedPartOf } from '../refunds/returns.ts'
import { type CurrentCommission, changeReturned, type Reversal } from '../refunds/reversals.ts'
import type { KnownFacts, PurchasePlan, RecordedSale } from './plan.ts'
import type { Purchase } from './purchase.ts'

/** What was returned of a purchase, as its processor and the merchant reported it. */
export const allReturned = (
  { returns }: Pick<Purchase, 'returns'>,
  { refunds }: Pick<KnownFacts, 'refunds'>,
  sale: Money,
  paid: Money,
): Returned =>
  includeRefunds(
    returnedOf(returns, paid, sale.amountCents),
    settleRefunds(refunds, { ...sale, externalId: '' }),
    sale,
  )

/** Reverses the commission for what was returned, or reinstates what is no longer returned. */
export const planReturns = (
  purchase: Purchase,
  recorded: RecordedSale,
  facts: Pick<KnownFacts, 'refunds'>,
): PurchasePlan => {
  const { sale } = purchase
  const gross = sale && { amountCents: BigInt(sale.paid.grossCents), currency: sale.paid.currency }
  const returned = allReturned(
    purchase,
    facts,
    recorded.sale,
    gross?.amountCents ? gross : recorded.sale,
  )
  const { externalId } = recorded
  const returnedCents = returnedPartOf(recorded.sale.amountCents, returned)
  const change = changeReturned(recorded, returned)
  if (!change?.reversal) {
    const { waiting } = returned
    const outcome: EventOutcome = waiting
      ? { code: 'waiting_for_payment', facts: saleFacts(externalId, waiting) }
      : { code: 'nothing_changed', facts: { externalId } }
    return {
      sale:
        change || returnedCents !== recorded.returnedCents
          ? {
              kind: 'adjust',
              recorded,
              returnedCents,
              steps: change?.steps ?? recorded.steps,
              reversals: [],
            }
          : { kind: 'keep', recorded },
      customer: null,
      duplicates: [],
      refunds: [],
      outcome,
    }
  }
  const { current, reversal, steps } = change
  return {
    sale: { kind: 'adjust', recorded, returnedCents, steps, reversals: [reversal] },
    customer: null,
    duplicates: [],
    refunds: [],
    outcome: commissionChanged(externalId, current, reversal),
  }
}

export const commissionChanged = (
  externalId: string,
  { slug }: CurrentCommission,
  reversal: Reversal,
): EventOutcome => ({
  code: 'commission_changed',
  facts: { ...saleFacts(externalId, reversal), slug },
})

export const saleFacts = (externalId: string, { amountCents, currency }: Money) => ({
  externalId,
  amountCents: Number(amountCents),
  currency,
})
