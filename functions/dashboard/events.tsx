import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { type CustomerRow, findCustomer } from '../../lib/customers/customers.queries.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { page } from '../../lib/http/lists.ts'
import { areFilters, Filters, ListEnd, partnerChip, readFilters } from '../../lib/pages/filters.tsx'
import { Identities } from '../../lib/pages/identities.tsx'
import { EventTable, PartnerName, Status, Steps, saleAmount } from '../../lib/pages/ledger.tsx'
import { money } from '../../lib/pages/money.tsx'
import { Done, noticeFor, Time } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { sortingByTime } from '../../lib/pages/sorting.ts'
import { overdueSince } from '../../lib/purchases/expected-sales.ts'
import { refundedCentsOf } from '../../lib/purchases/hand-refund.queries.ts'
import { commissionStatus, isOfShadowMode } from '../../lib/tracking/commissions.ts'
import { KIND_NAMES } from '../../lib/tracking/event-kinds.ts'
import { type EventRow, findEvent, listEvents } from '../../lib/tracking/events.queries.ts'
import { EventQuery } from '../../lib/tracking/events.schemas.ts'
import { listMismatches } from '../../lib/tracking/mismatches.queries.ts'
import { shownSteps } from '../../lib/tracking/steps.ts'
import { CreditForm } from './event-credit.tsx'

const KINDS = [
  { value: '', label: 'All events' },
  { value: 'sale', label: 'Sales' },
  { value: 'lead', label: 'Leads' },
  { value: 'refund', label: 'Refunds' },
]
const CREDITED = [
  { value: '', label: 'Any' },
  { value: 'true', label: 'Credited' },
  { value: 'false', label: 'Not credited' },
]

const OVERDUE =
  'Sales that your backend reported more than seven days ago, and Stripe has not. They earn nothing until it does.'

const DONE = { refunded: 'Refund recorded.' }

const NoEvents = ({ isFiltered }: { isFiltered: boolean }) => (
  <p class="empty">
    {isFiltered
      ? 'No events match these filters. If a report is missing, check the response that your backend received.'
      : 'No events yet. Report leads and sales from your backend with an API key.'}
  </p>
)

const Commission = ({ base, event, now }: { base: string; event: EventRow; now: Date }) => {
  const { commissionAmountCents: cents, commissionCurrency: currency, payableAt } = event
  const reversed = event.reversedCents ?? 0n
  if (cents === null || currency === null || payableAt === null)
    return <p>This event earned no commission.</p>
  return (
    <>
      <p>
        {money(cents, currency)} <Status status={commissionStatus({ ...event, payableAt }, now)} />
        {isOfShadowMode({ payableAt }) ? (
          ', which another platform pays. '
        ) : (
          <>
            , payable from <Time at={payableAt} />.{' '}
          </>
        )}
        {event.isHeld && reversed !== cents && (
          <a href={`${base}/commissions/held`}>Review held commissions</a>
        )}
      </p>
      {reversed > 0n && (
        <p>
          {money(reversed, currency)} was reversed, leaving {money(cents - reversed, currency)}.{' '}
          <a href={`${base}/commissions?eventId=${event.id}`}>View all commissions of this event</a>
        </p>
      )}
    </>
  )
}

const Refund = ({ base, event, refundedCents }: Pick<EventPageProps, 'base' | 'event' | 'refundedCents'>) => {
  const { amountCents, currency } = event
  const leftCents = (amountCents ?? 0n) - refundedCents
  if (currency === null || leftCents <= 0n) return <p>Nothing of this sale is left to refund.</p>
  return (
    <p>
      {money(leftCents, currency)} of this sale is left to refund.{' '}
      <a href={`${base}/events/${event.id}/refund`}>Refund sale</a>
    </p>
  )
}

type EventPageProps = {
  base: string
  event: EventRow
  customer: CustomerRow | undefined
  isManager: boolean
  /** What reported refunds have returned of a sale. */
  refundedCents: bigint
  /** Whether other reports had its ID. */
  isMismatched: boolean
  now: Date
  done: string | undefined
}

