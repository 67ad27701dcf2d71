import type { CutOverResponse } from '../shadow.responses.ts'
import type { CutOverOutcome } from './cut-over.service.ts'
import { type OwedBalance, REFUSALS } from './cut-over.ts'

const MOST_LISTED = 1_000

const balanceOf = ({ email, partnerId, currency, amountCents }: OwedBalance) => ({
  email,
  partnerId,
  currency,
  amountCents: Number(amountCents),
})

/** A cut-over as the API represents it. */
export const cutOverResponse = ({
  cutOverAt,
  sums,
  balances,
  refused,
}: CutOverOutcome): CutOverResponse => ({
  cutOverAt,
  sums,
  balances: balances.slice(0, MOST_LISTED).map(balanceOf),
  refused: refused
    .slice(0, MOST_LISTED)
    .flatMap((balance) =>
      balance.code
        ? [{ ...balanceOf(balance), code: balance.code, message: REFUSALS[balance.code] }]
        : [],
    ),
})
