import type { CustomerRow } from '../../../lib/customers/customers.queries.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Done, Fact, Time } from '../../../lib/pages/layout/parts.tsx'
import { type Shown, t } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { Steps, saleAmount } from '../../../lib/pages/tables/event-table.tsx'
import { Identities } from '../../../lib/pages/tables/identities.tsx'
import { PartnerOf, Status } from '../../../lib/pages/tables/ledger.tsx'
import { commissionStatus, isOfShadowMode } from '../../../lib/rules/steps/commissions.ts'
import { KIND_NAMES } from '../../../lib/rules/steps/event-kinds.ts'
import { shownSteps } from '../../../lib/rules/steps/steps.ts'
import type { EventRow } from '../../../lib/tracking/events/events.queries.ts'
import { CreditForm } from './event-credit.tsx'
import { EventLines } from './event-lines.tsx'

const Commission = ({ base, event, now }: { base: string; event: EventRow; now: Date }) => {
  const { commissionAmountCents: cents, commissionCurrency: currency, payableAt } = event
  const reversed = event.reversedCents ?? 0n
  if (cents === null || currency === null || payableAt === null)
    return <p>{t(m.no_commission_heading)}</p>
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

const Refund = ({
  base,
  event,
  refundedCents,
}: Pick<EventPageProps, 'base' | 'event' | 'refundedCents'>) => {
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
  mayChange: boolean
  /** The refunded amount of a sale. */
  refundedCents: bigint
  /** Whether other reports have the event's ID. */
  isMismatched: boolean
  now: Date
  done: Shown | undefined
}

/** An event with its decision, its commission, and what a manager may do. */
export const EventPage = ({
  base,
  event,
  customer,
  mayChange,
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
      <Fact name={m.date_column}>
        <Time at={event.occurredAt} />
      </Fact>
      <Fact name={m.layout_name}>{event.eventName}</Fact>
      <Fact name={m.layout_external_id}>{event.externalId}</Fact>
      {event.saleExternalId !== null && (
        <Fact name={m.kind_sale}>
          {event.saleId ? (
            <a href={`${base}/events/${event.saleId}`}>{event.saleExternalId}</a>
          ) : (
            event.saleExternalId
          )}
        </Fact>
      )}
      {event.amountCents !== null && <Fact name={m.amount_column}>{saleAmount(event)}</Fact>}
      {refundedCents > 0n && (
        <Fact name={m.events_refunded}>{money(refundedCents, event.currency ?? '')}</Fact>
      )}
      <Fact name={m.layout_customer}>
        {[event.customerExternalId, event.customerEmail, event.customerName]
          .filter(Boolean)
          .join(', ')}
      </Fact>
      {event.country !== null && <Fact name={m.events_country}>{event.country}</Fact>}
      <Fact name={m.partner}>
        <PartnerOf base={base} row={event} none={t(m.layout_none)} />
      </Fact>
    </dl>
    <EventLines event={event} />
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
    {mayChange && (
      <section class="card">
        <h2>{t(m.events_credit_heading)}</h2>
        <CreditForm action={`${base}/events/${event.id}/credit`} />
      </section>
    )}
    {mayChange && event.kind === 'sale' && (
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
