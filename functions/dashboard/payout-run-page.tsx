/** The page of a payout run, and what is done with one that is paid by bank. */

import type { Listed } from '../../lib/http/lists.ts'
import { Status } from '../../lib/pages/ledger.tsx'
import { Done, NextPage, Problem, Time } from '../../lib/pages/parts.tsx'
import { METHOD_WORDS, moneySums, PayoutTable, progressWords } from '../../lib/pages/payouts.tsx'
import type { PayoutRow } from '../../lib/payouts/payouts.queries.ts'
import type { Run } from '../../lib/payouts/runs.queries.ts'
import { exportRefusalOf } from '../../lib/payouts/runs.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'

/** One run with its payouts, and what a manager can do with it when it is paid by bank. */
export const RunPage = ({
  workspace,
  run,
  payouts,
  url,
  done,
  refused,
}: {
  workspace: Workspace
  run: Run
  payouts: Listed<PayoutRow>
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
        <dd>{progressWords(run)}</dd>
        <dt>Sum</dt>
        <dd>{moneySums(run.totals) || 'Nothing'}</dd>
        <dt>Paid by</dt>
        <dd>{METHOD_WORDS[run.method]}</dd>
        <dt>Program</dt>
        <dd>{run.programName ?? 'All programs'}</dd>
        <dt>Begun</dt>
        <dd>
          <Time at={run.createdAt} />, {run.createdBy ? `by ${run.createdBy}` : 'by the schedule'}
        </dd>
      </dl>
      {run.method === 'manual' && <ByHand workspace={workspace} run={run} />}
      <h2>Payouts</h2>
      {payouts.data.length > 0 ? (
        <PayoutTable base={base} of="run" payouts={payouts.data} />
      ) : (
        <p class="empty">This run pays nobody.</p>
      )}
      <NextPage url={url} cursor={payouts.nextCursor} />
      <p>
        <a href={`${base}/payouts`}>All runs</a>
      </p>
    </>
  )
}

const ByHand = ({ workspace, run }: { workspace: Workspace; run: Run }) => {
  const { slug, role } = workspace
  const refusal = exportRefusalOf(run)
  return (
    <section class="card">
      <h2>Pay by bank</h2>
      {refusal ? (
        <p>{refusal}</p>
      ) : (
        <p>
          <a class="button quiet" href={`/api/workspaces/${slug}/payout-runs/${run.id}/export`}>
            Download the file (CSV)
          </a>
        </p>
      )}
      {run.status === 'confirmed' && <p>This run is paid and confirmed, and the partners were told.</p>}
      {role === 'manager' && run.claimedAt && (
        <Steps path={`/app/${slug}/payouts/runs/${run.id}`} run={run} />
      )}
    </section>
  )
}

/** A button that takes a run to another status. */
const StepButton = ({ to, kind, label }: { to: string; kind?: string; label: string }) => (
  <button type="submit" name="status" value={to} class={kind}>
    {label}
  </button>
)

const Steps = ({ path, run: { status } }: { path: string; run: Run }) => {
  if (status === 'processing') {
    return (
      <form method="post" action={path}>
        <p>Pay what the file says, and then tell Tributary. If nothing is to be paid by it, cancel it.</p>
        <p class="actions">
          <StepButton to="paid" label="Mark as paid" />
          <StepButton to="canceled" kind="danger" label="Cancel the run" />
        </p>
      </form>
    )
  }
  if (status !== 'paid') return null
  return (
    <form method="post" action={path}>
      <p>
        It is marked as paid. Confirm it once your bank has done it: from then on it can’t be taken back, and
        the partners are told by mail.
      </p>
      <p class="actions">
        <StepButton to="confirmed" label="Confirm" />
        <StepButton to="processing" kind="quiet" label="Not paid after all" />
      </p>
    </form>
  )
}
