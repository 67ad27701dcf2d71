import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { findCustomer } from '../../../lib/customers/customers.queries.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { page } from '../../../lib/http/lists.ts'
import * as m from '../../../lib/languages/messages.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { EventTable } from '../../../lib/pages/tables/event-table.tsx'
import {
  ANY,
  areFilters,
  Filters,
  ListEnd,
  partnerChip,
  readFilters,
} from '../../../lib/pages/tables/filters.tsx'
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

const OVERDUE = m.events_overdue_hint

const DONE = { refunded: m.events_refund_recorded }

const NoEvents = ({ isFiltered }: { isFiltered: boolean }) => (
  <p class="empty">{isFiltered ? t(m.events_no_matches) : t(m.events_none_yet)}</p>
)

/**
 * /app/:workspace/events and /events/:id: reported leads and sales, and how each was attributed.
 */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/events', async (c) => {
    const t = textsOf(c)
    const { db, now, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const { fields, data, errors } = readFilters(c, EventQuery)
    const expectedBefore = data?.overdue ? overdueSince(now) : undefined
    const rows = data
      ? await listEvents(db, workspace.id, { ...data, expectedBefore, limit: data.limit + 1 })
      : []
    const { data: events, nextCursor } = page(rows, data?.limit ?? 0)
    const children = (
      <>
        <h1>{t(m.nav_events)}</h1>
        <Filters
          what={m.layout_items_events}
          path={`${base}/events`}
          fields={fields}
          errors={errors}
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
        />
        {fields.overdue !== undefined && <p class="hint">{t(OVERDUE)}</p>}
        {events.length > 0 ? (
          <EventTable
            base={base}
            events={events}
            byTime={sortingByTime(`${base}/events`, fields, data?.order ?? 'desc')}
          />
        ) : (
          <NoEvents isFiltered={areFilters(fields)} />
        )}
        <ListEnd
          url={c.req.url}
          cursor={nextCursor}
          slug={workspace.slug}
          list="events"
          fields={fields}
          isEmpty={events.length === 0}
        />
      </>
    )
    return renderPage(c, { title: m.nav_events, section: '/events', children }, errors ? 400 : 200)
  })
  .get('/app/:workspace/events/:id', async (c) => {
    const t = textsOf(c)
    const { db, now, workspace } = c.var
    const event = await found('event', c.req.param('id'), (id) => findEvent(db, workspace.id, id))
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
    return renderPage(c, {
      title: t(m.events_title, { externalId: event.externalId }),
      section: '/events',
      children,
    })
  })
