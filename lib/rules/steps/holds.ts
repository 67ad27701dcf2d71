/** Holds: commissions that a manager has to look at before they are payable. Design, section 5. */
import type { CommissionKind } from './commissions.ts'

import { RULED_HOLDS } from './steps.ts'

/**
 * `self_referral`: the customer is the partner. `late_lead`: only a lead after the payment says
 * who owns the customer. `unverified_address`: only an unverified address does. `manual`: a manager
 * holds it, with a note.
 */
export const HOLD_REASONS = ['possible_duplicate', ...RULED_HOLDS, 'manual'] as const
export type HoldReason = (typeof HOLD_REASONS)[number]

export const HOLD_RESOLUTIONS = ['released', 'rejected'] as const
export type HoldResolution = (typeof HOLD_RESOLUTIONS)[number]

/**
 * Why a hold cannot be resolved as wanted, or null.
 *
 * @param present how it is resolved by now; null if the commission was never held
 */
export const refusalOf = (
  present: HoldResolution | null,
  wanted: HoldResolution,
): string | null => {
  if (present === wanted) return null
  return present ? `This commission was already ${present}.` : 'This commission is not held.'
}

/** What decides whether a manager may hold a commission. */
export type Holdable = {
  kind: CommissionKind
  /** The payout that includes it. */
  payoutId: string | null
  /** Whether another commission of its event counts instead, or none. */
  isReplaced: boolean
  /** Whether its payment, or that of a reversal of it, has begun. */
  isPartlyPaid: boolean
  isHeld: boolean
  /** The manager's reason for the present hold. */
  holdNote: string | null
  resolution: HoldResolution | null
}

/** Why a manager cannot hold a commission with a note; null if it can, or is held so already. */
export const holdRefusalOf = (commission: Holdable, note: string): string | null => {
  if (commission.kind === 'reversal')
    return 'A reversal is held with the commission that it reverses. Hold that one.'
  if (commission.isHeld)
    return commission.holdNote === note
      ? null
      : 'This commission is held already. Release or reject it first.'
  if (commission.resolution === 'rejected')
    return 'This commission was rejected, so there is nothing to hold.'
  if (commission.payoutId)
    return 'This commission is part of a payout. Cancel the payout before you hold it.'
  if (commission.isPartlyPaid)
    return 'A reversal of this commission is part of a payout, so the commission cannot be held.'
  return commission.isReplaced
    ? 'This commission no longer counts, so there is nothing to hold.'
    : null
}
