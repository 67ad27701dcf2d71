import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import type { Listed } from '../../../lib/http/lists.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { DangerButton } from '../../../lib/pages/forms/buttons.tsx'
import { Done, Fact, LinkLine, Problem, Time } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { METHOD_NAMES, moneySums, runProgress } from '../../../lib/pages/parts/payouts.tsx'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { Status } from '../../../lib/pages/tables/ledger.tsx'
import { PayoutTable } from '../../../lib/pages/tables/payout-table.tsx'
import { NextPage } from '../../../lib/pages/tables/table.tsx'
import type { RunPlan } from '../../../lib/payouts/files/files.queries.ts'
import type { PayoutRow } from '../../../lib/payouts/payouts.queries.ts'
import type { RunResultResponse } from '../../../lib/payouts/payouts.responses.ts'
import { type Approver, approvalsNeeded } from '../../../lib/payouts/runs/limits.ts'
import type { Run } from '../../../lib/payouts/runs/runs.queries.ts'
import { exportRefusalOf } from '../../../lib/payouts/runs/runs.ts'
import type { Workspace } from '../../../lib/tenancy/workspaces/workspaces.queries.ts'
import { Lines } from '../payouts/payout-lines.tsx'
import { Unread } from '../payouts/payout-preview.tsx'
import { RunFiles } from './payout-run-files.tsx'
import { CancelRun, Steps } from './payout-run-steps.tsx'

type RunPreview = {
  result: RunResultResponse
  names: Map<string, { name: string | null; slug: string }>
} | null

type RunPageProps = {
  workspace: Workspace
  run: Run
  payouts: Listed<PayoutRow>
  /** The files of a manual run; null if it has none. */
  plan: RunPlan | null
  /** What a run that waits for approval would pay. */
  preview: RunPreview
  /** The reader as an approver; null if the run does not wait. */
  reader: Approver | null
  /** Why the reader may not approve it; null if the reader may. */
  approvalRefusal: string | null
  /** The number of payouts that a manager may resolve. */
  resolvable: number
  url: string
  done?: Message | undefined
  refused?: string | undefined
}

/** One run with its payouts and, for bank transfers, its next steps. */
export const RunPage = ({
  workspace,
  run,
  payouts,
  plan,
  preview,
  reader,
  approvalRefusal,
  resolvable,
  url,
  done,
  refused,
}: RunPageProps) => {
  const base = `/app/${workspace.slug}`
  const mayPay = mayOpen(workspace, 'POST /payouts/runs/:id')
  const startedAt = () => <Time at={run.createdAt} />
  return (
    <>
      <h1>{t(m.layout_payout_run)}</h1>
      <Done message={done} />
      <Problem message={refused} />
      <dl class="facts">
        <Fact name={m.status}>
          <Status status={run.status} label={run.status.replace('_', ' ')} />
        </Fact>
        <Fact name={m.payouts_progress}>{runProgress(run)}</Fact>
        <Fact name={m.payouts_total}>{moneySums(run.totals) || t(m.layout_none)}</Fact>
        {run.expected && (
          <Fact name={m.payouts_at_most}>{moneySums(run.expected) || t(m.payouts_nothing)}</Fact>
        )}
        {run.firstApprovedBy && (
          <Fact name={m.payouts_first_approved_by}>{run.firstApprovedBy}</Fact>
        )}
        {(run.approvedBy ?? run.declinedBy) && (
          <>
            <dt>{run.approvedBy ? t(m.payouts_approved_by) : t(m.payouts_declined_by)}</dt>
            <dd>{run.approvedBy ?? run.declinedBy}</dd>
          </>
        )}
        <Fact name={m.method_column}>{t(METHOD_NAMES[run.method])}</Fact>
        <Fact name={m.program}>{run.programName ?? t(m.all_programs)}</Fact>
        <Fact name={m.payouts_started}>
          {run.createdBy
            ? t(m.payouts_started_by_manager, { day: startedAt, createdBy: run.createdBy })
            : t(m.payouts_started_by_schedule, { day: startedAt })}
        </Fact>
      </dl>
      {run.method === 'manual' && <BankTransfer {...{ workspace, run, plan }} />}
      {reader && <Approval {...{ workspace, run, preview, reader }} refusal={approvalRefusal} />}
      {mayPay && <CancelRun path={`${base}/payouts/runs/${run.id}`} run={run} />}
      {mayPay && resolvable > 0 && (
        <p>
          {t(m.payouts_undecided, {
            count: resolvable,
            link: linkTo(`${base}/payouts/runs/${run.id}/resolve`),
          })}
        </p>
      )}
      <h2>{t(m.nav_payouts)}</h2>
      {payouts.data.length > 0 ? (
        <PayoutTable base={base} of="run" payouts={payouts.data} mayPay={mayPay} />
      ) : (
        <p class="empty">{t(m.payouts_run_no_payouts)}</p>
      )}
      <NextPage url={url} cursor={payouts.nextCursor} />
      <LinkLine href={`${base}/payouts`}>{t(m.payouts_all_payout_runs)}</LinkLine>
    </>
  )
}

