/** A commission's status, by its row, hold, payout and the time. Spec, section 3. */

export const COMMISSION_KINDS = [
  'sale',
  'lead',
  'opening_balance',
  'adjustment',
  'bonus',
  'reversal',
] as const
export type CommissionKind = (typeof COMMISSION_KINDS)[number]

export const COMMISSION_STATUSES = [
  'shadow',
  'held',
  'pending',
  'payable',
  'processing',
  'paid',
] as const
export type CommissionStatus = (typeof COMMISSION_STATUSES)[number]

/** The payable time in shadow mode, where another platform pays. As never() of schema.sql. */
export const NEVER = new Date('9999-12-31T00:00:00Z')

/** Whether a commission was earned in shadow mode. */
export const isOfShadowMode = ({ payableAt }: Pick<CommissionState, 'payableAt'>): boolean =>
  payableAt.getTime() === NEVER.getTime()

/** What determines a commission's status. */
export type CommissionState = {
  payableAt: Date
  payoutId: string | null
  paidAt: Date | null
  /** Whether a hold of the commission, or of the one that it reverses, is not resolved. */
  isHeld: boolean
}

/**
 * Shadow if it is never payable; held until a manager decides; pending during the holding period,
 * then payable; processing in an unsent payout, then paid.
 */
export const commissionStatus = (commission: CommissionState, now: Date): CommissionStatus => {
  if (commission.payoutId) return commission.paidAt ? 'paid' : 'processing'
  if (isOfShadowMode(commission)) return 'shadow'
  if (commission.isHeld) return 'held'
  return now < commission.payableAt ? 'pending' : 'payable'
}
