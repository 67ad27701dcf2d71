import type { PartnerBalance } from './balances.queries.ts'
import type { PartnerBalanceResponse } from './balances.responses.ts'

/** What is payable to a partner in one currency, as the API represents it. */
export const partnerBalanceResponse = ({
  partnerSlug: _,
  partnerName: __,
  ...balance
}: PartnerBalance): PartnerBalanceResponse => ({
  ...balance,
  amountCents: Number(balance.amountCents),
})
