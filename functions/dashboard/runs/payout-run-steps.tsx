/** The buttons that change a payout run: send, stop, cancel, mark as paid, confirm. */

import * as m from '../../../lib/languages/messages.ts'
import { Time } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import type { Run } from '../../../lib/payouts/runs/runs.queries.ts'

/** Stops a scheduled run before it is sent, or sends it immediately. */
const Review = ({ path, run }: { path: string; run: Run }) => (
  <>
    <p>{t(m.payouts_run_in_review, { day: () => run.sendsAt && <Time at={run.sendsAt} /> })}</p>
    <div class="actions">
      <form method="post" action={`${path}/send`}>
        <button type="submit">{t(m.payouts_send_now)}</button>
      </form>
      <form method="post" action={path}>
        <StepButton to="canceled" kind="danger" label={t(m.payouts_stop_run)} />
      </form>
    </div>
  </>
)

/** Stops a run by Stripe, or a run that is being created. */
export const CancelRun = ({ path, run }: { path: string; run: Run }) => {
  const { method, status, claimedAt } = run
  if (status === 'canceling') {
    return <p>{t(m.payouts_run_is_canceling)}</p>
  }
  if (status === 'review') return <Review path={path} run={run} />
  if (status !== 'processing' || (method === 'manual' && claimedAt)) return null
  return (
    <form method="post" action={path}>
      <p>{t(m.payouts_cancel_run_stop)}</p>
      <p class="actions">
        <StepButton to="canceled" kind="danger" label={t(m.payouts_cancel_run)} />
      </p>
    </form>
  )
}

const StepButton = ({ to, kind, label }: { to: string; kind?: string; label: string }) => (
  <button type="submit" name="status" value={to} class={kind}>
    {label}
  </button>
)

export const Steps = ({ path, run: { status } }: { path: string; run: Run }) => {
  if (status === 'processing') {
    return (
      <form method="post" action={path}>
        <p>{t(m.payouts_make_transfers_file)}</p>
        <p class="actions">
          <StepButton to="paid" label={t(m.payouts_mark_as_paid)} />
          <StepButton to="canceled" kind="danger" label={t(m.payouts_cancel_run)} />
        </p>
      </form>
    )
  }
  if (status !== 'paid') return null
  return (
    <form method="post" action={path}>
      <p>{t(m.payouts_confirm_run_once)}</p>
      <p class="actions">
        <StepButton to="confirmed" label={t(m.payouts_confirm_run)} />
        <StepButton to="processing" kind="quiet" label={t(m.payouts_mark_as_unpaid)} />
      </p>
    </form>
  )
}
