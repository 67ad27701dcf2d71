/** Payout runs as people see them: how one stands, what can be done with it by hand, and when the next is due. */
import { UTCDateMini } from '@date-fns/utc'
import { latestOccurrence, type PayoutMethod, type PayoutSchedule, type RunStatus } from './payouts.ts'

/** What decides which steps a run allows. */
export type RunState = { method: PayoutMethod; status: RunStatus; claimedAt: Date | null }

/** The status of a run by Stripe. It is paid once none of its payouts is in flight: some of them may have failed. */
export const stripeRunStatus = (claimedAt: Date | null, processing: number): RunStatus =>
  claimedAt && processing === 0 ? 'paid' : 'processing'

/** From where a manual run gets to each status, which is one step: what is confirmed or canceled stays so. */
export const STATUS_BEFORE: Record<RunStatus, RunStatus> = {
  processing: 'paid',
  paid: 'processing',
  confirmed: 'paid',
  canceled: 'processing',
}

/** Why nothing more can be done with a run that has ended. */
const ENDED: Partial<Record<RunStatus, string>> = {
  confirmed: 'This run was confirmed: nothing of it can be changed any more.',
  canceled: 'This run was canceled, and what it had taken is payable again: start another one.',
}

/** Why a run can't be given a status, or null when it can, or has it already. */
export const refusalOf = (run: RunState, wanted: RunStatus): string | null => {
  if (run.method === 'stripe') return 'This run is paid by Stripe, which says by itself what was paid.'
  const { status } = run
  if (status === wanted) return null
  if (!run.claimedAt) return STILL_CLAIMING
  if (status === STATUS_BEFORE[wanted]) return null
  const ended = ENDED[status]
  if (ended) return ended
  return wanted === 'confirmed'
    ? 'Mark this run as paid first, and confirm it once that is certain.'
    : 'This run is marked as paid. Take that back first, if it is not so.'
}

const STILL_CLAIMING = 'This run is still being put together. Try again in a minute.'

/** Why there is no file to pay a run by bank from, or null. */
export const exportRefusalOf = (run: RunState): string | null => {
  if (run.method === 'stripe') return 'This run is paid by Stripe: paid by bank too, it would be paid twice.'
  if (!run.claimedAt) return STILL_CLAIMING
  return run.status === 'canceled' ? (ENDED.canceled ?? null) : null
}

/** More days than there are from one occurrence to the next, and fewer than to the one after that. */
const DAYS_PAST_NEXT: Record<Exclude<PayoutSchedule, 'manual'>, number> = {
  weekly: 7,
  twice_monthly: 17,
  monthly: 31,
}

/** When a program of this schedule is to pay next; null for one that pays when asked. */
export const nextOccurrence = (schedule: PayoutSchedule, now: Date): Date | null => {
  const latest = latestOccurrence(schedule, now)
  if (schedule === 'manual' || !latest) return null
  const later = new UTCDateMini(latest)
  later.setDate(later.getDate() + DAYS_PAST_NEXT[schedule])
  return latestOccurrence(schedule, later)
}