type BankTransferProps = { workspace: Workspace; run: Run; plan: RunPlan | null }

const BankTransfer = ({ workspace, run, plan }: BankTransferProps) => {
  const { slug } = workspace
  const mayPay = mayOpen(workspace, 'POST /payouts/runs/:id')
  const refusal = exportRefusalOf(run)
  return (
    <section class="card">
      <h2>{t(m.method_iban_title)}</h2>
      {refusal ? (
        <p>{refusal}</p>
      ) : (
        plan && (
          <RunFiles
            base={`/app/${slug}`}
            api={`/api/workspaces/${slug}/payout-runs/${run.id}`}
            runPath={`/app/${slug}/payouts/runs/${run.id}`}
            plan={plan}
            mayPay={mayPay}
          />
        )
      )}
      {run.status === 'confirmed' && <p>{t(m.payouts_run_was_confirmed)}</p>}
      {mayPay && run.claimedAt && <Steps path={`/app/${slug}/payouts/runs/${run.id}`} run={run} />}
    </section>
  )
}

type ApprovalProps = {
  workspace: Workspace
  run: Run
  preview: RunPreview
  reader: Approver
  refusal: string | null
}

/** What a run that waits for approval would pay, and the buttons that decide. */
const Approval = ({ workspace, run, preview, reader, refusal }: ApprovalProps) => {
  const base = `/app/${workspace.slug}`
  const sum = preview && moneySums(preview.result.payouts)
  const path = `${base}/payouts/runs/${run.id}`
  const isOwn = run.createdBy === reader.email
  const hasApproved = run.firstApprovedBy === reader.email
  const needed = approvalsNeeded(run)
  const mayDecide = mayOpen(workspace, 'POST /payouts/runs/:id/approve')
  return (
    <section class="card">
      <h2>{t(m.payouts_approval)}</h2>
      <p>
        {t(
          isOwn
            ? m.payouts_decline_only
            : needed > 1
              ? m.payouts_scheduled_above_sum
              : m.payouts_run_above_sum,
        )}
      </p>
      {hasApproved && <p>{t(m.payouts_own_approval)}</p>}
      {run.firstApprovedBy && !reader.isFirstValid && <p>{t(m.payouts_first_not_valid)}</p>}
      {!isOwn && refusal && mayDecide && <p>{refusal}</p>}
      {preview && (
        <>
          <p>{sum ? t(m.payouts_would_pay, { sum }) : t(m.payouts_would_pay_nothing)}</p>
          <Unread result={preview.result} />
          <Lines
            base={base}
            caption={t(m.payouts_to_approve)}
            lines={preview.result.payouts}
            names={preview.names}
          />
        </>
      )}
      {mayDecide && (
        <div class="actions">
          {!refusal && !hasApproved && (
            <form method="post" action={`${path}/approve`}>
              <button type="submit">{t(m.payouts_approve_run)}</button>
            </form>
          )}
          <form method="post" action={`${path}/decline`}>
            <DangerButton>{t(m.payouts_decline_run)}</DangerButton>
          </form>
        </div>
      )}
    </section>
  )
}
