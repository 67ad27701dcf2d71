import type { User } from '../../../lib/auth/session.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Listed } from '../../../lib/http/lists.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Done, LinkLine, Problem, Time } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { ANY, areFilters, Empty, Filters } from '../../../lib/pages/tables/filters.tsx'
import { NextPage } from '../../../lib/pages/tables/table.tsx'
import type { Program } from '../../../lib/programs/programs.queries.ts'
import {
  OUTCOMES,
  type Outcome,
  REASONS,
  type Reason,
} from '../../../lib/shadow/comparison/compare.ts'
import type {
  ComparisonRow,
  DaySum,
  OutcomeSum,
  ShadowState,
} from '../../../lib/shadow/comparison/results.queries.ts'
import { SourceForm } from '../imports/import-source.tsx'
import { Days, OUTCOME_WORDS, Rows, Sums } from './shadow-tables.tsx'

type Base = {
  base: string
  program: Program
}

const Back = ({ base, program }: Base) => (
  <LinkLine href={`${base}/programs/${program.id}`}>{program.name}</LinkLine>
)

/** Explains a shadow run, with the button that starts it. */
export const StartPage = ({
  base,
  program,
  mayChange,
  problem,
}: Base & { mayChange: boolean; problem?: string | undefined }) => (
  <>
    <Back {...{ base, program }} />
    <h1>{t(m.shadow_run)}</h1>
    <Problem message={problem} />
    <p>{t(m.shadow_explained)}</p>
    <p>{t(m.shadow_partners_see_portal)}</p>
    {mayChange && (
      <form method="post">
        <p class="actions">
          <button type="submit">{t(m.shadow_start)}</button>{' '}
          <a href={`${base}/programs/${program.id}`}>{t(m.cancel)}</a>
        </p>
      </form>
    )}
  </>
)

const State = ({
  base,
  program,
  mayChange,
  state,
}: Base & { mayChange: boolean; state: ShadowState }) => {
  const { startedAt, endedAt } = state
  const began = () => <Time at={startedAt} />
  return (
    <>
      <p>
        {endedAt
          ? t(m.shadow_began_and_ended, {
              began,
              ended: () => <Time at={endedAt} />,
            })
          : t(m.shadow_since, { began })}{' '}
        {state.newestSoldAt
          ? t(m.shadow_uploaded, {
              count: state.uploaded,
              day: state.newestSoldAt.toISOString().slice(0, 10),
            })
          : t(m.shadow_no_commissions_other)}
      </p>
      {state.waiting > 0 && !endedAt && (
        <p class="notice">{t(m.shadow_waiting, { count: state.waiting })}</p>
      )}
      {mayChange && !endedAt && (
        <p class="actions">
          <a class="button" href={`${base}/programs/${program.id}/shadow/upload`}>
            {t(m.shadow_add_commissions)}
          </a>{' '}
          <a class="button quiet" href={`${base}/programs/${program.id}/shadow/cut-over`}>
            {t(m.shadow_cut_over)}
          </a>
        </p>
      )}
    </>
  )
}

const reasonOptions = (reasons: { reason: Reason; sales: number }[]) => [
  ANY,
  ...reasons.map(({ reason, sales }) => ({
    value: reason,
    label: t(m.shadow_reason_of_sales, {
      reason: REASONS[reason].split(/[.:]/)[0] ?? '',
      count: sales,
    }),
  })),
]

type ComparisonProps = Base & {
  mayChange: boolean
  state: ShadowState
  sums: OutcomeSum[]
  days: DaySum[]
  reasons: { outcome: Outcome; reason: Reason; sales: number }[]
  results: Listed<ComparisonRow>
  fields: Fields
  errors: ErrorDetail[] | undefined
  url: string
  done: Message | undefined
}

/** The decisions of both sides, and the differences. */
export const ComparisonPage = ({
  base,
  program,
  mayChange,
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
      <h1>{t(m.shadow_run)}</h1>
      <Done message={done} />
      <State {...{ base, program, mayChange, state }} />
      {sums.length > 0 && <Sums sums={sums} />}
      {days.length > 0 && (
        <details>
          <summary>{t(m.shadow_sums_by_day)}</summary>
          <Days path={path} days={days} />
        </details>
      )}
      <h2>{t(m.sales)}</h2>
      <Filters
        what="sales"
        path={path}
        fields={fields}
        errors={errors}
        filters={[
          {
            name: 'outcome',
            label: t(m.result_column),
            options: [ANY, ...OUTCOMES.map((value) => ({ value, label: OUTCOME_WORDS[value] }))],
          },
          { name: 'reason', label: t(m.shadow_likely_reason), options: reasonOptions(counts) },
          { name: 'from', label: t(m.shadow_from_day), maxlength: 10 },
          { name: 'to', label: t(m.shadow_to_day), maxlength: 10 },
        ]}
        linked={{ partnerId: t(m.shadow_one_partner) }}
      />
      {isEmpty ? (
        <Empty what="sales" isFiltered={areFilters(fields)}>
          {t(m.shadow_nothing_compared_yet)}
        </Empty>
      ) : (
        <Rows base={base} rows={results.data} />
      )}
      <NextPage url={url} cursor={results.nextCursor} />
      {!isEmpty && (
        <p>
          <a download href={`${path}/comparisons.csv${query}`}>
            {t(m.layout_download_csv)}
          </a>
        </p>
      )}
    </>
  )
}

type UploadProps = Base & { workspace: string; user: User }

/** The page whose script uploads a file or reads the other platform: islands/shadow.ts. */
export const UploadPage = ({ base, program, workspace, user }: UploadProps) => (
  <>
    <LinkLine href={`${base}/programs/${program.id}/shadow`}>
      {t(m.shadow_run_of, { name: program.name })}
    </LinkLine>
    <h1>{t(m.shadow_commissions_other_platform)}</h1>
    <p>{t(m.shadow_choose_export_other)}</p>
    <noscript>
      <p class="problem">{t(m.shadow_page_needs_javascript, { id: program.id })}</p>
    </noscript>
    <p id="import-status" class="hidden" role="status" />
    <div
      id="shadow-upload"
      data-user={user.id}
      data-email={user.email}
      data-workspace={workspace}
      data-program={program.id}
      data-url={`/api/workspaces/${workspace}/programs/${program.id}/shadow`}
      data-back={`${base}/programs/${program.id}/shadow`}
    >
      <section id="import-sources" hidden />
      <div id="import-choose">
        <div class="field">
          <label for="shadow-file">{t(m.layout_csv_file)}</label>
          <input id="shadow-file" type="file" accept=".csv,.txt,.tsv,text/csv" />
        </div>
        <SourceForm>{t(m.shadow_reads_commissions_old)}</SourceForm>
      </div>
      <div id="import-stage" />
    </div>
  </>
)
