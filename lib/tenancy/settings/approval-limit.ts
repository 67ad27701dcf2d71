/** Who may approve a higher limit of payout runs that need no second manager. */

import type { SettingsResponse } from './settings.responses.ts'

/** A request to raise the limit, or to remove it. */
export type LimitRequest = NonNullable<SettingsResponse['limitRequest']>

/** Why a manager may not approve, as the database says: see `approval_limit_refusal`. */
export type LimitRefusal = 'own' | 'waits' | 'recent'

/** What to do instead. */
export const LIMIT_REFUSALS: Record<LimitRefusal, string> = {
  own: 'You asked for this limit, so another manager has to approve it.',
  waits: 'No other manager can approve this limit. You can, 72 hours after you asked for it.',
  recent:
    'You became a manager, or signed in for the first time, less than 72 hours before this limit was asked for. Another manager has to approve it.',
}
