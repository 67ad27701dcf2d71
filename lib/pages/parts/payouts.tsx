/** Components about payouts and payout runs. */

import { mayOpen } from '../../auth/roles/roles.ts'
import type { Message } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { PayoutMethod, PayoutStatus } from '../../payouts/payouts.ts'
import { countPayouts, type Run } from '../../payouts/runs/runs.queries.ts'
import type { Workspace } from '../../tenancy/workspaces/workspaces.queries.ts'
import { t } from '../layout/text.ts'
import { money } from './money.tsx'
import { linkTo } from './tags.tsx'

export const METHOD_NAMES: Record<PayoutMethod, Message> = {
  stripe: m.layout_stripe,
  manual: m.method_iban_title,
}

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

type NeedsSetupProps = { workspace: Workspace; method: PayoutMethod }

/** Asks for the settings that a method needs before a run can start. */
export const NeedsSetup = ({ workspace, method }: NeedsSetupProps) => {
  const base = `/app/${workspace.slug}`
  const stripe = mayOpen(workspace, 'GET /stripe') ? `${base}/stripe#paying` : null
  return (
    <p class="hint">
      {method === 'stripe'
        ? t(m.payouts_needs_stripe_key, { link: linkTo(stripe) })
        : t(m.payouts_needs_bank_transfers, { link: linkTo(settingsOf(workspace)) })}
    </p>
  )
}

/** The path of the settings; null if the reader may not open them. */
export const settingsOf = (workspace: Workspace): string | null =>
  mayOpen(workspace, 'GET /settings') ? `/app/${workspace.slug}/settings` : null

const count = (run: Run, status: PayoutStatus, words: Message<{ count: number }>): string[] => {
  const payouts = countPayouts(run, status)
  return payouts > 0 ? [t(words, { count: payouts })] : []
}

/** A run's progress, such as "412 of 500 payouts sent, 3 failed". */
export const runProgress = (run: Run): string => {
  if (run.status === 'awaiting_approval')
    return t(run.firstApprovedBy ? m.payouts_first_approval : m.payouts_waits_approval)
  if (run.status === 'declined') return t(m.payouts_declined)
  if (!run.claimedAt && !run.canceledAt) return t(m.payouts_preparing, { count: countPayouts(run) })
  const all = countPayouts(run)
  if (all === 0) return t(m.payouts_none_due)
  if (run.status === 'review') return t(m.payouts_review, { all })
  return [
    t(run.method === 'manual' ? m.payouts_progress_paid : m.payouts_progress_sent, {
      done: countPayouts(run, 'paid'),
      all,
    }),
    ...count(run, 'failed', m.payouts_progress_failed),
    ...count(run, 'canceling', m.payouts_progress_canceling),
    ...count(run, 'canceled', m.payouts_progress_canceled),
    ...count(run, 'reversed', m.payouts_progress_reversed),
    ...count(run, 'returned', m.payouts_progress_returned),
  ].join(', ')
}
