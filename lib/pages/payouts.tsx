/** What several pages say of payouts and payout runs. */

import { formatMoney } from '../money.ts'
import type { PayoutMethod, PayoutStatus, SkipCode } from '../payouts/payouts.ts'
import { countPayouts, type Run } from '../payouts/runs.queries.ts'
import { counted } from '../plural.ts'

/** Payout methods. */
export const METHOD_NAMES: Record<PayoutMethod, string> = { stripe: 'Stripe', manual: 'Bank transfer' }

/** Why a run skips a balance, and what happens to it. */
export const SKIP_REASONS: Record<SkipCode, string> = {
  documents_missing: 'Documents are not marked as received.',
  other_method: 'Chose PayPal, Wise or an IBAN. Pay with a run by bank transfer.',
  not_connected: 'Has not connected a Stripe account. Partners are emailed about this, and reminded.',
  account_changed:
    'Connected another Stripe account within the last 72 hours, and has not confirmed it by email yet. A later run pays it.',
  account_in_review: 'Stripe is reviewing the partner’s account. Nobody needs to do anything.',
  account_restricted:
    'Stripe needs more information from the partner, who gives it from the portal. Partners are emailed about this, and reminded.',
  partner_banned: 'Banned.',
  below_minimum: 'Below the program’s minimum payout.',
  negative_balance:
    'Reversals and deductions exceed earnings. The partner owes this, which is deducted from later earnings.',
  excluded: 'Left out of this run.',
  over_maximum: 'Above the maximum of this run. A later run pays it.',
  country_not_supported:
    'Stripe does not transfer from your country to the partner’s. Pay with a run by bank transfer.',
  amount_too_small: 'Stripe refused an amount this small. It is paid with later earnings.',
  amount_too_fine:
    'Stripe transfers this currency in larger units. It waits until the balance is a whole number of them: adjust it, or pay by bank transfer.',
  insufficient_funds: 'Not covered by your Stripe balance. Top it up, or a later run pays it.',
}

/** Sums by currency, such as "49.00 USD, 1,200 JPY". */
export const moneySums = (amounts: { currency: string; amountCents: bigint | number }[]): string =>
  [...Map.groupBy(amounts, ({ currency }) => currency)]
    .map(([currency, parts]) =>
      formatMoney(
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
