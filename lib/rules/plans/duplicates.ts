/**
 * Duplicates: sales recorded for one purchase under several of its ids, before an event showed that
 * they are one. The merchant may report the payment while the processor reports its invoice. The
 * sale recorded first is kept, with everything known of the others, so the result is the same as if
 * the ids had been known from the start. The commissions of the others are reversed.
 */

import { replacedStep, reverseAll } from '../refunds/reversals.ts'
import type { Step } from '../steps/steps.ts'
import type { DuplicateChange, KnownFacts, PurchasePlan, RecordedSale, SalePlan } from './plan.ts'
import { markCustomer } from './plan-customer.ts'
import { commissionChanged } from './plan-returns.ts'

type SaleCredit = Pick<RecordedSale, 'partnerId' | 'attributedBy'>

/** Whether a duplicate refers to its sale already, with its partner and no commission left. */
const isMerged = (duplicate: RecordedSale, into: string, { partnerId }: SaleCredit): boolean => {
  const { commission, steps } = duplicate
  return (
    duplicate.partnerId === partnerId &&
    steps.some(({ code, facts }) => code === 'same_purchase' && facts.externalId === into) &&
    reverseAll(commission).length === 0
  )
}

/** Whether recorded sales turn out to be one purchase only now. */
export const hasUnmerged = ({ recorded, duplicates }: KnownFacts): boolean =>
  recorded !== null && duplicates.some((sale) => !isMerged(sale, recorded.externalId, recorded))

/**
 * From when sales of the customer depend on duplicates that are merged now: each of them counted as
 * a payment. Null if none is.
 */
export const mergedFrom = ({ recorded, duplicates }: KnownFacts): Date | null => {
  if (!recorded) return null
  const unmerged = duplicates.filter((sale) => !isMerged(sale, recorded.externalId, recorded))
  const times = [recorded, ...unmerged].map(({ occurredAt }) => Number(occurredAt))
  return unmerged.length ? new Date(Math.min(...times)) : null
}

const creditOf = (sale: SalePlan, recorded: RecordedSale): SaleCredit => {
  if (sale.kind !== 'update') return recorded
  const { credit } = sale.change
  return { partnerId: credit?.partner.id ?? null, attributedBy: credit?.attributedBy ?? null }
}

/** Adds the changes of its duplicates to the plan of a purchase. */
export const mergeDuplicates = (plan: PurchasePlan, facts: KnownFacts): PurchasePlan => {
  const { recorded, duplicates } = facts
  if (!recorded) return plan
  const { externalId } = recorded
  const { partnerId, attributedBy } = creditOf(plan.sale, recorded)
  const unmerged = duplicates.filter(
    (sale) => !isMerged(sale, externalId, { partnerId, attributedBy }),
  )
  const changes: DuplicateChange[] = unmerged.map((sale) => ({
    id: sale.id,
    revision: sale.revision,
    partnerId,
    attributedBy,
    steps: explainDuplicate(sale, externalId),
    reversals: reverseAll(sale.commission),
  }))
  const { outcome } = plan
  return {
    ...plan,
    customer: plan.customer ?? markCustomer(facts, mergedFrom(facts)),
    duplicates: changes,
    outcome: outcome.code === 'nothing_changed' ? (outcomeOf(unmerged) ?? outcome) : outcome,
  }
}

/** Why a duplicate earns nothing, and what it had earned before. */
const explainDuplicate = ({ steps, commission }: RecordedSale, externalId: string): Step[] => [
  { code: 'same_purchase', facts: { externalId } },
  ...steps.filter(({ code }) => code === 'commission_replaced'),
  ...(commission && reverseAll(commission).length > 0 ? [replacedStep(commission)] : []),
]

/** The outcome of an event that changed nothing but the commission of a duplicate. */
const outcomeOf = (unmerged: RecordedSale[]): PurchasePlan['outcome'] | undefined =>
  unmerged.flatMap(({ externalId, commission }) =>
    commission
      ? reverseAll(commission).map((reversal) =>
          commissionChanged(externalId, commission, reversal),
        )
      : [],
  )[0]
