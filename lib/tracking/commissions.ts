/** A commission's life, derived from its row, its payout and the time. Spec, section 3; design, section 5. */

export const COMMISSION_STATUSES = ['pending', 'payable', 'processing', 'paid'] as const
export type CommissionStatus = (typeof COMMISSION_STATUSES)[number]

/**
 * A commission is pending while it is held, and payable from `payableAt` on. A payout that has taken it makes it
 * processing, and paid once it was sent.
 */
export const commissionStatus = (
  commission: { payableAt: Date; payoutId: string | null; paidAt: Date | null },
  now: Date,
): CommissionStatus => {
  if (commission.payoutId) return commission.paidAt ? 'paid' : 'processing'
  return now < commission.payableAt ? 'pending' : 'payable'
}
