/** The reasons for mails to managers about payout runs, and their totals. */
import type { PayoutSum } from '../../mail/outbox/details.ts'
import { formatMoney } from '../../values/money.ts'

/**
 * Why managers get a mail about a run, once each. `approval`: a run waits for a second manager.
 * `review`: a scheduled run is sent soon. `report`: a scheduled run has ended, or waits. The others
 * are problems of runs by Stripe, bundled. `found_sent`: a payout that had ended as not sent was
 * sent. `adopted`: a restored database had lost the run's payouts.
 */
export type NoticeReason =
  | 'approval'
  | 'review'
  | 'report'
  | 'failed'
  | 'insufficient_funds'
  | 'key_rejected'
  | 'found_sent'
  | 'adopted'

/** How long before a scheduled run its preview is mailed. */
export const PREVIEW_MS = 3 * 86_400_000

/** How many payouts, or balances, have a code, in one currency. */
export type CodeTotal = { code: string; currency: string; payouts: number; amountCents: bigint }

/** The totals by code, with the amounts of all currencies, such as "49.00 USD and 1,200 JPY". */
export const sumsOf = (totals: CodeTotal[]): PayoutSum[] =>
  [...Map.groupBy(totals, ({ code }) => code)].map(([code, parts]) => ({
    code,
    payouts: parts.reduce((sum, { payouts }) => sum + payouts, 0),
    amount: parts
      .map(({ amountCents, currency }) => formatMoney(amountCents, currency))
      .join(' and '),
  }))

/** Whether a scheduled run has something to report: it pays, or would if the balance sufficed. */
export const isWorthReporting = (totals: CodeTotal[], paying: string[]): boolean =>
  totals.some(({ code }) => code === 'insufficient_funds' || paying.includes(code))

/** The problems that a report includes: they need no mail of their own. */
export const problemsIn = (totals: CodeTotal[]): NoticeReason[] => [
  ...(totals.some(({ code }) => code === 'failed') ? (['failed'] as const) : []),
  ...(totals.some(({ code }) => code === 'processing' || code === 'insufficient_funds')
    ? (['insufficient_funds', 'key_rejected'] as const)
    : []),
]
