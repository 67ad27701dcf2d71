import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import * as m from '../../../lib/languages/messages.ts'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { figure } from '../../../lib/pages/parts/money.tsx'
import { code, linkTo } from '../../../lib/pages/parts/tags.tsx'
import { FilteredRows, readList } from '../../../lib/pages/tables/filtered-list.tsx'
import { Table, TimeCell } from '../../../lib/pages/tables/table.tsx'
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
      <TimeCell at={lastAt} />
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

/** /app/:workspace/mismatches: reports that differ from the event with their ID, and what to do. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/mismatches', async (c) => {
  const { db, workspace } = c.var
  const t = textsOf(c)
  const base = `/app/${workspace.slug}`
  const list = await readList(c, MismatchQuery, (request) =>
    listMismatches(db, workspace.id, request),
  )
  const children = (
    <>
      <h1>{t(m.stripe_mismatched_reports)}</h1>
      <p>
        {t(m.stripe_reports_id_event, {
          code,
          link: linkTo('/docs/guide-test-your-integration#the-same-id-twice'),
        })}
      </p>
      <FilteredRows
        {...{ workspace, list }}
        name="mismatches"
        what={m.layout_items_mismatches}
        url={c.req.url}
        filters={[]}
        linked={{ eventId: list.data[0]?.externalId ?? t(m.layout_one_event) }}
        none={t(m.stripe_every_report_id)}
      >
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
          {list.data.map((mismatch) => (
            <Row base={base} mismatch={mismatch} />
          ))}
        </Table>
      </FilteredRows>
    </>
  )
  return renderSection(c, '/events', m.stripe_mismatched_reports, children, list.errors ? 400 : 200)
})
