/** Reversals: what is taken back of a commission, or given again, and how a sale tells of it. */

import type { Money } from '../tracking/rewards.ts'
import type { Step } from '../tracking/steps.ts'
import { type Returned, reversedOf } from './purchase.ts'

/** The commission that stands for a sale now. */
export type StandingCommission = Money & {
  id: string
  partnerId: string
  slug: string
  payableAt: Date
  /** What of it is taken back so far. */
  reversedCents: bigint
}

/** A row that takes something back from a commission, or gives it again. The amount has its sign. */
export type Reversal = Money & { reversesId: string; partnerId: string; payableAt: Date }

/** What brings a commission to where so much of it is taken back. */
export const reverse = (standing: StandingCommission, targetCents: bigint): Reversal[] => {
  const amountCents = standing.reversedCents - targetCents
  const { id: reversesId, partnerId, currency, payableAt } = standing
  return amountCents === 0n ? [] : [{ reversesId, partnerId, amountCents, currency, payableAt }]
}

/** Takes all of a commission back in whose place another one, or none, is to stand. */
export const takeBack = (standing: StandingCommission | null): Reversal[] =>
  standing ? reverse(standing, standing.amountCents) : []

/** The step that tells of a commission that was taken back for another one, or none. */
export const replacedStep = ({ slug, amountCents, currency }: StandingCommission): Step => ({
  code: 'commission_replaced',
  facts: { slug, amountCents: Number(amountCents), currency },
})

/** The step that tells what of a commission is taken back, if anything is. */
export const reversedSteps = (commission: Money | null, returned: Returned): Step[] => {
  const reversedCents = commission ? reversedOf(commission.amountCents, returned) : 0n
  if (!commission || reversedCents === 0n) return []
  return [
    {
      code: 'commission_reversed',
      facts: {
        refundedCents: Number(returned.refundedCents),
        disputedCents: Number(returned.disputedCents),
        paidCents: Number(returned.paid.amountCents),
        paidCurrency: returned.paid.currency,
        amountCents: Number(reversedCents),
        currency: commission.currency,
      },
    },
  ]
}
