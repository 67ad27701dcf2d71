/** A commission's life, derived from its row and the time. Spec, section 3. */

export type CommissionStatus = 'pending' | 'payable'

/** A commission is pending while it is held, and payable from `payableAt` on. */
export const commissionStatus = (commission: { payableAt: Date }, now: Date): CommissionStatus =>
  now < commission.payableAt ? 'pending' : 'payable'
