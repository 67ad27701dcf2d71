/** A commission's status, derived from its row, its hold, its payout and the time. Spec, section 3; design, section 5. */

export const COMMISSION_KINDS = ['sale', 'lead', 'opening_balance', 'adjustment', 'reversal'] as const
export type CommissionKind = (typeof COMMISSION_KINDS)[number]

export const COMMISSION_STATUSES = ['held', 'pending', 'payable', 'processing', 'paid'] as const
export type CommissionStatus = (typeof COMMISSION_STATUSES)[number]

/** What determines a commission's status. */
export type CommissionState = {
  payableAt: Date
  payoutId: string | null
  paidAt: Date | null
  /** Whether a hold of the commission, or of the one that it reverses, is not resolved. */
  isHeld: boolean
}

/** Held until a manager decides; pending during the holding period, then payable; processing in an unsent payout, then paid. */
export const commissionStatus = (commission: CommissionState, now: Date): CommissionStatus => {
  if (commission.payoutId) return commission.paidAt ? 'paid' : 'processing'
  if (commission.isHeld) return 'held'
  return now < commission.payableAt ? 'pending' : 'payable'
}
