/** What a plan keeps of a manager's decision about a held sale: see lib/rules/holds. */
import type { Decision } from '../decisions/decide.ts'
import type { Step } from '../steps/steps.ts'
import type { RecordedSale } from './plan.ts'

/** The steps that a plan keeps: what a manager decided, and about what. */
const REVIEWED: Step['code'][] = ['possible_duplicate', 'commission_rejected']

/** The decision about a sale whose commission a manager has rejected: it earns nothing again. */
export const keepRejected = (decision: Decision, recordedSteps: Step[]): Decision => {
  if (!recordedSteps.some(({ code }) => code === 'commission_rejected')) return decision
  const steps = decision.steps.filter(({ code }) => code !== 'commission_created')
  return {
    ...decision,
    commission: null,
    steps: [...steps, ...recordedSteps.filter(({ code }) => REVIEWED.includes(code))],
  }
}

/**
 * The recorded sales of a purchase, without what a manager has rejected as a duplicate of another
 * one of them: by now, an id says that they are one purchase, which earns once.
 */
export const withoutSettled = (sales: RecordedSale[]): RecordedSale[] =>
  sales.map((sale) => {
    const isSettled = sale.steps.some(
      ({ code, facts }) =>
        code === 'possible_duplicate' &&
        sales.some(({ externalId }) => externalId === facts.externalId),
    )
    return isSettled
      ? { ...sale, steps: sale.steps.filter(({ code }) => !REVIEWED.includes(code)) }
      : sale
  })
