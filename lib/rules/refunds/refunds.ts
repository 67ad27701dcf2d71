/**
 * Refunds that the merchant reports by API: how much of the sale each counts for. The result
 * depends on the set of refunds and on the sale, never on which of them arrived first.
 */
import { type Money, proportionOf } from '../../values/money.ts'
import type { Decision } from '../decisions/decide.ts'
import type { Step } from '../steps/steps.ts'
import { nothingReturned, type Returned, returnedPartOf } from './returns.ts'
import { reversedSteps } from './reversals.ts'
import { reversedFor } from './reversed-lines.ts'

/**
 * What a merchant asked to refund. Without an amount, all that is left; without a currency, that of
 * the sale. `byHand` says who recorded it on the sale's page, and why.
 */
export type Requested = {
  amountCents: number | null
  currency: string | null
  byHand?: { reason: string; by: string }
}

export type ReportedRefund = { id: string; requested: Requested }

/** A refund of a sale that is known. */
export type SettledRefund = Money & { id: string; steps: Step[] }

/** The step of a refund whose sale is not known yet. */
export const waitingStep = (
  saleExternalId: string,
  { amountCents, currency }: Requested,
): Step => ({
  code: 'waiting_for_sale',
  facts: { saleExternalId, amountCents, currency },
})

/**
 * How much each refund counts for, oldest first: what was asked for, but never more than the others
 * have left of the sale. One in another currency counts for nothing.
 */
export const settleRefunds = (
  refunds: ReportedRefund[],
  sale: Money & { externalId: string },
): SettledRefund[] => {
  let leftCents = sale.amountCents
  return refunds.map(({ id, requested }) => {
    const { currency, externalId: saleExternalId } = sale
    const byHand: Step[] = requested.byHand
      ? [{ code: 'refunded_by_hand', facts: requested.byHand }]
      : []
    if (
      requested.amountCents !== null &&
      requested.currency !== null &&
      requested.currency !== currency
    ) {
      const facts = { currency: requested.currency, saleCurrency: currency }
      return {
        id,
        amountCents: 0n,
        currency,
        steps: [...byHand, { code: 'refund_currency_mismatch', facts }],
      }
    }
    const requestedCents =
      requested.amountCents === null ? leftCents : BigInt(requested.amountCents)
    const amountCents = requestedCents < leftCents ? requestedCents : leftCents
    const exceeds = requestedCents > leftCents || leftCents === 0n
    const steps: Step[] = [
      ...byHand,
      {
        code: 'sale_refunded',
        facts: {
          saleExternalId,
          amountCents: Number(amountCents),
          leftCents: Number(leftCents - amountCents),
          saleCents: Number(sale.amountCents),
          currency,
        },
      },
      ...(exceeds
        ? ([
            {
              code: 'refund_exceeds_sale',
              facts: {
                requestedCents: requested.amountCents,
                leftCents: Number(leftCents),
                currency,
              },
            },
          ] as const)
        : []),
    ]
    leftCents -= amountCents
    return { id, amountCents, currency, steps }
  })
}

/**
 * What was returned of a payment by all reports. The merchant and the processor may report the same
 * refund, so the larger of their totals counts, never the sum. The merchant's is in proportion to
 * the sale, which is net of tax.
 *
 * @param returned by the processor
 */
export const includeRefunds = (
  returned: Returned,
  settled: SettledRefund[],
  sale: Money,
): Returned => {
  const { refundedCents, disputedCents, exemptCents, paid } = returned
  if (settled.length === 0 || sale.amountCents === 0n) return returned
  const reportedCents = settled.reduce((sum, { amountCents }) => sum + amountCents, 0n)
  const ofPaid = proportionOf(paid.amountCents, reportedCents, sale.amountCents) - disputedCents
  const more = ofPaid - refundedCents
  if (more <= 0n) return returned
  return {
    ...returned,
    refundedCents: ofPaid,
    exemptCents: exemptCents > more ? exemptCents - more : 0n,
  }
}

/** What the refunds that waited for a sale change of its decision. */
export const settleWaiting = (
  { commission, steps }: Pick<Decision, 'commission' | 'steps'>,
  refunds: ReportedRefund[],
  sale: Money & { externalId: string },
) => {
  const settled = settleRefunds(refunds, sale)
  const { amountCents, currency } = sale
  const returned = includeRefunds(nothingReturned({ amountCents, currency }), settled, sale)
  return {
    settled,
    returnedCents: returnedPartOf(amountCents, returned),
    steps: [...steps, ...reversedSteps(commission, steps, returned)],
    reversedCents: commission
      ? reversedFor(commission.amountCents, steps, returned).reversedCents
      : 0n,
  }
}
