/**
 * Possible duplicates: a sale that the merchant reported by API under an id of its own, and one that a payment processor
 * reported, which no id ties, but which look like one purchase. Design, section 5, "Who reports sales".
 */
import type { Decision } from '../tracking/decide.ts'
import type { Step } from '../tracking/steps.ts'

/** Two sales of one amount further apart than this are two purchases. */
export const DUPLICATE_HOURS = 24

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