const EventPage = ({
  base,
  event,
  customer,
  isManager,
  refundedCents,
  isMismatched,
  now,
  done,
}: EventPageProps) => (
  <>
    <h1>
      {KIND_NAMES[event.kind]} {event.externalId}
    </h1>
    <Done message={done} />
    <h2>{event.partnerId ? 'Credited' : 'Not credited'}</h2>
    <Steps base={base} steps={shownSteps(event)} />
    {isMismatched && (
      <p>
        <a href={`${base}/mismatches?eventId=${event.id}`}>Other reports had this ID</a>, with another
        content. They changed nothing.
      </p>
    )}
    {event.kind !== 'refund' && (
      <>
        <h2>Commission</h2>
        <Commission base={base} event={event} now={now} />
      </>
    )}
    <h2>Details</h2>
    <dl class="facts">
      <dt>Date</dt>
      <dd>
        <Time at={event.occurredAt} />
      </dd>
      <dt>Name</dt>
      <dd>{event.eventName}</dd>
      <dt>External ID</dt>
      <dd>{event.externalId}</dd>
      {event.saleExternalId !== null && (
        <>
          <dt>Sale</dt>
          <dd>
            {event.saleId ? (
              <a href={`${base}/events/${event.saleId}`}>{event.saleExternalId}</a>
            ) : (
              event.saleExternalId
            )}
          </dd>
        </>
      )}
      {event.amountCents !== null && (
        <>
          <dt>Amount</dt>
          <dd>{saleAmount(event)}</dd>
        </>
      )}
      {refundedCents > 0n && (
        <>
          <dt>Refunded</dt>
          <dd>{money(refundedCents, event.currency ?? '')}</dd>
        </>
      )}
      <dt>Customer</dt>
      <dd>
        {[event.customerExternalId, event.customerEmail, event.customerName].filter(Boolean).join(', ')}
      </dd>
      <dt>Partner</dt>
      <dd>
        {event.partnerId && event.partnerSlug ? (
          <PartnerName
            base={base}
            id={event.partnerId}
            name={event.partnerName}
            slug={event.partnerSlug}
            isTest={event.partnerIsTest}
          />
        ) : (
          'None'
        )}
      </dd>
    </dl>
    {customer && (
      <>
        <h2>Customer</h2>
        <p>
          <a href={`${base}/customers/${customer.id}`}>{customer.externalId}</a> is known by these IDs.
        </p>
        <Identities identities={customer.identities} />
      </>
    )}
    {isManager && (
      <section class="card">
        <h2>Credit</h2>
        <CreditForm action={`${base}/events/${event.id}/credit`} />
      </section>
    )}
    {isManager && event.kind === 'sale' && (
      <section class="card">
        <h2>Refund</h2>
        <Refund base={base} event={event} refundedCents={refundedCents} />
      </section>
    )}
    {event.metadata && (
      <>
        <h2>Metadata</h2>
        <pre>
          <code>{JSON.stringify(event.metadata, null, 2)}</code>
        </pre>
      </>
    )}
  </>
)

/** /app/:workspace/events and /events/:id: reported leads and sales, and how each was attributed. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/events', async (c) => {
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
        <h1>Sales and leads</h1>
        <Filters
          what="events"
          path={`${base}/events`}
          fields={fields}
          errors={errors}
          filters={[
            { name: 'externalId', label: 'External ID', maxlength: 255 },
            { name: 'kind', label: 'Type', options: KINDS },
            { name: 'attributed', label: 'Credited', options: CREDITED },
          ]}
          linked={{
            partnerId: partnerChip(events[0]),
            overdue: 'Expected from Stripe',
            order: 'Oldest first',
          }}
        />
        {fields.overdue !== undefined && <p class="hint">{OVERDUE}</p>}
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
    return renderPage(c, { title: 'Sales and leads', section: '/events', children }, errors ? 400 : 200)
  })
  .get('/app/:workspace/events/:id', async (c) => {
    const { db, now, workspace } = c.var
    const event = await found('event', c.req.param('id'), (id) => findEvent(db, workspace.id, id))
    const [customer, refundedCents, mismatches] = await Promise.all([
      event.customerId ? findCustomer(db, workspace.id, event.customerId) : undefined,
      event.kind === 'sale' ? refundedCentsOf(db, workspace.id, event.id) : 0n,
      listMismatches(db, workspace.id, { eventId: event.id, limit: 1 }),
    ])
    const isMismatched = mismatches.length > 0
    const base = `/app/${workspace.slug}`
    const isManager = workspace.role === 'manager'
    const done = noticeFor(DONE, c.req.query('done'))
    const children = (
      <EventPage {...{ base, event, customer, isManager, refundedCents, isMismatched, now, done }} />
    )
    return renderPage(c, { title: `Event ${event.externalId}`, section: '/events', children })
  })
