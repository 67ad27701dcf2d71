import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { type CustomerRow, findCustomer } from '../../lib/customers/customers.queries.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { page } from '../../lib/http/lists.ts'
import * as m from '../../lib/languages/messages.ts'
import { ANY, areFilters, Filters, ListEnd, partnerChip, readFilters } from '../../lib/pages/filters.tsx'
import { Identities } from '../../lib/pages/identities.tsx'
import { EventTable, PartnerName, Status, Steps, saleAmount } from '../../lib/pages/ledger.tsx'
import { money } from '../../lib/pages/money.tsx'
import { Done, noticeFor, Time } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { sortingByTime } from '../../lib/pages/sorting.ts'
import { linkTo } from '../../lib/pages/tags.tsx'
import { type Shown, t, textsOf } from '../../lib/pages/text.ts'
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
  { value: '', label: m.events_all },
  { value: 'sale', label: m.sum_sale },
  { value: 'lead', label: m.leads },
  { value: 'refund', label: m.events_refunds },
]
const CREDITED = [ANY, { value: 'true', label: m.credited }, { value: 'false', label: m.not_credited }]

const OVERDUE = m.events_overdue_hint

const DONE = { refunded: m.events_refund_recorded }

const NoEvents = ({ isFiltered }: { isFiltered: boolean }) => (
  <p class="empty">{isFiltered ? t(m.events_no_matches) : t(m.events_none_yet)}</p>
)

const Commission = ({ base, event, now }: { base: string; event: EventRow; now: Date }) => {
  const { commissionAmountCents: cents, commissionCurrency: currency, payableAt } = event
  const reversed = event.reversedCents ?? 0n
  if (cents === null || currency === null || payableAt === null) return <p>{t(m.no_commission_heading)}</p>
  const amount = money(cents, currency)
  const status = () => <Status status={commissionStatus({ ...event, payableAt }, now)} />
  return (
    <>
      <p>
        {isOfShadowMode({ payableAt })
          ? t(m.events_paid_elsewhere, { amount, status })
          : t(m.events_payable_from, { amount, status, time: () => <Time at={payableAt} /> })}{' '}
        {event.isHeld && reversed !== cents && (
          <a href={`${base}/commissions/held`}>{t(m.events_review_held_commissions)}</a>
        )}
      </p>
      {reversed > 0n && (
        <p>
          {t(m.events_reversed_leaving, {
            amount: money(reversed, currency),
            left: money(cents - reversed, currency),
            link: linkTo(`${base}/commissions?eventId=${event.id}`),
          })}
        </p>
      )}
    </>
  )
}

const Refund = ({ base, event, refundedCents }: Pick<EventPageProps, 'base' | 'event' | 'refundedCents'>) => {
  const { amountCents, currency } = event
  const leftCents = (amountCents ?? 0n) - refundedCents
  if (currency === null || leftCents <= 0n) return <p>{t(m.events_nothing_left)}</p>
  return (
    <p>
      {t(m.events_left_to_refund, {
        amount: money(leftCents, currency),
        link: linkTo(`${base}/events/${event.id}/refund`),
      })}
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
  done: Shown | undefined
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
    <h2>{event.partnerId ? t(m.credited) : t(m.not_credited)}</h2>
    <Steps base={base} steps={shownSteps(event)} />
    {isMismatched && (
      <p>{t(m.events_mismatched, { link: linkTo(`${base}/mismatches?eventId=${event.id}`) })}</p>
    )}
    {event.kind !== 'refund' && (
      <>
        <h2>{t(m.commission)}</h2>
        <Commission base={base} event={event} now={now} />
      </>
    )}
    <h2>{t(m.details_column)}</h2>
    <dl class="facts">
      <dt>{t(m.date_column)}</dt>
      <dd>
        <Time at={event.occurredAt} />
      </dd>
      <dt>{t(m.layout_name)}</dt>
      <dd>{event.eventName}</dd>
      <dt>{t(m.layout_external_id)}</dt>
      <dd>{event.externalId}</dd>
      {event.saleExternalId !== null && (
        <>
          <dt>{t(m.kind_sale)}</dt>
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
          <dt>{t(m.amount_column)}</dt>
          <dd>{saleAmount(event)}</dd>
        </>
      )}
      {refundedCents > 0n && (
        <>
          <dt>{t(m.events_refunded)}</dt>
          <dd>{money(refundedCents, event.currency ?? '')}</dd>
        </>
      )}
      <dt>{t(m.layout_customer)}</dt>
      <dd>
        {[event.customerExternalId, event.customerEmail, event.customerName].filter(Boolean).join(', ')}
      </dd>
      <dt>{t(m.partner)}</dt>
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
          t(m.layout_none)
        )}
      </dd>
    </dl>
    {customer && (
      <>
        <h2>{t(m.layout_customer)}</h2>
        <p>
          {t(m.events_customer_known, {
            externalId: customer.externalId,
            link: linkTo(`${base}/customers/${customer.id}`),
          })}
        </p>
        <Identities identities={customer.identities} />
      </>
    )}
    {isManager && (
      <section class="card">
        <h2>{t(m.events_credit_heading)}</h2>
        <CreditForm action={`${base}/events/${event.id}/credit`} />
      </section>
    )}
    {isManager && event.kind === 'sale' && (
      <section class="card">
        <h2>{t(m.kind_refund)}</h2>
        <Refund base={base} event={event} refundedCents={refundedCents} />
      </section>
    )}
    {event.metadata && (
      <>
        <h2>{t(m.events_metadata)}</h2>
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
    const isManager = workspace.role === 'manager'
    const done = noticeFor(DONE, c.req.query('done'))
    const children = (
      <EventPage {...{ base, event, customer, isManager, refundedCents, isMismatched, now, done }} />
    )
    return renderPage(c, {
      title: t(m.events_title, { externalId: event.externalId }),
      section: '/events',
      children,
    })
  })
