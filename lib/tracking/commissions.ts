/** A commission's status, derived from its row, its payout and the time. Spec, section 3; design, section 5. */

export const COMMISSION_STATUSES = ['pending', 'payable', 'processing', 'paid'] as const
export type CommissionStatus = (typeof COMMISSION_STATUSES)[number]

/** Pending during the holding period, then payable; processing while in an unsent payout, then paid. */
export const commissionStatus = (
  commission: { payableAt: Date; payoutId: string | null; paidAt: Date | null },
  now: Date,
): CommissionStatus => {
  if (commission.payoutId) return commission.paidAt ? 'paid' : 'processing'
  return now < commission.payableAt ? 'pending' : 'payable'
}
