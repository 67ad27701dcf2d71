/** What a plan says of holds: a manager's decisions, and what is to be decided again. */
import type { Decision } from '../decisions/decide.ts'
import { type HoldRequest, holdRequest, type Rule } from '../holds/hold-facts.ts'
import { doubtsOf, handCreditOf, ruledHoldOf, type Step } from '../steps/steps.ts'
import type { KnownFacts, PurchasePlan, RecordedSale, SalePlan } from './plan.ts'

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
 * The recorded sales of a purchase, without those that a manager has rejected as a duplicate of
 * another: an id now says that they are one purchase, which earns once.
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

/** What a planned sale is compared with, and why a rule holds it. */
export const holdsOf = (
  { sale, duplicates }: PurchasePlan,
  { recorded, salesFrom }: KnownFacts,
  saleId: string | null,
): HoldRequest[] => {
  if (sale.kind === 'none' || saleId === null) return []
  return [
    holdRequest(
      {
        eventId: saleId,
        tiedIds: duplicates.map(({ id }) => id),
        isNew: 'commission' in sale && sale.commission?.replacesId === null,
        rule: ruleOf(sale, recorded),
      },
      { duplicates: true, expected: salesFrom !== 'both' && salesFrom !== 'api' },
    ),
  ]
}

/** What a planned sale is held for; null if no rule has held it, or holds it. */
const ruleOf = (sale: SalePlan, recorded: RecordedSale | null): Rule | null => {
  if (sale.kind !== 'create' && sale.kind !== 'update') return null
  const reason = ruledHoldOf(sale)
  if (reason) {
    const isKnown = recorded !== null && doubtsOf(recorded.steps).includes(reason)
    const isOfOther = recorded?.partnerId !== (sale.change.credit?.partner.id ?? null)
    // A manager's decision about the budget is about all partners of the program.
    return { reason, isNew: !isKnown || (isOfOther && reason !== 'over_budget') }
  }
  const former = recorded && ruledHoldOf(recorded)
  if (!former) return null
  // To credit it by hand releases nothing, but another partner is not the customer, and another
  // program has another budget.
  const isOfCredit = former === 'self_referral' || former === 'over_budget'
  return handCreditOf(sale.steps) && !isOfCredit ? null : { reason, isNew: false }
}
