/** The buttons that change a payout run: send, stop, cancel, mark as paid, confirm. */

import { Time } from '../../lib/pages/parts.tsx'
import type { Run } from '../../lib/payouts/runs.queries.ts'

/** Stops a scheduled run before it is sent, or sends it at once. */
const Review = ({ path, run }: { path: string; run: Run }) => (
  <>
    <p>
      This run is in review. It is sent on {run.sendsAt && <Time at={run.sendsAt} />} unless it is stopped,
      which makes its commissions payable again.
    </p>
    <div class="actions">
      <form method="post" action={`${path}/send`}>
        <button type="submit">Send now</button>
      </form>
      <form method="post" action={path}>
        <StepButton to="canceled" kind="danger" label="Stop run" />
      </form>
    </div>
  </>
)

/** Stops a run by Stripe, or one that is being created. */
export const CancelRun = ({ path, run }: { path: string; run: Run }) => {
  const { method, status, claimedAt } = run
  if (status === 'canceling') {
    return <p>Nothing more of this run is sent. Reload the page to see how far its canceling has come.</p>
  }
  if (status === 'review') return <Review path={path} run={run} />
  if (status !== 'processing' || (method === 'manual' && claimedAt)) return null
  return (
    <form method="post" action={path}>
      <p>
        Cancel the run to stop it: what was sent stays sent, and the commissions of all other payouts are
        payable again.
      </p>
      <p class="actions">
        <StepButton to="canceled" kind="danger" label="Cancel run" />
      </p>
    </form>
  )
}

/** A button that changes a run's status. */
const StepButton = ({ to, kind, label }: { to: string; kind?: string; label: string }) => (
  <button type="submit" name="status" value={to} class={kind}>
    {label}
  </button>
)

/** The next steps of a run by bank transfer. */
export const Steps = ({ path, run: { status } }: { path: string; run: Run }) => {
  if (status === 'processing') {
    return (
      <form method="post" action={path}>
        <p>
          Make the transfers in the file, then mark the run as paid. Cancel the run if you will not make them.
        </p>
        <p class="actions">
          <StepButton to="paid" label="Mark as paid" />
          <StepButton to="canceled" kind="danger" label="Cancel run" />
        </p>
      </form>
    )
  }
  if (status !== 'paid') return null
  return (
    <form method="post" action={path}>
      <p>
        Confirm the run once your bank has completed the transfers. This cannot be undone, and the partners
        are notified by email.
      </p>
      <p class="actions">
        <StepButton to="confirmed" label="Confirm run" />
        <StepButton to="processing" kind="quiet" label="Mark as unpaid" />
      </p>
    </form>
  )
}
