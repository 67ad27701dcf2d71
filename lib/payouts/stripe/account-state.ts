/** What Stripe's capabilities say of a connected account. */
import type Stripe from 'stripe'
import type { PayoutAccountStatus } from '../payouts.ts'

type Capability =
  Stripe.V2.Core.Account.Configuration.Recipient.Capabilities.StripeBalance.StripeTransfers

/** An account's status, by its transfers capability. For `restricted`, see saveReadings. */
export const statusOf = (
  closed: boolean,
  transfers: Capability | undefined,
): PayoutAccountStatus => {
  if (closed) return 'closed'
  if (!transfers) return 'onboarding'
  const { status, status_details: details } = transfers
  if (status === 'active') return 'enabled'
  // The partner cannot resolve this: only another account can be paid.
  if (status === 'rejected' || status === 'unsupported') return 'closed'
  if (details.some(({ resolution }) => resolution === 'provide_info')) return 'onboarding'
  const isUnderReview = details.some(
    ({ code }) => code === 'determining_status' || code === 'requirements_pending_verification',
  )
  return status === 'pending' || isUnderReview ? 'in_review' : 'restricted'
}

export type AccountState = {
  status: PayoutAccountStatus
  /** Whether Stripe pays out to its bank; null if that is not decided. */
  paysBank: boolean | null
}

/** Whether Stripe pays out to an account's bank, by the status of its payouts capability. */
export const paysBankOf = (status: string | undefined): boolean | null =>
  status === undefined || status === 'pending' ? null : status === 'active'
