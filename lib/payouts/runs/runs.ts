/** Payout runs: their status, and the steps that they allow. */

import type { PayoutMethod, RunStatus } from '../payouts.ts'
import type { RunWait } from './limits.ts'

/** The properties that decide which steps a run allows. */
export type RunState = { method: PayoutMethod; status: RunStatus | RunWait; claimedAt: Date | null }

export type PayoutSetup = {
  /** A key of its Stripe account. */
  hasKey: boolean
  /** The setting that allows bank transfers. */
  manualPayouts: boolean
}

/** Why a workspace cannot start a run by a method; null if it can. */
export const startRefusalOf = (
  method: PayoutMethod,
  { hasKey, manualPayouts }: PayoutSetup,
): string | null => {
  if (method === 'stripe')
    return hasKey
      ? null
      : 'This workspace has no Stripe key to pay from. Add one on the page Stripe.'
  return manualPayouts
    ? null
    : 'Bank transfers are turned off in this workspace. Turn them on in its settings, or pay with Stripe.'
}

/** The status of a run by Stripe: completed once no payout is in flight, even if all failed. */
export const stripeRunStatus = (
  claimedAt: Date | null,
  inFlight: number,
  isInReview = false,
): RunStatus => {
  if (claimedAt && inFlight === 0) return 'completed'
  return isInReview ? 'review' : 'processing'
}

/** The status of a canceled run, by how many payouts are neither sent nor canceled yet. */
export const canceledRunStatus = (open: number): RunStatus => (open > 0 ? 'canceling' : 'canceled')

/** What a manager can make of a run: one by Stripe can be canceled only. */
export const RUN_STEPS = ['processing', 'paid', 'confirmed', 'canceled'] as const
export type RunStep = (typeof RUN_STEPS)[number]

/** The status from which a manual run reaches each status. */
export const STATUS_BEFORE: Record<RunStep, RunStep> = {
  processing: 'paid',
  paid: 'processing',
  confirmed: 'paid',
  canceled: 'processing',
}

/** Why a run that has ended, or has not begun to claim, allows no step. */
const ENDED: Partial<Record<RunStatus | RunWait, string>> = {
  awaiting_approval: 'This run waits until another manager approves it.',
  declined: 'This run was declined. Its commissions are still payable: start another run.',
  confirmed: 'This run was confirmed, and can no longer be changed.',
  canceled: 'This run was canceled. Its commissions are payable again: start another run.',
  canceling: 'This run is being canceled.',
}

/** Why a run cannot change to a status; null if it can, or has it already. */
export const refusalOf = (run: RunState, wanted: RunStep): string | null => {
  const { status } = run
  if (wanted === 'canceled' && (status === 'canceling' || status === 'canceled')) return null
  if (run.method === 'stripe') {
    if (wanted !== 'canceled') return 'This run is paid by Stripe, which reports what was paid.'
    if (status === 'processing' || status === 'review') return null
    return ENDED[status] ?? 'This run has ended: nothing of it is left to cancel.'
  }
  if (status === wanted) return null
  if (!run.claimedAt && wanted !== 'canceled') return ENDED[status] ?? STILL_CLAIMING
  if (status === STATUS_BEFORE[wanted]) return null
  const ended = ENDED[status]
  if (ended) return ended
  return wanted === 'confirmed'
    ? 'Mark this run as paid before you confirm it.'
    : 'This run is marked as paid. Undo that first.'
}

const STILL_CLAIMING = 'This run is still being created. Try again in a minute.'

/** Why a run has no bank file; null if it has one. */
export const exportRefusalOf = (run: RunState): string | null => {
  if (run.method === 'stripe')
    return 'This run is paid by Stripe. If you also paid it by bank, partners would be paid twice.'
  if (!run.claimedAt) return ENDED[run.status] ?? STILL_CLAIMING
  return run.status === 'confirmed' ? null : (ENDED[run.status] ?? null)
}

/** Why a run cannot be sent before its review ends; null if it can, or the review has ended. */
export const reviewRefusalOf = ({
  status,
  sendsAt,
}: RunState & { sendsAt: Date | null }): string | null => {
  if (sendsAt === null) return 'This run has no review, so it is sent at once.'
  return status === 'canceled' || status === 'canceling' ? (ENDED[status] ?? null) : null
}
