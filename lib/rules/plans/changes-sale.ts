/** Whether a new decision changes a recorded sale. */

import { canonicalJson } from '../../values/json.ts'
import type { Money } from '../../values/money.ts'
import type { Decision } from '../decisions/decide.ts'
import { doubtsOf, handCreditOf, type Step } from '../steps/steps.ts'
import type { RecordedSale, SaleChange } from './plan.ts'

/** Whether the recorded sale has to be updated after the new decision. */
export const changesSale = (
  recorded: RecordedSale,
  change: SaleChange,
  decision: Decision,
  customerId: string | null,
): boolean => {
  const { credit, commission } = decision
  return (
    recorded.partnerId !== (credit?.partner.id ?? null) ||
    recorded.attributedBy !== (credit?.attributedBy ?? null) ||
    differs(recorded.sale, change.sale) ||
    canonicalJson(recorded.lines) !== canonicalJson(change.lines) ||
    recorded.country !== change.country ||
    canonicalJson(recorded.coupons) !== canonicalJson(change.coupons) ||
    (!isRejected(recorded) && earnsOtherwise(recorded.commission, commission)) ||
    Number(recorded.occurredAt) !== Number(change.occurredAt) ||
    recorded.subscriptionId !== change.subscriptionId ||
    recorded.customerId !== customerId ||
    recorded.addressedId !== change.addressedId ||
    isCreditedOtherwise(recorded, decision) ||
    meetsInactive(recorded) !== meetsInactive(decision) ||
    (!isRejected(recorded) &&
      (isDoubtedOtherwise(recorded, decision) || earnsByOtherParts(recorded, decision)))
  )
}

/** Whether a manager has credited it by hand since it was recorded, or for another reason. */
const isCreditedOtherwise = (recorded: RecordedSale, decision: Decision): boolean =>
  canonicalJson(handCreditOf(recorded.steps)) !== canonicalJson(handCreditOf(decision.steps))

/** Whether it credits another partner, or none, because one was not active. */
const meetsInactive = ({ steps }: { steps: Step[] }): boolean =>
  steps.some(({ code }) => code === 'partner_inactive')

/** Whether the doubts differ from those recorded: the hold has another reason, or none. */
const isDoubtedOtherwise = (recorded: RecordedSale, decision: Decision): boolean =>
  canonicalJson(doubtsOf(recorded.steps)) !== canonicalJson(doubtsOf(decision.steps))

/**
 * Whether its lines earn otherwise, or another cap applies, though perhaps it earns as much in all:
 * returns are of lines.
 */
const earnsByOtherParts = (recorded: RecordedSale, decision: Decision): boolean =>
  canonicalJson(partsOf(recorded)) !== canonicalJson(partsOf(decision))

const partsOf = ({ steps }: { steps: Step[] }): Step[] =>
  steps.filter(({ code }) => code === 'line_reward' || code === 'cap_applied')

/** Whether a manager has rejected what it earned: it stays reversed. */
export const isRejected = ({ steps }: RecordedSale): boolean =>
  steps.some(({ code }) => code === 'commission_rejected')

/** Whether a sale earns another amount than was recorded, or now one or none. */
const earnsOtherwise = (current: Money | null, commission: Money | null): boolean =>
  current && commission ? differs(current, commission) : current !== commission

export const differs = (a: Money, b: Money): boolean =>
  a.amountCents !== b.amountCents || a.currency !== b.currency
