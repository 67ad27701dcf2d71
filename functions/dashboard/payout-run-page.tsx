/** The page of a payout run, with the steps of one that is paid by bank transfer. */

import type { Listed } from '../../lib/http/lists.ts'
import { Status } from '../../lib/pages/ledger.tsx'
import { Done, NextPage, Problem, Time } from '../../lib/pages/parts.tsx'
import { PayoutTable } from '../../lib/pages/payout-table.tsx'
import { METHOD_NAMES, moneySums, runProgress } from '../../lib/pages/payouts.tsx'
import { t } from '../../lib/pages/text.ts'
import type { RunPlan } from '../../lib/payouts/files/files.queries.ts'
import type { PayoutRow } from '../../lib/payouts/payouts.queries.ts'
import type { RunResultResponse } from '../../lib/payouts/payouts.responses.ts'
import type { Run } from '../../lib/payouts/runs.queries.ts'
import { exportRefusalOf } from '../../lib/payouts/runs.ts'
import { counted } from '../../lib/plural.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'
import { Lines } from './payout-lines.tsx'
import { Unread } from './payout-preview.tsx'
import { RunFiles } from './payout-run-files.tsx'
import { CancelRun, Steps } from './payout-run-steps.tsx'

type RunPreview = {
  result: RunResultResponse
  names: Map<string, { name: string | null; slug: string }>
} | null

/** One run with its payouts and, for bank transfers, its next steps. */
export const RunPage = ({
  workspace,
  run,
  payouts,
  plan,
  preview,
  manager,
  resolvable,
  url,
  done,
  refused,
}: {
  workspace: Workspace
  run: Run
  payouts: Listed<PayoutRow>
  /** The files of a manual run; null if it has none. */
  plan: RunPlan | null
  /** What a run that waits for approval would pay. */
  preview: RunPreview
  /** The reader's email address. */
  manager: string
  /** How many of its payouts a manager may decide about. */
  resolvable: number
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
          <Status status={run.status} label={run.status.replace('_', ' ')} />
        </dd>
        <dt>Progress</dt>
        <dd>{runProgress(run)}</dd>
        <dt>Total</dt>
        <dd>{moneySums(run.totals) || 'None'}</dd>
        {run.expected && (
          <>
            <dt>At most</dt>
            <dd>{moneySums(run.expected) || 'Nothing'}</dd>
          </>
        )}
        {(run.approvedBy ?? run.declinedBy) && (
          <>
            <dt>{run.approvedBy ? 'Approved by' : 'Declined by'}</dt>
            <dd>{run.approvedBy ?? run.declinedBy}</dd>
          </>
        )}
        <dt>Method</dt>
        <dd>{t(METHOD_NAMES[run.method])}</dd>
        <dt>Program</dt>
        <dd>{run.programName ?? 'All programs'}</dd>
        <dt>Started</dt>
        <dd>
          <Time at={run.createdAt} />, {run.createdBy ? `by ${run.createdBy}` : 'by schedule'}
        </dd>
      </dl>
      {run.method === 'manual' && <BankTransfer {...{ workspace, run, plan }} />}
      {run.status === 'awaiting_approval' && (
        <Approval workspace={workspace} run={run} preview={preview} manager={manager} />
      )}
      {workspace.role === 'manager' && <CancelRun path={`${base}/payouts/runs/${run.id}`} run={run} />}
      {workspace.role === 'manager' && resolvable > 0 && (
        <p>
          Stripe cannot be asked whether {counted(resolvable, 'payout')} {resolvable === 1 ? 'was' : 'were'}{' '}
          sent. <a href={`${base}/payouts/runs/${run.id}/resolve`}>Decide about them</a>
        </p>
      )}
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

type ApprovalProps = { workspace: Workspace; run: Run; preview: RunPreview; manager: string }

/** What a run that waits would pay, and the buttons that decide about it. */
const Approval = ({ workspace, run, preview, manager }: ApprovalProps) => {
  const base = `/app/${workspace.slug}`
  const path = `${base}/payouts/runs/${run.id}`
  return (
    <section class="card">
      <h2>Approval</h2>
      <p>
        This run is above the sum that one manager may pay. Nothing is paid until another one approves it.
        {run.createdBy === manager && ' You started it, so you can only decline it.'}
      </p>
      {preview && (
        <>
          <p>It would pay {moneySums(preview.result.payouts) || 'nothing'} now:</p>
          <Unread result={preview.result} />
          <Lines
            base={base}
            caption="Payouts to approve"
            lines={preview.result.payouts}
            names={preview.names}
          />
        </>
      )}
      {workspace.role === 'manager' && (
        <div class="actions">
          {run.createdBy !== manager && (
            <form method="post" action={`${path}/approve`}>
              <button type="submit">Approve run</button>
            </form>
          )}
          <form method="post" action={`${path}/decline`}>
            <button type="submit" class="danger">
              Decline run
            </button>
          </form>
        </div>
      )}
    </section>
  )
}
