/** What a platform paid for each customer: shown as "before the move", and never in the ledger. */
import type { SourceCommission } from '../source-rows.ts'

/** The resource of entries, which is no list of a platform, and not among the rows of a source. */
export const HISTORY = 'history'

/**
 * What a commission adds to its customer's history. Entries are kept until their list is read, so
 * that a commission that is read twice counts once, in its last version.
 *
 * @property customerId of its row in the list of customers; null for a commission without one
 * @property partnerEmail only if the platform gives no id
 * @property cents what was paid; 0 if nothing was
 * @property at when it was earned; null if it was voided
 */
export type HistoryEntry = {
  customerId: string | null
  partnerId: string | null
  partnerEmail: string | null
  currency: string
  isPaid: boolean
  cents: number
  at: string | null
}

const EARNED: SourceCommission['state'][] = ['pending', 'due', 'paid']

export const historyEntry = (commission: SourceCommission): HistoryEntry => {
  const { customerId, partnerId, partnerEmail, currency, state, amountCents, soldAt } = commission
  const isPaid = state === 'paid'
  return {
    customerId,
    partnerId,
    partnerEmail: partnerId === null ? partnerEmail : null,
    currency,
    isPaid,
    cents: isPaid ? amountCents : 0,
    at: EARNED.includes(state) ? soldAt : null,
  }
}
