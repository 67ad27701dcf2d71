/** The payouts page: balances, the form for a new run, and the runs. */

import type { Listed } from '../../lib/http/lists.ts'
import { formatMoney } from '../../lib/money.ts'
import { Status } from '../../lib/pages/ledger.tsx'
import { Done, NextPage, Select, Table, Time } from '../../lib/pages/parts.tsx'
import { METHOD_NAMES, moneySums, NeedsSetup, runProgress, SKIP_REASONS } from '../../lib/pages/payouts.tsx'
import { payableIn } from '../../lib/payouts/balances.ts'
import type { readPayoutsPage } from '../../lib/payouts/overview.queries.ts'
import type { Run } from '../../lib/payouts/runs.queries.ts'
import { counted } from '../../lib/plural.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'

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

/** More would hide the sentence. */
const MAX_COUNTRIES = 10
const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region' })

/** How many partners are in which countries: "Kenya (2), Nigeria (1)". */
const countries = (elsewhere: PayoutsData['elsewhere']): string =>
  [
    ...elsewhere
      .slice(0, MAX_COUNTRIES)
      .map(
        ({ country, people }) => `${COUNTRY_NAMES.of(country) ?? country} (${people.toLocaleString('en')})`,
      ),
    ...(elsewhere.length > MAX_COUNTRIES ? ['others'] : []),
  ].join(', ')

/** Partners in countries to which the Stripe account cannot transfer, whether or not they are owed anything. */
const Elsewhere = ({ data: { elsewhere, manualPayouts }, base }: { data: PayoutsData; base: string }) => {
  const people = elsewhere.reduce((sum, one) => sum + one.people, 0)
  if (people === 0) return null
  return (
    <p>
      {counted(people, 'partner')} {people === 1 ? 'is' : 'are'} in a country that your Stripe account cannot
      transfer to: {countries(elsewhere)}.{' '}
      {manualPayouts ? (
        'Pay them with a run by bank transfer.'
      ) : (
        <>
          To pay them, turn on bank transfers in the <a href={`${base}/settings`}>settings</a>.
        </>
      )}
    </p>
  )
}

/** Partners whom Stripe cannot pay, as their accounts were read last. */
const Unready = ({ data: { unconnected, inReview, restricted } }: { data: PayoutsData }) => (
  <>
    {unconnected > 0 && (
      <p>
        {counted(unconnected, 'partner')} with a payable balance {unconnected === 1 ? 'has' : 'have'} not
        connected a Stripe account, or not finished its set-up.
      </p>
    )}
    {restricted > 0 && (
      <p>
        {counted(restricted, 'partner')} with a payable balance {restricted === 1 ? 'has' : 'have'} to give
        Stripe more information.
      </p>
    )}
    {inReview > 0 && (
      <p>
        {counted(inReview, 'partner')} with a payable balance {inReview === 1 ? 'is' : 'are'} in review by
        Stripe.
      </p>
    )}
  </>
)

const Owed = ({ data: { earned, balances }, base }: { data: PayoutsData; base: string }) => {
  if (earned.length === 0) {
    return <p class="empty">No balances yet. They appear here once a partner has earned a commission.</p>
  }
  const sums = earned.map((row) => {
    const { blockedCents, ...payable } = payableIn(balances, row.currency)
    return { ...row, ...payable, blockedCents: blockedCents + row.heldCents }
  })
  const hasBlocked = sums.some(({ blockedCents }) => blockedCents > 0n)
  const hasOwed = sums.some(({ owedCents }) => owedCents > 0n)
  return (
    <Table
      caption="Balances"
      head={[
        'Currency',
        { number: 'Payable' },
        ...(hasBlocked ? [{ number: 'Blocked' }] : []),
        ...(hasOwed ? [{ number: 'Owed back' }] : []),
        { number: 'Pending' },
        { number: 'Processing' },
        { number: 'Paid' },
      ]}
    >
      {sums.map(({ currency, payableCents, blockedCents, owedCents, ...earned }) => (
        <tr>
          <th scope="row">{currency}</th>
          <td class="number">
            <a href={`${base}/commissions?status=payable`}>{formatMoney(payableCents, currency)}</a>
          </td>
          {hasBlocked && <td class="number">{formatMoney(blockedCents, currency)}</td>}
          {hasOwed && (
            <td class="number">
              <a href={`${base}/payouts/owed`}>{formatMoney(owedCents, currency)}</a>
            </td>
          )}
          <td class="number">{formatMoney(earned.pendingCents, currency)}</td>
          <td class="number">{formatMoney(earned.processingCents, currency)}</td>
          <td class="number">{formatMoney(earned.paidCents, currency)}</td>
        </tr>
      ))}
    </Table>
  )
}

/** Balances that a run would not pay, by reason, and what partners owe. */
const Blocked = ({ data: { earned, balances }, base }: { data: PayoutsData; base: string }) => {
  const held = earned.filter(({ heldCents }) => heldCents !== 0n)
  const skipped = balances.flatMap(({ code, ...total }) => (code ? [{ ...total, code }] : []))
  if (held.length === 0 && skipped.length === 0) return null
  return (
    <>
      <h2>Not payable now</h2>
      <Table caption="Not payable now" head={['Reason', { number: 'Partners' }, { number: 'Amount' }]}>
        {skipped.map(({ code, currency, amountCents, partners }) => (
          <tr>
            <td class="words">{SKIP_REASONS[code]}</td>
            <td class="number">{partners.toLocaleString('en')}</td>
            <td class="number">{formatMoney(amountCents, currency)}</td>
          </tr>
        ))}
        {held.map(({ currency, heldCents }) => (
          <tr>
            <td class="words">
              <a href={`${base}/commissions/held`}>Held for review.</a>
            </td>
            <td></td>
            <td class="number">{formatMoney(heldCents, currency)}</td>
          </tr>
        ))}
      </Table>
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
        <td>{METHOD_NAMES[run.method]}</td>
        <td>{run.programName ?? 'All'}</td>
        <td>{startedBy(run)}</td>
      </tr>
    ))}
  </Table>
)
