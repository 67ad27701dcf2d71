/** Credits by hand: a manager decides whom an event is credited to. */
import type { Step } from '../steps/steps.ts'

/** The decision as it is requested. */
export type HandCreditRequest = {
  /** null credits nobody. */
  partnerId: string | null
  reason: string
  /** Whether the partner owns the customer from now on, also if another partner owns it. */
  customer: boolean
}

export type CreditOutcome = 'credited' | 'partner_missing' | keyof typeof creditRefusals

/** Why an event cannot be credited by hand. */
export const creditRefusals = {
  partner_banned: 'This partner is banned. Approve the partner before you credit it.',
  rejected:
    'A manager has rejected what this event earned, so it earns nothing again. Adjust the partner’s earnings instead.',
  duplicate:
    'This purchase is recorded under another ID too, which earns instead. Credit that event.',
  refund: 'A refund is credited as its sale is. Credit the sale.',
  undecided: 'Nothing is known of this sale but refunds, so it cannot be decided again.',
} as const

/** The earlier decision of a manager or another record of the purchase, which stays. */
export const creditRefusalOf = (steps: Step[]): 'rejected' | 'duplicate' | null => {
  if (steps.some(({ code }) => code === 'commission_rejected')) return 'rejected'
  return steps.some(({ code }) => code === 'same_purchase') ? 'duplicate' : null
}
