/** The last exit of a payout that is being canceled: a manager decides, without Stripe's answer. */
import type { PayoutStatus } from '../payouts.ts'

export const RESOLUTIONS = ['sent', 'not_sent'] as const
export type Resolution = (typeof RESOLUTIONS)[number]

/** Failed hourly look-ups in a row, since the payout's key expired, before a manager may decide. */
export const MIN_FAILED_LOOK_UPS = 5
/** The time over which they must have failed. Outages of Stripe or the network are shorter. */
export const MIN_UNREACHABLE_HOURS = 24

/** The facts on which it depends whether a manager may decide about a payout. */
type ResolutionState = {
  status: PayoutStatus
  paidAt: Date | null
  /** Since when each look-up has failed; null while the payout's key can act. */
  unreachableSince: Date | null
  failedLookUps: number
  resolvedAt: Date | null
  resolutionReason: string | null
}

export type ResolutionRequest = { outcome: Resolution; reason: string }

/** When a manager may decide about a payout if Stripe cannot be asked; null if not certain. */
export const resolvableFrom = ({
  status,
  unreachableSince,
  failedLookUps,
}: ResolutionState): Date | null =>
  status === 'canceling' && unreachableSince && failedLookUps >= MIN_FAILED_LOOK_UPS
    ? new Date(unreachableSince.getTime() + MIN_UNREACHABLE_HOURS * 3_600_000)
    : null

/** The decision about a payout; null without one. */
const resolutionOf = ({ resolvedAt, paidAt }: ResolutionState): Resolution | null =>
  resolvedAt && (paidAt ? 'sent' : 'not_sent')

const AS: Record<Resolution, string> = { sent: 'sent', not_sent: 'not sent' }

/** Why nobody may decide about a payout; null if a manager may. */
export const unresolvableReason = (payout: ResolutionState, now: Date): string | null => {
  const resolution = resolutionOf(payout)
  if (resolution)
    return `This payout was marked as ${AS[resolution]} before: ${payout.resolutionReason}`
  if (payout.status === 'processing')
    return 'Cancel this payout first. Stripe is then asked whether it was sent.'
  if (payout.status !== 'canceling') return 'The outcome of this payout is known.'
  const from = resolvableFrom(payout)
  if (from && from <= now) return null
  return `Stripe is still asked whether this payout was sent. You can decide once ${MIN_FAILED_LOOK_UPS} look-ups have failed over ${MIN_UNREACHABLE_HOURS} hours.`
}

/**
 * Why a decision about a payout was refused, by its state after the request. null if it was taken,
 * now or before: the request may be a retry after a lost response.
 */
export const resolutionRefusalOf = (
  payout: ResolutionState,
  { outcome, reason }: ResolutionRequest,
  now: Date,
): string | null =>
  resolutionOf(payout) === outcome && payout.resolutionReason === reason
    ? null
    : unresolvableReason(payout, now)

/** Why a decision about several payouts was refused; null if it was taken for at least one. */
export const commonRefusalOf = (
  payouts: ResolutionState[],
  request: ResolutionRequest,
  now: Date,
): string | null => {
  const refusals = payouts.map((payout) => resolutionRefusalOf(payout, request, now))
  return refusals.includes(null) ? null : (refusals[0] ?? 'The run has none of these payouts.')
}
