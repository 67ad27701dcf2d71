/** Which payouts can be canceled. */
import type { PayoutMethod, PayoutStatus } from '../payouts.ts'

/** Why a payout cannot be canceled; null if it can, or is being or has been. */
export const cancelRefusalOf = ({
  method,
  status,
}: {
  method: PayoutMethod
  status: PayoutStatus
}): string | null => {
  if (status === 'failed') return 'This payout has failed. Its commissions are payable already.'
  if (status === 'reversed') return 'This payout was sent, and its transfer was reversed.'
  if (status !== 'paid') return null
  return method === 'stripe'
    ? 'This payout was sent. To take it back, reverse its transfer in Stripe.'
    : 'This payout is marked as paid. Mark its run as unpaid first.'
}
