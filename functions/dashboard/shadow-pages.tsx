/** The pages of a shadow run. */
import type { ErrorDetail } from '../../lib/http/errors.ts'
import type { Listed } from '../../lib/http/lists.ts'
import type { Fields } from '../../lib/http/validate.ts'
import { areFilters, Empty, Filters } from '../../lib/pages/filters.tsx'
import { figure, money } from '../../lib/pages/money.tsx'
import { Done, NextPage, Problem, Table, Time } from '../../lib/pages/parts.tsx'
import { counted } from '../../lib/plural.ts'
import { OUTCOMES, type Outcome, REASONS, type Reason } from '../../lib/shadow/compare.ts'
import type { ComparisonRow, DaySum, OutcomeSum, ShadowState } from '../../lib/shadow/results.queries.ts'
import type { Program } from '../../lib/workspace/programs.queries.ts'

type Base = {
  /** The workspace's path. */
  base: string
  program: Program
}

const Back = ({ base, program }: Base) => (
  <p>
    <a href={`${base}/programs/${program.id}`}>{program.name}</a>
  </p>
)

/** What a shadow run is, and the button that starts it. */
export const StartPage = ({
  base,
  program,
  isManager,
  problem,
}: Base & { isManager: boolean; problem?: string | undefined }) => (
  <>
    <Back {...{ base, program }} />
    <h1>Shadow run</h1>
    <Problem message={problem} />
    <p>
      Run this program beside the platform that you are moving from, for as long as you want, and compare what
      each of them decides. Sales are recorded and explained as usual. Nothing that this program decides
      meanwhile is ever paid from here: the other platform pays it. The cut-over ends the shadow run and takes
      over what the other platform still owes your partners.
    </p>
    <p>Partners see in the portal that the other platform counts and pays what they earn.</p>
    {isManager && (
      <form method="post">
        <p class="actions">
          <button type="submit">Start shadow run</button>{' '}
          <a href={`${base}/programs/${program.id}`}>Cancel</a>
        </p>
      </form>
    )}
  </>
)

const OUTCOME_WORDS: Record<Outcome, string> = {
  same: 'Same',
  different: 'Different',
  only_here: 'Only here',
  only_there: 'Only there',
}

const Sums = ({ sums }: { sums: OutcomeSum[] }) => (
  <Table caption="Sums" head={['Result', { number: 'Sales' }, { number: 'Here' }, { number: 'There' }]}>
    {sums.map(({ outcome, currency, sales, hereCents, thereCents }) => (
      <tr>
        <td>{OUTCOME_WORDS[outcome]}</td>
        <td class="number">{figure(sales)}</td>
        <td class="number">{money(hereCents, currency)}</td>
        <td class="number">{money(thereCents, currency)}</td>
      </tr>
    ))}
  </Table>
)

const Days = ({ path, days }: { path: string; days: DaySum[] }) => (
  <Table
    caption="Days"
    head={['Day', { number: 'Sales' }, { number: 'Differences' }, { number: 'Here' }, { number: 'There' }]}
  >
    {days.map(({ day, currency, sales, differences, hereCents, thereCents }) => (
      <tr>
        <td>
          <a href={`${path}?from=${day}&to=${day}`}>{day}</a>
        </td>
        <td class="number">{figure(sales)}</td>
        <td class="number">{figure(differences)}</td>
        <td class="number">{money(hereCents, currency)}</td>
        <td class="number">{money(thereCents, currency)}</td>
      </tr>
    ))}
  </Table>
)

const amount = (cents: bigint | null, currency: string | null) =>
  cents === null || currency === null ? 'None' : money(cents, currency)

const Rows = ({ base, rows }: { base: string; rows: ComparisonRow[] }) => (
  <Table
    caption="Sales"
    head={['Day', 'Sale', 'Partner', 'Result', { number: 'Here' }, { number: 'There' }, 'Likely reason']}
  >
    {rows.map((row) => (
      <tr>
        <td>{row.day}</td>
        <td class="id">
          {row.eventId ? (
            <a href={`${base}/events/${row.eventId}`} data-panel>
              {row.saleExternalId}
            </a>
          ) : (
            (row.thereSaleIds?.[0] ?? row.thereKey)
          )}
        </td>
        <td>{row.partnerEmail ?? row.therePartnerEmail}</td>
        <td>{OUTCOME_WORDS[row.outcome]}</td>
        <td class="number">{amount(row.hereCents, row.hereCurrency)}</td>
        <td class="number">{amount(row.thereCents, row.thereCurrency)}</td>
        <td class="words">
          {row.reason && REASONS[row.reason]}
          {row.reason === 'other_partner' && ` There: ${row.therePartnerEmail}.`}
        </td>
      </tr>
    ))}
  </Table>
)

