/** The page of a payout run, with the steps of one that is paid by bank transfer. */

import type { Listed } from '../../lib/http/lists.ts'
import { Status } from '../../lib/pages/ledger.tsx'
import { Done, NextPage, Problem, Time } from '../../lib/pages/parts.tsx'
import { METHOD_NAMES, moneySums, PayoutTable, runProgress } from '../../lib/pages/payouts.tsx'
import type { RunPlan } from '../../lib/payouts/files/files.queries.ts'
import type { PayoutRow } from '../../lib/payouts/payouts.queries.ts'
import type { Run } from '../../lib/payouts/runs.queries.ts'
import { exportRefusalOf } from '../../lib/payouts/runs.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'
import { RunFiles } from './payout-run-files.tsx'

/** One run with its payouts and, for bank transfers, its next steps. */
export const RunPage = ({
  workspace,
  run,
  payouts,
  plan,
  url,
  done,
  refused,
}: {
  workspace: Workspace
  run: Run
  payouts: Listed<PayoutRow>
  /** The files of a manual run; null if it has none. */
  plan: RunPlan | null
  url: string
  done?: string | undefined
  refused?: string | undefined
}) => {
  const base = `/app/${workspace.slug}`
  return (
    <>
      <h1>Payout run</h1>
      <Done message={done} />
      <Problem message={refused} />
      <dl class="facts">
        <dt>Status</dt>
        <dd>
          <Status status={run.status} />
        </dd>
        <dt>Progress</dt>
        <dd>{runProgress(run)}</dd>
        <dt>Total</dt>
        <dd>{moneySums(run.totals) || 'None'}</dd>
        <dt>Method</dt>
        <dd>{METHOD_NAMES[run.method]}</dd>
        <dt>Program</dt>
        <dd>{run.programName ?? 'All programs'}</dd>
        <dt>Started</dt>
        <dd>
          <Time at={run.createdAt} />, {run.createdBy ? `by ${run.createdBy}` : 'by schedule'}
        </dd>
      </dl>
      {run.method === 'manual' && <BankTransfer {...{ workspace, run, plan }} />}
      <h2>Payouts</h2>
      {payouts.data.length > 0 ? (
        <PayoutTable base={base} of="run" payouts={payouts.data} isManager={workspace.role === 'manager'} />
      ) : (
        <p class="empty">This run has no payouts.</p>
      )}
      <NextPage url={url} cursor={payouts.nextCursor} />
      <p>
        <a href={`${base}/payouts`}>All payout runs</a>
      </p>
    </>
  )
}

type BankTransferProps = { workspace: Workspace; run: Run; plan: RunPlan | null }

const BankTransfer = ({ workspace, run, plan }: BankTransferProps) => {
  const { slug, role } = workspace
  const refusal = exportRefusalOf(run)
  return (
    <section class="card">
      <h2>Bank transfer</h2>
      {refusal ? (
        <p>{refusal}</p>
      ) : (
        plan && (
          <RunFiles
            base={`/app/${slug}`}
            api={`/api/workspaces/${slug}/payout-runs/${run.id}`}
            runPath={`/app/${slug}/payouts/runs/${run.id}`}
            plan={plan}
            isManager={role === 'manager'}
          />
        )
      )}
      {run.status === 'confirmed' && <p>This run is confirmed, and its partners were notified.</p>}
      {role === 'manager' && run.claimedAt && (
        <Steps path={`/app/${slug}/payouts/runs/${run.id}`} run={run} />
      )}
    </section>
  )
}

/** A button that changes a run's status. */
const StepButton = ({ to, kind, label }: { to: string; kind?: string; label: string }) => (
  <button type="submit" name="status" value={to} class={kind}>
    {label}
  </button>
)

const Steps = ({ path, run: { status } }: { path: string; run: Run }) => {
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
