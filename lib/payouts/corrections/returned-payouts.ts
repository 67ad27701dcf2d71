/** Payouts by bank that the bank or the service refused after their run was confirmed. */
import type { PayoutMethod, PayoutStatus } from '../payouts.ts'

type ReturnState = {
  method: PayoutMethod
  status: PayoutStatus
  confirmedAt: Date | null
  returnReason: string | null
}

export const isReturnable = ({
  method,
  status,
  confirmedAt,
}: Omit<ReturnState, 'returnReason'>): boolean =>
  method === 'manual' && status === 'paid' && confirmedAt !== null

/**
 * Why a payout cannot be marked as returned; null if it can, or has been with this reason: the
 * request may be a repeat of one whose answer was lost.
 */
export const returnRefusalOf = (payout: ReturnState, reason: string): string | null => {
  const { method, status, returnReason } = payout
  if (method === 'stripe')
    return 'This payout was made by Stripe, so no bank returns it to you. If you reversed its transfer in Stripe, release its commissions.'
  if (returnReason !== null)
    return returnReason === reason
      ? null
      : `This payout was marked as returned before: ${returnReason}`
  if (isReturnable(payout)) return null
  return status === 'canceled'
    ? 'This payout was canceled, so nothing can come back.'
    : 'The run of this payout is not confirmed. Confirm it first, or cancel it if nothing was paid.'
}

/** A manager's reason as a sentence. */
export const asSentence = (reason: string): string =>
  /[.!?]$/.test(reason) ? reason : `${reason}.`
