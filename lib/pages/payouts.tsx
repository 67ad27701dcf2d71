/** What several pages say of payouts and payout runs. */

import type { PayoutMethod, PayoutStatus } from '../payouts/payouts.ts'
import { countPayouts, type Run } from '../payouts/runs.queries.ts'
import { counted } from '../plural.ts'
import { money } from './money.tsx'

/** Payout methods. */
export const METHOD_NAMES: Record<PayoutMethod, string> = { stripe: 'Stripe', manual: 'Bank transfer' }

/** Sums by currency, such as "49.00 USD, 1,200 JPY". */
export const moneySums = (amounts: { currency: string; amountCents: bigint | number }[]): string =>
  [...Map.groupBy(amounts, ({ currency }) => currency)]
    .map(([currency, parts]) =>
      money(
        parts.reduce((sum, { amountCents }) => sum + BigInt(amountCents), 0n),
        currency,
      ),
    )
    .join(', ')

/** Asks for what a method needs before a run can start. @param base the workspace's path */
export const NeedsSetup = ({ base, method }: { base: string; method: PayoutMethod }) =>
  method === 'stripe' ? (
    <p class="hint">
      To pay with Stripe, <a href={`${base}/stripe#paying`}>add a key of your Stripe account</a> first. Until
      then, partners cannot connect theirs.
    </p>
  ) : (
    <p class="hint">
      To pay by bank transfer, <a href={`${base}/settings`}>turn it on in the settings</a> first.
    </p>
  )

const count = (run: Run, status: PayoutStatus, words: string): string[] => {
  const payouts = countPayouts(run, status)
  return payouts > 0 ? [`${payouts.toLocaleString('en')} ${words}`] : []
}

/** A run's progress, such as "412 of 500 payouts sent, 3 failed". */
export const runProgress = (run: Run): string => {
  if (run.status === 'awaiting_approval') return 'Waits for approval'
  if (run.status === 'declined') return 'Declined'
  if (!run.claimedAt && !run.canceledAt) return `Preparing: ${counted(countPayouts(run), 'payout')} so far`
  const all = countPayouts(run)
  if (all === 0) return 'No payouts due'
  if (run.status === 'review') return `In review: ${counted(all, 'payout')}`
  const sent = countPayouts(run, 'paid').toLocaleString('en')
  const done = run.method === 'manual' ? 'paid' : 'sent'
  return [
    `${sent} of ${counted(all, 'payout')} ${done}`,
    ...count(run, 'failed', 'failed'),
    ...count(run, 'canceling', 'being canceled'),
    ...count(run, 'canceled', 'canceled'),
    ...count(run, 'reversed', 'reversed'),
    ...count(run, 'returned', 'returned'),
  ].join(', ')
}
