/**
 * Duplicates: sales that were recorded of one purchase under several of its ids, before anything told that they are one.
 * The merchant may report the payment while Stripe tells of its invoice, and only what Stripe tells of the invoice's
 * payment ties them. The sale that was recorded first stands for the purchase, with all that is known of any of them:
 * nothing that comes later makes another one the first, and it is the sale that there would be if they had been tied
 * from the beginning. What the others earned is taken back.
 */

import type { Step } from '../tracking/steps.ts'
import type { PurchaseFacts, RecordedSale, Settlement } from './plan.ts'
import { replacedStep, takeBack } from './reversals.ts'

type Credit = Pick<RecordedSale, 'partnerId' | 'attributedBy'>

/**
 * What becomes of a duplicate: it says why it earns nothing. It is credited to whom the purchase is, so that whoever
 * reported it hears the same when the report is repeated.
 */
export type DuplicateChange = Pick<RecordedSale, 'id' | 'revision' | 'steps'> & Credit

/** Whether a duplicate says already of which sale it is one, and has nothing that is not its own. */
const isMerged = (duplicate: RecordedSale, into: string, { partnerId }: Credit): boolean => {
  const { commission, steps } = duplicate
  return (
    duplicate.partnerId === partnerId &&
    steps.some(({ code, facts }) => code === 'same_purchase' && facts.externalId === into) &&
    takeBack(commission).length === 0
  )
}

/** Whether it became known just now that sales are one purchase. */
export const hasUnmerged = ({ recorded, duplicates }: PurchaseFacts): boolean =>
  recorded !== null && duplicates.some((sale) => !isMerged(sale, recorded.externalId, recorded))

/** Adds to what becomes of a purchase's sale what becomes of its duplicates. */
export const mergeDuplicates = (
  settlement: Settlement,
  { recorded, duplicates }: PurchaseFacts,
): Settlement => {
  if (!recorded) return settlement
  const { externalId } = recorded
  const { sale, outcome } = settlement
  const credit: Credit = sale
    ? { partnerId: sale.credit?.partner.id ?? null, attributedBy: sale.credit?.by ?? null }
    : recorded
  const unmerged = duplicates.filter((duplicate) => !isMerged(duplicate, externalId, credit))
  const taken = unmerged.flatMap((duplicate) => takeBack(duplicate.commission))
  return {
    ...settlement,
    reversals: [...settlement.reversals, ...taken],
    duplicates: unmerged.map((duplicate) => ({
      id: duplicate.id,
      revision: duplicate.revision,
      partnerId: credit.partnerId,
      attributedBy: credit.attributedBy,
      steps: explainDuplicate(duplicate, externalId),
    })),
    outcome: outcome.code === 'nothing_changed' ? (outcomeOf(unmerged) ?? outcome) : outcome,
  }
}

/** Why a duplicate earns nothing, and what it earned until that was known. */
const explainDuplicate = ({ steps, commission }: RecordedSale, externalId: string): Step[] => [
  { code: 'same_purchase', facts: { externalId } },
  ...steps.filter(({ code }) => code === 'commission_replaced'),
  ...(commission && takeBack(commission).length > 0 ? [replacedStep(commission)] : []),
]

/** What is told of the event that tied them, when all that it changed is what a duplicate has earned. */
const outcomeOf = (unmerged: RecordedSale[]): Settlement['outcome'] | undefined => {
  const [first] = unmerged.flatMap(({ externalId, commission }) =>
    takeBack(commission).map(({ amountCents, currency }) => ({
      code: 'commission_changed' as const,
      facts: { externalId, amountCents: Number(amountCents), currency, slug: commission?.slug ?? '' },
    })),
  )
  return first
}
