/** Rules of deleting a workspace. */

/** Days between the request and the deletion, in which any manager can cancel. */
export const DELETION_DAYS = 30

/** The money that prevents the deletion of a workspace. */
export type MoneyUnderWay = 'payouts' | 'runs' | 'balances'

/** What a manager should do first. */
export const UNDER_WAY: Record<MoneyUnderWay, string> = {
  payouts:
    'Payouts are on their way, are being canceled, or were reversed and wait for your decision. Complete them first.',
  runs: 'A payout run is not complete. Confirm or cancel it first.',
  balances:
    'Partners have earned money that is not paid, including commissions that are pending or held. Pay it, or adjust the balances to zero first.',
}

export const deletionTime = (now: Date): Date =>
  new Date(now.getTime() + DELETION_DAYS * 86_400_000)
