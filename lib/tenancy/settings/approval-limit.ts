/** Who may approve a higher limit above which payout runs need a second manager. */

import type { SettingsResponse } from './settings.responses.ts'

/** A request to raise the limit, or to remove it. */
export type LimitRequest = NonNullable<SettingsResponse['limitRequest']>

/** Why a manager may not approve: see `approval_limit_refusal` in the schema. */
export type LimitRefusal = 'own' | 'waits' | 'recent'

export const LIMIT_REFUSALS: Record<LimitRefusal, string> = {
  own: 'You requested this limit, so another manager has to approve it.',
  waits: 'No other manager can approve this limit. You can approve it 72 hours after your request.',
  recent:
    'You became a manager, or signed in for the first time, less than 72 hours before this limit was requested. Another manager has to approve it.',
}
