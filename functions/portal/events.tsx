import type { SessionEnv } from '../../lib/auth/session.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import type { Message } from '../../lib/languages/message.ts'
import * as m from '../../lib/languages/messages.ts'
import { EVENT_KIND_NAMES } from '../../lib/languages/names.ts'
import { Support } from '../../lib/pages/layout/brand.tsx'
import { Fact, LinkLine } from '../../lib/pages/layout/parts.tsx'
import { Day, ProgramName, renderPortal } from '../../lib/pages/layout/portal.tsx'
import { t, textsOf } from '../../lib/pages/layout/text.ts'
import { money } from '../../lib/pages/parts/money.tsx'
import { hidden } from '../../lib/pages/parts/tags.tsx'
import { Table } from '../../lib/pages/tables/table.tsx'
import { findOwnEvent, type OwnEvent, readOwnEvents } from '../../lib/portal/events.queries.ts'
import { explainToPartner, reasonWithoutCommission } from '../../lib/portal/partner-steps.ts'
import { PortalEventId, PortalQuery } from '../../lib/portal/portal.schemas.ts'
import type { EventKind } from '../../lib/rules/steps/event-kinds.ts'
import { maskCustomer } from '../../lib/values/mask-customer.ts'
import { CommissionStatus, PaymentDate } from './commission-status.tsx'
import { readList, renderList } from './list.tsx'

/** A sale's amount. Only the credited partner sees it. */
const amountOf = ({ isCredited, amountCents, currency }: OwnEvent): string =>
  isCredited && amountCents !== null && currency !== null ? money(amountCents, currency) : ''

const customerOf = ({ isCreditedToOther, customer }: OwnEvent): string =>
  isCreditedToOther ? '' : maskCustomer(customer)

const HEADINGS: Record<EventKind, Message<{ customer: string }>> = {
  sale: m.sale_of,
  lead: m.lead_of,
  refund: m.refund_of,
}

/** An event with its customer, whom only the credited partner sees. */
const headingOf = (event: OwnEvent): string => {
  const customer = customerOf(event)
  return customer ? t(HEADINGS[event.kind], { customer }) : t(EVENT_KIND_NAMES[event.kind])
}

/** The result of an event, such as "Earned 9.80 USD." */
const outcomeOf = (event: OwnEvent): string => {
  const { isCredited, commission } = event
  const reason = reasonWithoutCommission(event, t) ?? ''
  if (event.kind === 'refund') return t(m.refund_received)
  if (!isCredited) return t(m.reason_not_credited, { reason })
  if (event.isOfShadow) return t(m.outcome_paid_elsewhere)
  if (!commission)
    return reason ? t(m.reason_no_commission, { reason }) : t(m.outcome_no_commission)
  const { amountCents, currency, reversedCents } = commission
  const amount = money(amountCents, currency)
  if (!reversedCents) return t(m.outcome_earned, { amount })
  if (reversedCents === amountCents) return t(m.outcome_fully_reversed, { amount })
  return t(m.outcome_partly_reversed, { amount, reversed: money(reversedCents, currency) })
}

type EventTableProps = { events: OwnEvent[]; hasManyPrograms: boolean }

const EventTable = ({ events, hasManyPrograms }: EventTableProps) => (
  <Table
    caption={t(m.nav_events)}
    head={[
      t(m.date_column),
      ...(hasManyPrograms ? [t(m.program)] : []),
      t(m.event_column),
      { number: t(m.amount_column) },
      t(m.result_column),
    ]}
  >
    {events.map((event) => (
      <tr>
        <td>
          <Day at={event.occurredAt} />
        </td>
        {hasManyPrograms && <ProgramName name={event.program} />}
        <td>
          {t(EVENT_KIND_NAMES[event.kind])} {customerOf(event)}
        </td>
        <td class="number">{amountOf(event)}</td>
        <td class="words">
          {outcomeOf(event)}{' '}
          <a href={`/portal/events/${event.id}`}>
            {t(m.event_details, { event: headingOf(event), hidden })}
          </a>
        </td>
      </tr>
    ))}
  </Table>
)

const Commission = ({ event, now }: { event: OwnEvent; now: Date }) => {
  if (event.isOfShadow) return <p>{t(m.paid_elsewhere)}</p>
  if (!event.commission) return <p>{t(m.no_commission_heading)}</p>
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
          {t(paidAt ? m.commission_part_reversed_deducted : m.commission_part_reversed, {
            amount: money(reversedCents, currency),
          })}
        </p>
      )}
    </>
  )
}

const NOT_LINKED: Record<EventKind, Message> = {
  sale: m.not_linked_sale,
  lead: m.not_linked_lead,
  refund: m.not_linked_refund,
}

const EventPage = ({ event, now }: { event: OwnEvent; now: Date }) => {
  const amount = amountOf(event)
  const sentences = explainToPartner(event, money, t)
  return (
    <>
      <LinkLine href="/portal/events">{t(m.all_events)}</LinkLine>
      <h1>{headingOf(event)}</h1>
      <dl class="facts">
        <Fact name={m.date_column}>
          <Day at={event.occurredAt} />
        </Fact>
        <Fact name={m.program}>
          <bdi>{event.program}</bdi>
        </Fact>
        {amount && <Fact name={m.amount_column}>{amount}</Fact>}
      </dl>
      <h2>{t(event.isCredited ? m.credited : m.not_credited)}</h2>
      <ol class="steps">
        {sentences.map((sentence) => (
          <li>{sentence}</li>
        ))}
        {sentences.length === 0 && <li>{t(NOT_LINKED[event.kind])}</li>}
      </ol>
      {event.kind !== 'refund' && (
        <>
          <h2>{t(m.commission)}</h2>
          <Commission event={event} now={now} />
        </>
      )}
      <Support supportEmail={event.supportEmail} />
    </>
  )
}

/**
 * GET /portal/events and /portal/events/:id: a partner's leads and sales, and how each was
 * attributed.
 */
export default createRoutes<SessionEnv>()
  .get('/portal/events', async (c) => {
    const { db, user } = c.var
    const list = await readList(c, PortalQuery, (filter) => readOwnEvents(db, user.email, filter))
    return renderList(c, {
      title: textsOf(c)(m.nav_events),
      at: '/portal/events',
      list,
      intro: <p>{textsOf(c)(m.events_intro)}</p>,
      empty: textsOf(c)(m.no_events),
      children: <EventTable events={list.data} hasManyPrograms={list.hasManyPrograms} />,
    })
  })
  .get('/portal/events/:id', async (c) => {
    const { db, now, user } = c.var
    const id = PortalEventId.safeParse(c.req.param('id'))
    const event = id.success ? await findOwnEvent(db, user.email, id.data) : undefined
    if (!event) throw new ApiError('not_found', 'This sale or lead does not exist.')
    const children = <EventPage event={event} now={now} />
    return renderPortal(c, { title: EVENT_KIND_NAMES[event.kind], at: '/portal/events', children })
  })
