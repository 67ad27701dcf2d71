/** Holds: commissions that a manager has to look at before they are payable. Design, section 5. */

export const HOLD_REASONS = ['possible_duplicate'] as const
export type HoldReason = (typeof HOLD_REASONS)[number]

export const HOLD_RESOLUTIONS = ['released', 'rejected'] as const
export type HoldResolution = (typeof HOLD_RESOLUTIONS)[number]

/**
 * Why a hold cannot be resolved as wanted, or null.
 *
 * @param present how it is resolved by now; null if the commission was never held
 */
export const refusalOf = (present: HoldResolution | null, wanted: HoldResolution): string | null => {
  if (present === wanted) return null
  return present ? `This commission was already ${present}.` : 'This commission is not held.'
}

/** Why a commission is held, for partners. */
export const HOLD_REASON_FOR_PARTNERS: Record<HoldReason, string> = {
  possible_duplicate:
    'This sale looks like another one that was reported before. The merchant checks whether both are one purchase.',
}
