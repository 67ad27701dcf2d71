/** A manager's limits of a payout run: what was previewed, less what is left out, to a maximum. */

/** The payouts of a run in one currency: their sum and number. */
export type Total = { currency: string; amountCents: number; count: number }

export type RunLimits = {
  /** When the payouts were previewed: later records only reduce them. null if they were not. */
  previewedAt: Date | null
  /** Partners whom the run leaves out. */
  excludePartnerIds: string[]
  /** Commissions that the run leaves out, with their reversals. */
  excludeCommissionIds: string[]
  /** The most that the run pays, by currency, in minor units. Other currencies have no maximum. */
  maxAmountCents: Record<string, number>
}

/** The statuses of a run that needs approval and has none. */
export const RUN_WAITS = ['awaiting_approval', 'declined'] as const
export type RunWait = (typeof RUN_WAITS)[number]

/** Whether a run waits for approval or was declined; null if neither. */
export const waitOf = (run: {
  needsApproval: boolean | null
  approvedAt: Date | null
  declinedAt: Date | null
}): RunWait | null => {
  if (run.declinedAt) return 'declined'
  return run.needsApproval && !run.approvedAt ? 'awaiting_approval' : null
}

/** The approvals needed: one, not by the person who began the run; two if a schedule began it. */
export const approvalsNeeded = (run: { scheduledFor: Date | null }): number =>
  run.scheduledFor ? 2 : 1

export const NO_LIMITS: RunLimits = {
  previewedAt: null,
  excludePartnerIds: [],
  excludeCommissionIds: [],
  maxAmountCents: {},
}

/** Whether a run leaves something out or has a maximum. */
export const hasLimits = ({
  excludePartnerIds,
  excludeCommissionIds,
  maxAmountCents,
}: RunLimits): boolean =>
  excludePartnerIds.length + excludeCommissionIds.length + Object.keys(maxAmountCents).length > 0

/** The payouts of a run by currency. */
export const totalsOf = (payouts: { currency: string; amountCents: number }[]): Total[] =>
  [...Map.groupBy(payouts, ({ currency }) => currency)]
    .map(([currency, own]) => ({
      currency,
      amountCents: own.reduce((sum, { amountCents }) => sum + amountCents, 0),
      count: own.length,
    }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))

/** A person who decides about a run: see `may_approve`. */
export type Approver = {
  email: string
  /** Whether the person had the present role and had signed in 72 hours before the run began. */
  mayApprove: boolean
  /** Whether the person who gave the first of two approvals may still approve. */
  isFirstValid: boolean
}

const TOO_NEW =
  'You got your role, or signed in for the first time, less than 72 hours before this run was begun. Another manager has to approve it.'

/** Why a decision about a run in approval is refused; null if it can be made, or was made. */
export const approvalRefusalOf = (
  run: {
    needsApproval: boolean | null
    createdBy: string | null
    approvedAt: Date | null
    declinedAt: Date | null
  },
  wanted: 'approve' | 'decline',
  manager: Approver,
): string | null => {
  if (!run.needsApproval) return 'This run needs no approval.'
  if (wanted === 'decline') return run.approvedAt ? 'This run was approved already.' : null
  if (run.declinedAt) return 'This run was declined. Start another one.'
  if (run.approvedAt) return null
  if (run.createdBy === manager.email)
    return 'You started this run, so another manager has to approve it.'
  return manager.mayApprove ? null : TOO_NEW
}
