/** The payouts page: balances, the form for a new run, and the runs. */

import type { Listed } from '../../lib/http/lists.ts'
import { Select } from '../../lib/pages/fields.tsx'
import { Status } from '../../lib/pages/ledger.tsx'
import { Done, NextPage, Table, Time } from '../../lib/pages/parts.tsx'
import { METHOD_NAMES, moneySums, NeedsSetup, runProgress } from '../../lib/pages/payouts.tsx'
import { t } from '../../lib/pages/text.ts'
import type { readPayoutsPage } from '../../lib/payouts/overview.queries.ts'
import type { Run } from '../../lib/payouts/runs.queries.ts'
import { counted } from '../../lib/plural.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'
import { Blocked, Elsewhere, Owed, Unready } from './payout-balances.tsx'

type PayoutsData = Awaited<ReturnType<typeof readPayoutsPage>>

/** Balances by currency, the form for a new run, and the runs. */
export const PayoutsPage = ({
  workspace,
  data,
  runs,
  url,
  done,
}: {
  workspace: Workspace
  data: PayoutsData
  runs: Listed<Run>
  url: string
  done: string | undefined
}) => {
  const base = `/app/${workspace.slug}`
  return (
    <>
      <h1>Payouts</h1>
      <Done message={done} />
      <Owed data={data} base={base} />
      <Blocked data={data} base={base} />
      <Unready data={data} />
      <Elsewhere data={data} base={base} />
      {data.reversed > 0 && (
        <p>
          <a href={`${base}/payouts/all?status=reversed`}>{counted(data.reversed, 'payout')}</a>{' '}
          {data.reversed === 1 ? 'was' : 'were'} reversed in Stripe. Release the commissions of those that are
          to be paid again.
        </p>
      )}
      {workspace.role === 'manager' && <PayForm base={base} data={data} />}
      <h2>Payout runs</h2>
      {runs.data.length > 0 ? (
        <>
          <RunTable base={base} runs={runs.data} />
          <p>
            <a href={`${base}/payouts/all`}>View all payouts</a> ·{' '}
            <a href={`${base}/payouts/invoices`}>Invoices</a> ·{' '}
            <a href={`${base}/payouts/years`}>Paid by year</a>
          </p>
        </>
      ) : (
        <p class="empty">No payout runs yet.</p>
      )}
      <NextPage url={url} cursor={runs.nextCursor} />
    </>
  )
}

const METHODS = [
  { value: 'stripe', label: 'Stripe' },
  { value: 'manual', label: 'Bank transfer (CSV file)' },
] as const

const PayForm = ({
  base,
  data: { programs, hasKey, manualPayouts },
}: {
  base: string
  data: PayoutsData
}) => (
  <section class="card">
    <h2>New payout run</h2>
    <form class="inline" method="get" action={`${base}/payouts/new`}>
      {manualPayouts ? (
        <Select label="Method" name="method" options={METHODS} value={hasKey ? 'stripe' : 'manual'} />
      ) : (
        <input type="hidden" name="method" value="stripe" />
      )}
      {programs.length > 1 && (
        <Select
          label="Program"
          name="programId"
          options={[
            { value: '', label: 'All programs' },
            ...programs.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <button type="submit">Preview payouts</button>
    </form>
    <p class="hint">
      The preview lists each payout and who is skipped. Nothing is paid until you confirm it.
    </p>
    {!hasKey && <NeedsSetup base={base} method="stripe" />}
    {!manualPayouts && <NeedsSetup base={base} method="manual" />}
  </section>
)

/** Who or what started a run. */
const startedBy = ({ createdBy, scheduledFor }: Run): string =>
  createdBy ?? `Schedule (${scheduledFor?.toISOString().slice(0, 10)})`

const RunTable = ({ base, runs }: { base: string; runs: Run[] }) => (
  <Table
    caption="Payout runs"
    head={['Started', { number: 'Total' }, 'Status', 'Progress', 'Method', 'Program', 'Started by']}
  >
    {runs.map((run) => (
      <tr>
        <td>
          <a href={`${base}/payouts/runs/${run.id}`}>
            <Time at={run.createdAt} />
          </a>
        </td>
        <td class="number">{moneySums(run.totals)}</td>
        <td>
          <Status status={run.status} label={run.status.replace('_', ' ')} />
        </td>
        <td>{runProgress(run)}</td>
        <td>{t(METHOD_NAMES[run.method])}</td>
        <td>{run.programName ?? 'All'}</td>
        <td>{startedBy(run)}</td>
      </tr>
    ))}
  </Table>
)