const State = ({ base, program, isManager, state }: Base & { isManager: boolean; state: ShadowState }) => (
  <>
    <p>
      {state.endedAt ? (
        <>
          The shadow run began on <Time at={state.startedAt} /> and was cut over on{' '}
          <Time at={state.endedAt} />.
        </>
      ) : (
        <>
          Since <Time at={state.startedAt} />, another platform pays what this program decides.
        </>
      )}{' '}
      {state.newestSoldAt
        ? `${counted(state.uploaded, 'commission')} of the other platform ${state.uploaded === 1 ? 'is' : 'are'} there, up to ${state.newestSoldAt.toISOString().slice(0, 10)}.`
        : 'No commissions of the other platform are there yet.'}
    </p>
    {state.waiting > 0 && !state.endedAt && (
      <p class="notice">
        {counted(state.waiting, 'commission')} {state.waiting === 1 ? 'is' : 'are'} waiting to be compared.
        This takes a few minutes.
      </p>
    )}
    {isManager && !state.endedAt && (
      <p class="actions">
        <a class="button" href={`${base}/programs/${program.id}/shadow/upload`}>
          Add commissions
        </a>{' '}
        <a class="button quiet" href={`${base}/programs/${program.id}/shadow/cut-over`}>
          Cut over
        </a>
      </p>
    )}
  </>
)

const reasonOptions = (reasons: { reason: Reason; sales: number }[]) => [
  { value: '', label: 'Any' },
  ...reasons.map(({ reason, sales }) => ({
    value: reason,
    label: `${REASONS[reason].split(/[.:]/)[0]} (${sales.toLocaleString('en')})`,
  })),
]

type ComparisonProps = Base & {
  isManager: boolean
  state: ShadowState
  sums: OutcomeSum[]
  days: DaySum[]
  reasons: { outcome: Outcome; reason: Reason; sales: number }[]
  results: Listed<ComparisonRow>
  fields: Fields
  errors: ErrorDetail[] | undefined
  url: string
  done: string | undefined
}

/** What both sides decided, and what differs. */
export const ComparisonPage = ({
  base,
  program,
  isManager,
  state,
  sums,
  days,
  reasons,
  results,
  fields,
  errors,
  url,
  done,
}: ComparisonProps) => {
  const path = `${base}/programs/${program.id}/shadow`
  const query = new URL(url).search
  const isEmpty = results.data.length === 0
  const total = Map.groupBy(reasons, ({ reason }) => reason)
  const counts = [...total].map(([reason, of]) => ({
    reason,
    sales: of.reduce((sum, { sales }) => sum + sales, 0),
  }))
  return (
    <>
      <Back {...{ base, program }} />
      <h1>Shadow run</h1>
      <Done message={done} />
      <State {...{ base, program, isManager, state }} />
      {sums.length > 0 && <Sums sums={sums} />}
      {days.length > 0 && (
        <details>
          <summary>Sums by day</summary>
          <Days path={path} days={days} />
        </details>
      )}
      <h2>Sales</h2>
      <Filters
        what="sales"
        path={path}
        fields={fields}
        errors={errors}
        filters={[
          {
            name: 'outcome',
            label: 'Result',
            options: [
              { value: '', label: 'Any' },
              ...OUTCOMES.map((value) => ({ value, label: OUTCOME_WORDS[value] })),
            ],
          },
          { name: 'reason', label: 'Likely reason', options: reasonOptions(counts) },
          { name: 'from', label: 'From day (2026-01-31)', maxlength: 10 },
          { name: 'to', label: 'To day', maxlength: 10 },
        ]}
        linked={{ partnerId: 'One partner' }}
      />
      {isEmpty ? (
        <Empty what="sales" isFiltered={areFilters(fields)}>
          Nothing is compared yet. Add the other platform’s commissions: sales of this program are compared
          with them every few minutes.
        </Empty>
      ) : (
        <Rows base={base} rows={results.data} />
      )}
      <NextPage url={url} cursor={results.nextCursor} />
      {!isEmpty && (
        <p>
          <a download href={`${path}/comparisons.csv${query}`}>
            Download as CSV
          </a>
        </p>
      )}
    </>
  )
}
