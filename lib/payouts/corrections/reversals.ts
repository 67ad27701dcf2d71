/** Payouts whose transfer the merchant has reversed at Stripe. */
import type { PayoutStatus } from '../payouts.ts'

/** A reversal as Stripe reports it. */
export type TransferReversal = {
  transferId: string
  /** The payout in the transfer's metadata; null if the metadata names none. */
  payoutId: string | null
  /** Everything reversed of the transfer so far, in minor units of ISO 4217. It only grows. */
  reversedCents: number
}

type ReversalState = { status: PayoutStatus; reversedCents: bigint; releasedAt: Date | null }

/** Why a payout's commissions cannot be released, to be paid again; null if they can or were. */
export const releaseRefusalOf = ({ status, reversedCents }: ReversalState): string | null => {
  if (status === 'reversed') return null
  return reversedCents > 0n
    ? 'Only a part of this payout was reversed. Reverse the rest in Stripe first.'
    : 'This payout was not reversed in Stripe, so its commissions are not payable again.'
}

/** Whether a payout waits for a decision: reversed in full, and its commissions not released. */
export const isUndecided = ({ status, releasedAt }: ReversalState): boolean =>
  status === 'reversed' && releasedAt === null
