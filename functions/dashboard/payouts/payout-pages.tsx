import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import type { Listed } from '../../../lib/http/lists.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Select } from '../../../lib/pages/forms/fields.tsx'
import { Done, LinkLine, Time } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import {
  METHOD_NAMES,
  moneySums,
  NeedsSetup,
  runProgress,
} from '../../../lib/pages/parts/payouts.tsx'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { Status } from '../../../lib/pages/tables/ledger.tsx'
import { NextPage, Table } from '../../../lib/pages/tables/table.tsx'
import type { readPayoutsPage } from '../../../lib/payouts/balances/overview.queries.ts'
import type { Run } from '../../../lib/payouts/runs/runs.queries.ts'
import type { Workspace } from '../../../lib/tenancy/workspaces/workspaces.queries.ts'
import { Blocked, Elsewhere, Owed, Unready } from './payout-balances.tsx'

type PayoutsData = Awaited<ReturnType<typeof readPayoutsPage>>

type PayoutsPageProps = {
  workspace: Workspace
  data: PayoutsData
  runs: Listed<Run>
  url: string
  done: Message | undefined
}

/** Balances by currency, the form for a new run, and the runs. */
export const PayoutsPage = ({ workspace, data, runs, url, done }: PayoutsPageProps) => {
  const base = `/app/${workspace.slug}`
  return (
    <>
      <h1>{t(m.nav_payouts)}</h1>
      <Done message={done} />
      <Owed data={data} base={base} />
      <Blocked data={data} base={base} />
      <Unready data={data} />
      <Elsewhere data={data} workspace={workspace} />
      {data.reversed > 0 && (
        <p>
          {t(m.payouts_reversed_count, {
            count: data.reversed,
            link: linkTo(`${base}/payouts/all?status=reversed`),
          })}
        </p>
      )}
      {mayOpen(workspace, 'GET /settings/business') && (
        <LinkLine href={`${base}/settings/business`}>{t(m.payouts_business_details)}</LinkLine>
      )}
      {mayOpen(workspace, 'POST /payouts/new') && (
        <PayForm workspace={workspace} base={base} data={data} />
      )}
      <h2>{t(m.payouts_runs)}</h2>
      {runs.data.length > 0 ? (
        <>
          <RunTable base={base} runs={runs.data} />
          <p>
            <a href={`${base}/payouts/all`}>{t(m.payouts_view_all_payouts)}</a> ·{' '}
            <a href={`${base}/payouts/invoices`}>{t(m.invoices)}</a> ·{' '}
            <a href={`${base}/payouts/years`}>{t(m.payouts_paid_by_year)}</a>
          </p>
        </>
      ) : (
        <p class="empty">{t(m.payouts_no_payout_runs)}</p>
      )}
      <NextPage url={url} cursor={runs.nextCursor} />
    </>
  )
}

const METHODS = [
  { value: 'stripe', label: m.by_stripe },
  { value: 'manual', label: m.payouts_bank_transfer_csv },
] as const

type PayFormProps = { workspace: Workspace; base: string; data: PayoutsData }

const PayForm = ({ workspace, base, data: { programs, hasKey, manualPayouts } }: PayFormProps) => (
  <section class="card">
    <h2>{t(m.payouts_new_payout_run)}</h2>
    <form class="inline" method="get" action={`${base}/payouts/new`}>
      {manualPayouts ? (
        <Select
          label={t(m.method_column)}
          name="method"
          options={METHODS}
          value={hasKey ? 'stripe' : 'manual'}
        />
      ) : (
        <input type="hidden" name="method" value="stripe" />
      )}
      {programs.length > 1 && (
        <Select
          label={t(m.program)}
          name="programId"
          options={[
            { value: '', label: t(m.all_programs) },
            ...programs.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <button type="submit">{t(m.payouts_preview_payouts)}</button>
    </form>
    <p class="hint">{t(m.payouts_preview_lists_each)}</p>
    {!hasKey && <NeedsSetup workspace={workspace} method="stripe" />}
    {!manualPayouts && <NeedsSetup workspace={workspace} method="manual" />}
  </section>
)

/** Who or what started a run. */
const startedBy = ({ createdBy, scheduledFor }: Run): string =>
  createdBy ?? `Schedule (${scheduledFor?.toISOString().slice(0, 10)})`

const RunTable = ({ base, runs }: { base: string; runs: Run[] }) => (
  <Table
    caption={t(m.payouts_runs)}
    head={[
      t(m.payouts_started),
      { number: t(m.payouts_total) },
      t(m.status),
      t(m.payouts_progress),
      t(m.method_column),
      t(m.program),
      t(m.payouts_started_by),
    ]}
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
        <td>{run.programName ?? t(m.payouts_all)}</td>
        <td>{startedBy(run)}</td>
      </tr>
    ))}
  </Table>
)
