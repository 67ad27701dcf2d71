/** The page of reports that differ from the event with their ID. */

import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { page } from '../../../lib/http/lists.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Table, Time } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { figure } from '../../../lib/pages/parts/money.tsx'
import { code, linkTo } from '../../../lib/pages/parts/tags.tsx'
import {
  areFilters,
  Empty,
  Filters,
  ListEnd,
  readFilters,
} from '../../../lib/pages/tables/filters.tsx'
import { KIND_NAMES } from '../../../lib/rules/steps/event-kinds.ts'
import {
  listMismatches,
  type MismatchRow,
} from '../../../lib/tracking/checks/mismatches.queries.ts'
import { adviceOn, type Difference, fieldName } from '../../../lib/tracking/checks/mismatches.ts'
import { MismatchQuery } from '../../../lib/tracking/events/events.schemas.ts'

const DifferenceLine = ({ field, recorded, reported }: Difference) => (
  <li>
    {t(m.stripe_difference, {
      field: fieldName(t, field),
      recorded: recorded ?? t(m.stripe_no_value),
      reported: reported ?? t(m.stripe_no_value),
      code,
    })}
  </li>
)

const Row = ({ base, mismatch }: { base: string; mismatch: MismatchRow }) => {
  const { eventId, kind, externalId, differences, reports, lastAt } = mismatch
  return (
    <tr>
      <td>
        <Time at={lastAt} />
      </td>
      <td>{KIND_NAMES[kind]}</td>
      <td class="id">
        <a href={`${base}/events/${eventId}`}>{externalId}</a>
      </td>
      <td class="number">{figure(reports)}</td>
      <td class="words">
        {differences.length > 0 ? (
          <ul class="differences">
            {differences.map((difference) => (
              <DifferenceLine {...difference} />
            ))}
          </ul>
        ) : (
          <div>{t(m.stripe_differs_elsewhere)}</div>
        )}
        <div class="hint">{t(adviceOn(kind, differences))}</div>
      </td>
    </tr>
  )
}

/**
 * /app/:workspace/mismatches: what each report has that the event with its ID has not, and what to
 * do.
 */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/mismatches', async (c) => {
  const { db, workspace } = c.var
  const t = textsOf(c)
  const base = `/app/${workspace.slug}`
  const { fields, data, errors } = readFilters(c, MismatchQuery)
  const rows = data
    ? await listMismatches(db, workspace.id, { ...data, limit: data.limit + 1 })
    : []
  const { data: mismatches, nextCursor } = page(rows, data?.limit ?? 0)
  const isEmpty = mismatches.length === 0
  const children = (
    <>
      <h1>{t(m.stripe_mismatched_reports)}</h1>
      <p>
        {t(m.stripe_reports_id_event, {
          code,
          link: linkTo('/docs/guide-test-your-integration#the-same-id-twice'),
        })}
      </p>
      <Filters
        what={m.layout_items_mismatches}
        path={`${base}/mismatches`}
        fields={fields}
        errors={errors}
        filters={[]}
        linked={{ eventId: mismatches[0]?.externalId ?? t(m.layout_one_event) }}
      />
      {isEmpty ? (
        <Empty what={m.layout_items_mismatches} isFiltered={areFilters(fields)}>
          {t(m.stripe_every_report_id)}
        </Empty>
      ) : (
        <Table
          caption={t(m.stripe_mismatched_reports)}
          head={[
            t(m.stripe_last_reported),
            t(m.type_column),
            t(m.layout_external_id),
            { number: t(m.stripe_times) },
            t(m.stripe_recorded_then_reported),
          ]}
        >
          {mismatches.map((mismatch) => (
            <Row base={base} mismatch={mismatch} />
          ))}
        </Table>
      )}
      <ListEnd
        url={c.req.url}
        cursor={nextCursor}
        slug={workspace.slug}
        list="mismatches"
        fields={fields}
        isEmpty={isEmpty}
      />
    </>
  )
  return renderPage(
    c,
    { title: m.stripe_mismatched_reports, section: '/events', children },
    errors ? 400 : 200,
  )
})
