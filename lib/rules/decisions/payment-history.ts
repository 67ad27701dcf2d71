/** What a customer paid before a sale, as rules of a reward ask for it. docs/rewards.md. */
import { type Referral, startAt } from '../identities/owner.ts'
import type { PaymentHistory } from '../rewards/conditions.ts'
import { asksFor, type RewardTerms } from '../rewards/rewards.ts'

/** Whether the rules of a reward ask what the customer paid before. */
export const asksForPayments = (reward: RewardTerms): boolean =>
  asksFor(reward, 'payment', 'customerMonths')

/** Some payments of a customer before a sale: those of one subscription, or of none. */
export type Payments = { subscriptionId: string | null; count: number; firstAt: Date }

/** The recorded payments before a sale, whoever was credited with them. */
export const historyOf = (payments: Payments[], subscription: string | null): PaymentHistory => {
  const countOf = (some: Payments[]) => some.reduce((sum, { count }) => sum + count, 0)
  const times = payments.map(({ firstAt }) => Number(firstAt))
  return {
    payments: countOf(payments),
    ofSubscription:
      subscription === null
        ? null
        : countOf(payments.filter(({ subscriptionId }) => subscriptionId === subscription)),
    firstSaleAt: times.length ? new Date(Math.min(...times)) : null,
  }
}

/**
 * A customer who was imported with a start before the sale has paid once more.
 *
 * @param paidAt when the sale was paid
 */
export const withImport = (
  { payments, ofSubscription, firstSaleAt }: PaymentHistory,
  referrals: Referral[],
  paidAt: Date,
): PaymentHistory => {
  const startedAt = startAt(referrals, null, paidAt)
  if (!startedAt || startedAt >= paidAt) return { payments, ofSubscription, firstSaleAt }
  return {
    payments: payments + 1,
    ofSubscription: ofSubscription === null ? null : ofSubscription + 1,
    firstSaleAt: firstSaleAt && firstSaleAt < startedAt ? firstSaleAt : startedAt,
  }
}
