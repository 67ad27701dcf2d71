/** Reversals of commissions, in part or in whole, and what reinstates them. */

import { canonicalJson } from '../../values/json.ts'
import { least, type Money } from '../../values/money.ts'
import type { Step } from '../steps/steps.ts'
import { manuallyReversedOf } from './manual-reversals.ts'
import type { Returned } from './returns.ts'
import { reversedFor } from './reversed-lines.ts'

/** The current commission of a sale: not replaced by another. */
export type CurrentCommission = Money & {
  id: string
  partnerId: string
  slug: string
  payableAt: Date
  /** How much of it is reversed so far. */
  reversedCents: bigint
  /** Whether its reward caps what the partner earns in a month; absent where nothing asks for it. */
  isMonthCapped?: boolean | null
}

/** A row of the ledger: negative amounts reverse the commission, positive ones reinstate it. */
export type Reversal = Money & { reversesId: string; partnerId: string; payableAt: Date }

/**
 * How much of a commission is to be reversed: the share of what was returned, and what managers
 * reversed by hand. Never more than all of it.
 *
 * @param steps of the decision that made it, and of what managers reversed
 */
export const toReverse = (
  { amountCents, partnerId }: { amountCents: bigint; partnerId: string },
  returned: Returned,
  steps: Step[],
): bigint => {
  const cents =
    reversedFor(amountCents, steps, returned).reversedCents +
    manuallyReversedOf(steps, partnerId, amountCents)
  return least(cents, amountCents)
}

/** The row, if any, after which exactly `targetCents` of a commission are reversed. */
export const reverseTo = (current: CurrentCommission, targetCents: bigint): Reversal[] => {
  const amountCents = current.reversedCents - targetCents
  const { id: reversesId, partnerId, currency, payableAt } = current
  return amountCents === 0n ? [] : [{ reversesId, partnerId, amountCents, currency, payableAt }]
}

export const reverseAll = (current: CurrentCommission | null): Reversal[] =>
  current ? reverseTo(current, current.amountCents) : []

/** The step that records a commission reversed because another one, or none, replaces it. */
export const replacedStep = ({
  slug,
  partnerId,
  amountCents,
  currency,
}: CurrentCommission): Step => ({
  code: 'commission_replaced',
  facts: { slug, partnerId, amountCents: Number(amountCents), currency },
})

/**
 * The step that records how much of a commission is reversed for returns, if any.
 *
 * @param steps of the decision that made it
 */
export const reversedSteps = (
  commission: Money | null,
  steps: Step[],
  returned: Returned,
): Step[] => {
  if (!commission) return []
  const { reversedCents, lines } = reversedFor(commission.amountCents, steps, returned)
  if (reversedCents === 0n) return []
  return [
    {
      code: 'commission_reversed',
      facts: {
        refundedCents: Number(returned.refundedCents),
        disputedCents: Number(returned.disputedCents),
        ...(returned.exemptCents > 0n && { exemptCents: Number(returned.exemptCents) }),
        paidCents: Number(returned.paid.amountCents),
        paidCurrency: returned.paid.currency,
        amountCents: Number(reversedCents),
        currency: commission.currency,
        ...(lines.length > 0 && { lines }),
      },
    },
  ]
}

/**
 * What changes once so much of a sale was returned: the row that reverses or reinstates a part of
 * its commission, and the sale's new steps; null if nothing does. There is no row if as much is
 * reversed as before, such as of other lines. A rejected commission must not be reinstated.
 */
export const changeReturned = (
  { steps, commission }: { steps: Step[]; commission: CurrentCommission | null },
  returned: Returned,
): { current: CurrentCommission; reversal: Reversal | null; steps: Step[] } | null => {
  const current = steps.some(({ code }) => code === 'commission_created') ? commission : null
  if (!current) return null
  const [reversal = null] = reverseTo(current, toReverse(current, returned, steps))
  const reversed = reversedSteps(current, steps, returned)
  const former = steps.filter(({ code }) => code === 'commission_reversed')
  if (!reversal && canonicalJson(former) === canonicalJson(reversed)) return null
  return {
    current,
    reversal,
    steps: [...steps.filter(({ code }) => code !== 'commission_reversed'), ...reversed],
  }
}
