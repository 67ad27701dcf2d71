/**
 * A commission's status, derived from its row, its hold, its payout and the time. Spec, section 3;
 * design, section 5.
 */

export const COMMISSION_KINDS = [
  'sale',
  'lead',
  'opening_balance',
  'adjustment',
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

/**
 * When a commission that is never payable is payable: one of shadow mode, which another platform
 * pays. never() of schema.sql is the same.
 */
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
