/** The page of payouts: what is owed, the way to pay it, and the runs. */

import type { Listed } from '../../lib/http/lists.ts'
import { formatMoney } from '../../lib/money.ts'
import { Status } from '../../lib/pages/ledger.tsx'
import { Done, NextPage, Select, Table, Time } from '../../lib/pages/parts.tsx'
import { METHOD_WORDS, moneySums, NeedsKey, progressWords } from '../../lib/pages/payouts.tsx'
import type { readPayoutsPage } from '../../lib/payouts/overview.queries.ts'
import type { Run } from '../../lib/payouts/runs.queries.ts'
import { counted } from '../../lib/plural.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'

type PayoutsData = Awaited<ReturnType<typeof readPayoutsPage>>

/** What is owed, the way to pay it, and what was paid. */
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
      <Owed earned={data.earned} base={base} />
      {data.unconnected > 0 && (
        <p>
          {counted(data.unconnected, 'partner')} with something payable can’t be paid by Stripe yet:{' '}
          {data.unconnected === 1 ? 'it has' : 'they have'} not connected an account.
        </p>
      )}
      {workspace.role === 'manager' && <PayForm base={base} data={data} />}
      <h2>Runs</h2>
      {runs.data.length > 0 ? (
        <>
          <RunTable base={base} runs={runs.data} />
          <p>
            <a href={`${base}/payouts/all`}>All payouts, one by one</a>
          </p>
        </>
      ) : (
        <p class="empty">Nobody was paid yet.</p>
      )}
      <NextPage url={url} cursor={runs.nextCursor} />
    </>
  )
}

const Owed = ({ earned, base }: { earned: PayoutsData['earned']; base: string }) =>
  earned.length === 0 ? (
    <p class="empty">Nobody has earned anything yet.</p>
  ) : (
    <Table
      caption="What is owed"
      head={[
        'Currency',
        { number: 'Payable' },
        { number: 'Pending' },
        { number: 'On its way' },
        { number: 'Paid' },
      ]}
    >
      {earned.map(({ currency, payableCents, pendingCents, processingCents, paidCents }) => (
        <tr>
          <th scope="row">{currency}</th>
          <td class="number">
            <a href={`${base}/commissions?status=payable`}>{formatMoney(payableCents, currency)}</a>
          </td>
          <td class="number">{formatMoney(pendingCents, currency)}</td>
          <td class="number">{formatMoney(processingCents, currency)}</td>
          <td class="number">{formatMoney(paidCents, currency)}</td>
        </tr>
      ))}
    </Table>
  )

const METHODS = [
  { value: 'stripe', label: 'By Stripe' },
  { value: 'manual', label: 'By bank, from a file' },
]

const PayForm = ({ base, data: { programs, hasKey } }: { base: string; data: PayoutsData }) => (
  <section class="card">
    <h2>Pay partners</h2>
    <form class="inline" method="get" action={`${base}/payouts/new`}>
      <Select label="How" name="method" options={METHODS} value={hasKey ? 'stripe' : 'manual'} />
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
      <button type="submit">Look first</button>
    </form>
    <p class="hint">
      Shows who would get what, and who is left out. Nothing is paid before you say so there.
    </p>
    {!hasKey && <NeedsKey base={base} />}
  </section>
)

/** Who has begun a run. */
const begunBy = ({ createdBy, scheduledFor }: Run): string =>
  createdBy ?? `The schedule, for ${scheduledFor?.toISOString().slice(0, 10)}`

const RunTable = ({ base, runs }: { base: string; runs: Run[] }) => (
  <Table
    caption="Payout runs"
    head={['Begun', { number: 'Sum' }, 'Status', 'Progress', 'Paid by', 'Program', 'Begun by']}
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
          <Status status={run.status} />
        </td>
        <td>{progressWords(run)}</td>
        <td>{METHOD_WORDS[run.method]}</td>
        <td>{run.programName ?? 'All'}</td>
        <td>{begunBy(run)}</td>
      </tr>
    ))}
  </Table>
)
