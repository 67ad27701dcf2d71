/** Rules of deleting a workspace. */

/** Days from the request on, in which any manager can cancel. */
export const DELETION_DAYS = 30

/** Which money keeps a workspace from being deleted. */
export type MoneyUnderWay = 'payouts' | 'runs' | 'balances'

/** What to do about it. */
export const UNDER_WAY: Record<MoneyUnderWay, string> = {
  payouts:
    'Payouts are on their way, are being canceled, or were reversed and wait for your decision. Complete them first.',
  runs: 'A payout run is not complete. Confirm or cancel it first.',
  balances:
    'Partners have earned money that is not paid, including commissions that are pending or held. Pay it, or adjust the balances to zero first.',
}

/** When a workspace is deleted whose deletion is requested now. */
export const deletionTime = (now: Date): Date =>
  new Date(now.getTime() + DELETION_DAYS * 86_400_000)
