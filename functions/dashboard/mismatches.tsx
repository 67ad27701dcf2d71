/** The page of reports that differ from the event with their ID. */

import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { page } from '../../lib/http/lists.ts'
import { areFilters, Empty, Filters, ListEnd, readFilters } from '../../lib/pages/filters.tsx'
import { figure } from '../../lib/pages/money.tsx'
import { Table, Time } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { KIND_NAMES } from '../../lib/tracking/event-kinds.ts'
import { MismatchQuery } from '../../lib/tracking/events.schemas.ts'
import { listMismatches, type MismatchRow } from '../../lib/tracking/mismatches.queries.ts'
import { adviceOn, type Difference, fieldName } from '../../lib/tracking/mismatches.ts'

const DifferenceLine = ({ field, recorded, reported }: Difference) => (
  <li>
    {fieldName(field)}: <code>{recorded ?? 'none'}</code>, then <code>{reported ?? 'none'}</code>
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
          <div>A field differs that is not kept with an event, such as the customer’s email address.</div>
        )}
        <div class="hint">{adviceOn(kind, differences)}</div>
      </td>
    </tr>
  )
}

/** /app/:workspace/mismatches: what each report has that the event with its ID has not, and what to do. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/mismatches', async (c) => {
  const { db, workspace } = c.var
  const base = `/app/${workspace.slug}`
  const { fields, data, errors } = readFilters(c, MismatchQuery)
  const rows = data ? await listMismatches(db, workspace.id, { ...data, limit: data.limit + 1 }) : []
  const { data: mismatches, nextCursor } = page(rows, data?.limit ?? 0)
  const isEmpty = mismatches.length === 0
  const children = (
    <>
      <h1>Mismatched reports</h1>
      <p>
        Reports with the ID of an event that was recorded before, and another content. They were answered with{' '}
        <code>"mismatch": true</code>, and changed nothing.{' '}
        <a href="/docs/guide-test-your-integration#the-same-id-twice">How to choose IDs</a>
      </p>
      <Filters
        what="mismatches"
        path={`${base}/mismatches`}
        fields={fields}
        errors={errors}
        filters={[]}
        linked={{ eventId: mismatches[0]?.externalId ?? 'One event' }}
      />
      {isEmpty ? (
        <Empty what="mismatches" isFiltered={areFilters(fields)}>
          Every report had an ID of its own, or was an exact repeat.
        </Empty>
      ) : (
        <Table
          caption="Mismatched reports"
          head={['Last reported', 'Type', 'External ID', { number: 'Times' }, 'Recorded, then reported']}
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
  return renderPage(c, { title: 'Mismatched reports', section: '/events', children }, errors ? 400 : 200)
})
