import type { EarnedSums } from '../../totals/balances.queries.ts'
import type { BalanceResponse } from './commissions.responses.ts'

/** What a partner has earned in one currency, as the API represents it. */
export const earnedResponse = (earned: EarnedSums): BalanceResponse => ({
  currency: earned.currency,
  pendingCents: Number(earned.pendingCents),
  heldCents: Number(earned.heldCents),
  payableCents: Number(earned.payableCents),
  processingCents: Number(earned.processingCents),
  paidCents: Number(earned.paidCents),
})
