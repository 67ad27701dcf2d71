import type { PayoutRow } from './payouts.queries.ts'
import type { PayoutResponse } from './payouts.responses.ts'

/** A payout as the API represents it, in responses and webhooks. */
export const payoutResponse = ({
  partnerSlug: _,
  partnerName: __,
  confirmedAt: ___,
  failedLookUps: ____,
  ...payout
}: PayoutRow): PayoutResponse => ({
  ...payout,
  amountCents: Number(payout.amountCents),
  reversedCents: Number(payout.reversedCents),
})
