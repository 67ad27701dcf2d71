import type { SessionEnv } from '../../lib/auth/session.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { formatMoney } from '../../lib/money.ts'
import { Table } from '../../lib/pages/parts.tsx'
import { Day, ProgramName, renderPortal } from '../../lib/pages/portal.tsx'
import { findOwnEvent, type OwnEvent, readOwnEvents } from '../../lib/portal/events.queries.ts'
import { maskCustomer } from '../../lib/portal/mask.ts'
import { explainToPartner, whyNothing } from '../../lib/portal/partner-steps.ts'
import { PortalEventId, PortalQuery } from '../../lib/portal/portal.schemas.ts'
import { readList, renderList } from './list.tsx'
import { StandingStatus, WhenPaid } from './standing.tsx'

const NAME = { sale: 'Sale', lead: 'Lead' }

/** What was sold, which is told to whoever is credited. */
const amountOf = ({ isCredited, amountCents, currency }: OwnEvent): string =>
  isCredited && amountCents !== null && currency !== null ? formatMoney(amountCents, currency) : ''

const customerOf = ({ isCreditedToOther, customer }: OwnEvent): string =>
  isCreditedToOther ? '' : maskCustomer(customer)

/** What came of an event, in a few words. */
const outcomeOf = (event: OwnEvent): string => {
  const { isCredited, commission } = event
  const nothing = whyNothing(event)
  if (!isCredited) return `Didn’t count: ${nothing}`
  if (!commission) return nothing ? `Earned nothing: ${nothing}` : 'Earned nothing'
  const { amountCents, currency, reversedCents } = commission
  const earned = `Earned ${formatMoney(amountCents, currency)}`
  if (!reversedCents) return earned
  return `${earned}, ${reversedCents === amountCents ? 'all' : formatMoney(reversedCents, currency)} taken back`
}

const EventTable = ({ events, isOfMany }: { events: OwnEvent[]; isOfMany: boolean }) => (
  <Table
    caption="Sales and leads"
    head={['When', ...(isOfMany ? ['Program'] : []), 'What', { number: 'Amount' }, 'What came of it']}
  >
    {events.map((event) => (
      <tr>
        <td>
          <Day at={event.occurredAt} />
        </td>
        {isOfMany && <ProgramName name={event.program} />}
        <td>
          {NAME[event.kind]} {customerOf(event)}
        </td>
        <td class="number">{amountOf(event)}</td>
        <td class="words">
          {outcomeOf(event)}.{' '}
          <a href={`/portal/events/${event.id}`}>
            Why
            <span class="hidden">
              : {NAME[event.kind]} {customerOf(event)}
            </span>
          </a>
        </td>
      </tr>
    ))}
  </Table>
)

const Commission = ({ event, now }: { event: OwnEvent; now: Date }) => {
  if (!event.commission) return <p>It earned you no commission.</p>
  const { amountCents, currency, reversedCents, payoutId, payableAt, paidAt } = event.commission
  const standing = {
    payableAt: new Date(payableAt),
    payoutId,
    paidAt: paidAt === null ? null : new Date(paidAt),
    isReversed: reversedCents === amountCents,
  }
  return (
    <>
      <p>
        {formatMoney(amountCents, currency)} <StandingStatus standing={standing} now={now} />{' '}
        <WhenPaid standing={standing} now={now} />.
      </p>
      {reversedCents > 0 && (
        <p>
          {standing.isReversed ? 'All of it' : `${formatMoney(reversedCents, currency)} of it`} was taken
          back.
          {paidAt && ' As you were paid already, it comes off another payout.'}
        </p>
      )}
    </>
  )
}

const EventPage = ({ event, now }: { event: OwnEvent; now: Date }) => {
  const amount = amountOf(event)
  const customer = customerOf(event)
  const told = explainToPartner(event)
  return (
    <>
      <p>
        <a href="/portal/events">All sales and leads</a>
      </p>
      <h1>
        {NAME[event.kind]}
        {customer && ` of ${customer}`}
      </h1>
      <dl class="facts">
        <dt>When</dt>
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
      <h2>{event.isCredited ? 'Why it counted' : 'Why it didn’t count'}</h2>
      <ol class="steps">
        {told.map((sentence) => (
          <li>{sentence}</li>
        ))}
        {told.length === 0 && <li>Nothing tied this {event.kind} to you.</li>}
      </ol>
      <h2>Your commission</h2>
      <Commission event={event} now={now} />
    </>
  )
}

/** GET /portal/events and /portal/events/:id: a partner's sales and leads, and why each counted or not. */
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
          What came of the visitors that you sent, also where it didn’t count. Customers are shown masked: who
          they are is between them and the merchant.
        </p>
      ),
      empty: 'No sale and no lead was reported of a visitor of yours yet.',
      children: <EventTable events={list.data} isOfMany={list.isOfMany} />,
    })
  })
  .get('/portal/events/:id', async (c) => {
    const { db, now, user } = c.var
    const id = PortalEventId.safeParse(c.req.param('id'))
    const event = id.success ? await findOwnEvent(db, user.email, id.data) : undefined
    if (!event) throw new ApiError('not_found', 'There is no such sale or lead among yours.')
    const children = <EventPage event={event} now={now} />
    return renderPortal(c, { title: NAME[event.kind], at: '/portal/events', children })
  })
