import type { SessionEnv } from '../../lib/auth/session.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { Support } from '../../lib/pages/brand.tsx'
import { money } from '../../lib/pages/money.tsx'
import { Table } from '../../lib/pages/parts.tsx'
import { Day, ProgramName, renderPortal } from '../../lib/pages/portal.tsx'
import { findOwnEvent, type OwnEvent, readOwnEvents } from '../../lib/portal/events.queries.ts'
import { maskCustomer } from '../../lib/portal/mask.ts'
import { explainToPartner, PAID_ELSEWHERE, reasonWithoutCommission } from '../../lib/portal/partner-steps.ts'
import { PortalEventId, PortalQuery } from '../../lib/portal/portal.schemas.ts'
import { KIND_NAMES } from '../../lib/tracking/event-kinds.ts'
import { CommissionStatus, PaymentDate } from './commission-status.tsx'
import { readList, renderList } from './list.tsx'

/** A sale's amount. Only the credited partner sees it. */
const amountOf = ({ isCredited, amountCents, currency }: OwnEvent): string =>
  isCredited && amountCents !== null && currency !== null ? money(amountCents, currency) : ''

const customerOf = ({ isCreditedToOther, customer }: OwnEvent): string =>
  isCreditedToOther ? '' : maskCustomer(customer)

/** The result of an event, such as "Earned 9.80 USD". */
const outcomeOf = (event: OwnEvent): string => {
  const { isCredited, commission } = event
  const nothing = reasonWithoutCommission(event)
  if (event.kind === 'refund') return 'The buyer received a refund'
  if (!isCredited) return `Not credited: ${nothing}`
  if (event.isOfShadow) return 'Counted, and paid by the other platform'
  if (!commission) return nothing ? `No commission: ${nothing}` : 'No commission'
  const { amountCents, currency, reversedCents } = commission
  const earned = `Earned ${money(amountCents, currency)}`
  if (!reversedCents) return earned
  return `${earned}, ${reversedCents === amountCents ? 'fully' : money(reversedCents, currency)} reversed`
}

const EventTable = ({ events, hasManyPrograms }: { events: OwnEvent[]; hasManyPrograms: boolean }) => (
  <Table
    caption="Sales and leads"
    head={['Date', ...(hasManyPrograms ? ['Program'] : []), 'Event', { number: 'Amount' }, 'Result']}
  >
    {events.map((event) => (
      <tr>
        <td>
          <Day at={event.occurredAt} />
        </td>
        {hasManyPrograms && <ProgramName name={event.program} />}
        <td>
          {KIND_NAMES[event.kind]} {customerOf(event)}
        </td>
        <td class="number">{amountOf(event)}</td>
        <td class="words">
          {outcomeOf(event)}.{' '}
          <a href={`/portal/events/${event.id}`}>
            Details{' '}
            <span class="hidden">
              : {KIND_NAMES[event.kind]} {customerOf(event)}
            </span>
          </a>
        </td>
      </tr>
    ))}
  </Table>
)

const Commission = ({ event, now }: { event: OwnEvent; now: Date }) => {
  if (event.isOfShadow) return <p>{PAID_ELSEWHERE}</p>
  if (!event.commission) return <p>This event earned no commission.</p>
  const { amountCents, currency, reversedCents, payoutId, payableAt, paidAt, heldFor, heldNote } =
    event.commission
  const state = {
    payableAt: new Date(payableAt),
    payoutId,
    paidAt: paidAt === null ? null : new Date(paidAt),
    isHeld: heldFor !== null,
    holdReason: heldFor,
    holdNote: heldNote,
    isReversed: reversedCents === amountCents,
  }
  return (
    <>
      <p>
        {money(amountCents, currency)} <CommissionStatus state={state} now={now} />{' '}
        <PaymentDate state={state} now={now} />
        {heldFor === null || state.isReversed ? '.' : ''}
      </p>
      {reversedCents > 0 && (
        <p>
          {money(reversedCents, currency)} was reversed.{' '}
          {paidAt && ' The reversal is deducted from another payout.'}
        </p>
      )}
    </>
  )
}

const EventPage = ({ event, now }: { event: OwnEvent; now: Date }) => {
  const amount = amountOf(event)
  const customer = customerOf(event)
  const sentences = explainToPartner(event, money)
  return (
    <>
      <p>
        <a href="/portal/events">All sales and leads</a>
      </p>
      <h1>
        {KIND_NAMES[event.kind]}
        {customer && ` of ${customer}`}
      </h1>
      <dl class="facts">
        <dt>Date</dt>
        <dd>
          <Day at={event.occurredAt} />
        </dd>
        <dt>Program</dt>
        <dd>
          <bdi>{event.program}</bdi>
        </dd>
        {amount && (
          <>
            <dt>Amount</dt>
            <dd>{amount}</dd>
          </>
        )}
      </dl>
      <h2>{event.isCredited ? 'Credited' : 'Not credited'}</h2>
      <ol class="steps">
        {sentences.map((sentence) => (
          <li>{sentence}</li>
        ))}
        {sentences.length === 0 && <li>This {event.kind} is not linked to you.</li>}
      </ol>
      {event.kind !== 'refund' && (
        <>
          <h2>Commission</h2>
          <Commission event={event} now={now} />
        </>
      )}
      <Support supportEmail={event.supportEmail} />
    </>
  )
}

/** GET /portal/events and /portal/events/:id: a partner's sales and leads, and how each was attributed. */
export default createRoutes<SessionEnv>()
  .get('/portal/events', async (c) => {
    const { db, user } = c.var
    const list = await readList(c, PortalQuery, (filter) => readOwnEvents(db, user.email, filter))
    return renderList(c, {
      title: 'Sales and leads',
      at: '/portal/events',
      list,
      intro: (
        <p>
          Sales and leads from visitors you referred, including those that were not credited. Customer details
          are masked for privacy.
        </p>
      ),
      empty: 'No sales or leads yet. They appear here when visitors from your link sign up or buy.',
      children: <EventTable events={list.data} hasManyPrograms={list.hasManyPrograms} />,
    })
  })
  .get('/portal/events/:id', async (c) => {
    const { db, now, user } = c.var
    const id = PortalEventId.safeParse(c.req.param('id'))
    const event = id.success ? await findOwnEvent(db, user.email, id.data) : undefined
    if (!event) throw new ApiError('not_found', 'This sale or lead does not exist.')
    const children = <EventPage event={event} now={now} />
    return renderPortal(c, { title: KIND_NAMES[event.kind], at: '/portal/events', children })
  })
