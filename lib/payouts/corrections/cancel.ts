/** Canceling payouts and runs: what can be canceled, and how far it has come. */
import type { PayoutMethod, PayoutStatus } from '../payouts.ts'

/** What decides whether a payout can be canceled, and how far that has come. */
export type CancelState = {
  method: PayoutMethod
  status: PayoutStatus
  /** Until when Stripe is asked for the transfer; null once it cannot be sent any more. */
  lookedUpUntil: Date | null
}

/** Why a payout cannot be canceled; null if it can, or is being or has been. */
export const cancelRefusalOf = ({
  method,
  status,
}: Pick<CancelState, 'method' | 'status'>): string | null => {
  if (status === 'failed') return 'This payout has failed. Its commissions are payable already.'
  if (status === 'reversed') return 'This payout was sent, and its transfer was reversed.'
  if (status !== 'paid') return null
  return method === 'stripe'
    ? 'This payout was sent. To take it back, reverse its transfer in Stripe.'
    : 'This payout is marked as paid. Mark its run as unpaid first.'
}

/** How far the canceling of a payout has come; null if it is not being canceled. */
export const cancelPhaseOf = ({
  status,
  lookedUpUntil,
}: CancelState): 'looking_up' | 'letting_go' | null => {
  if (status !== 'canceling') return null
  return lookedUpUntil ? 'looking_up' : 'letting_go'
}
