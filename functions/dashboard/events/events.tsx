import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { findCustomer } from '../../../lib/customers/customers.queries.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import * as m from '../../../lib/languages/messages.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { EventTable } from '../../../lib/pages/tables/event-table.tsx'
import { FilteredRows, readList } from '../../../lib/pages/tables/filtered-list.tsx'
import { ANY, partnerChip } from '../../../lib/pages/tables/filters.tsx'
import { sortingByTime } from '../../../lib/pages/tables/sorting.ts'
import { refundedCentsOf } from '../../../lib/purchases/corrections/hand-refund.queries.ts'
import { overdueSince } from '../../../lib/rules/purchases/expected-sales.ts'
import { listMismatches } from '../../../lib/tracking/checks/mismatches.queries.ts'
import { findEvent, listEvents } from '../../../lib/tracking/events/events.queries.ts'
import { EventQuery } from '../../../lib/tracking/events/events.schemas.ts'
import { EventPage } from './event-page.tsx'

const KINDS = [
  { value: '', label: m.events_all },
  { value: 'sale', label: m.sum_sale },
  { value: 'lead', label: m.leads },
  { value: 'refund', label: m.events_refunds },
]
const CREDITED = [
  ANY,
  { value: 'true', label: m.credited },
  { value: 'false', label: m.not_credited },
]

const DONE = { refunded: m.events_refund_recorded }

/** /app/:workspace/events and /events/:id: leads and sales, and how each was attributed. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/events', async (c) => {
    const t = textsOf(c)
    const { db, now, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const list = await readList(c, EventQuery, (request) => {
      const expectedBefore = request.overdue ? overdueSince(now) : undefined
      return listEvents(db, workspace.id, { ...request, expectedBefore })
    })
    const { data: events, fields, request } = list
    const children = (
      <>
        <h1>{t(m.nav_events)}</h1>
        <FilteredRows
          {...{ workspace, list }}
          name="events"
          what={m.layout_items_events}
          url={c.req.url}
          filters={[
            { name: 'externalId', label: m.layout_external_id, maxlength: 255 },
            { name: 'kind', label: m.type_column, options: KINDS },
            { name: 'attributed', label: m.credited, options: CREDITED },
          ]}
          linked={{
            partnerId: partnerChip(events[0], t),
            overdue: t(m.events_expected_stripe),
            order: t(m.layout_oldest_first),
          }}
          note={fields.overdue !== undefined && <p class="hint">{t(m.events_overdue_hint)}</p>}
          noMatches={t(m.events_no_matches)}
          none={t(m.events_none_yet)}
        >
          <EventTable
            {...{ base, events }}
            byTime={sortingByTime(`${base}/events`, fields, request?.order ?? 'desc')}
          />
        </FilteredRows>
      </>
    )
    return renderSection(c, '/events', m.nav_events, children, list.errors ? 400 : 200)
  })
  .get('/app/:workspace/events/:id', async (c) => {
    const t = textsOf(c)
    const { db, now, workspace } = c.var
    const event = await readById(c, 'event', findEvent)
    const [customer, refundedCents, mismatches] = await Promise.all([
      event.customerId ? findCustomer(db, workspace.id, event.customerId) : undefined,
      event.kind === 'sale' ? refundedCentsOf(db, workspace.id, event.id) : 0n,
      listMismatches(db, workspace.id, { eventId: event.id, limit: 1 }),
    ])
    const isMismatched = mismatches.length > 0
    const base = `/app/${workspace.slug}`
    const mayChange = mayOpen(workspace, 'POST /events/:id/credit')
    const done = noticeFor(DONE, c.req.query('done'))
    const children = (
      <EventPage
        {...{ base, event, customer, mayChange, refundedCents, isMismatched, now, done }}
      />
    )
    return renderSection(
      c,
      '/events',
      t(m.events_title, { externalId: event.externalId }),
      children,
    )
  })
