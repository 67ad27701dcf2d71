/** Manual reversals of commissions, and how they add up with what refunds reverse. */
import { formatMoney, proportionOf } from '../../values/money.ts'
import type { CommissionKind } from '../steps/commissions.ts'
import type { Step } from '../steps/steps.ts'

/** A reversal as it is requested. */
export type ManualReversal = {
  /** Minor units, 1 or more; null is all that is left. */
  amountCents: number | null
  reason: string
  /** Identifies repeated requests; null only without an amount. */
  externalId: string | null
}

/**
 * How much of a commission managers have reversed by hand, by the steps of its event. If another
 * amount replaces the commission, as after a corrected sale, it is the same part of the new one.
 * What was reversed of another partner's commission does not count.
 *
 * @param amountCents the commission, minor units
 */
export const manuallyReversedOf = (
  steps: Step[],
  partnerId: string,
  amountCents: bigint,
): bigint => {
  const cents = steps.reduce(
    (sum, { code, facts }) =>
      code === 'reversed_by_hand' && facts.partnerId === partnerId
        ? sum + proportionOf(amountCents, BigInt(facts.amountCents), BigInt(facts.commissionCents))
        : sum,
    0n,
  )
  return cents < amountCents ? cents : amountCents
}

/** What decides whether a commission can be reversed. */
export type Reversible = {
  kind: CommissionKind
  amountCents: bigint
  currency: string
  leftCents: bigint
}

/**
 * Why an amount of a commission cannot be reversed, or null.
 * @param amountCents null is all that is left
 */
export const reversalRefusalOf = (
  { kind, amountCents, currency, leftCents }: Reversible,
  wantedCents: number | null,
): string | null => {
  if (kind === 'reversal')
    return 'A reversal cannot be reversed. Adjust the partner’s earnings instead.'
  if (amountCents < 0n)
    return 'A deduction cannot be reversed. Adjust the partner’s earnings instead.'
  if (leftCents === 0n) return 'Nothing is left of this commission: all of it is reversed.'
  return wantedCents !== null && BigInt(wantedCents) > leftCents
    ? `Only ${formatMoney(leftCents, currency)} of this commission is left. Reverse at most that.`
    : null
}
