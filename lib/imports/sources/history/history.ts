/**
 * What a platform has paid for each customer: shown as "before the move", and never in the ledger.
 */
import type { SourceCommission } from '../source-rows.ts'

/**
 * Where entries are kept while their list is read: no list of a platform, and not among the rows of
 * a source.
 */
export const HISTORY = 'history'

/**
 * What a commission says of its customer's history. An entry is kept until its list is read, so
 * that a commission that is read twice, because the list has moved, is counted once, and as it was
 * the last time.
 *
 * @property customerId of its row in the list of customers; null for a commission for nobody's
 *   purchase
 * @property partnerEmail only if the platform says no id
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

/** What a commission says of its customer's history. */
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
