import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Listed } from '../../../lib/http/lists.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { hidden } from '../../../lib/pages/parts/tags.tsx'
import { ANY, Empty, Filters } from '../../../lib/pages/tables/filters.tsx'
import { Status } from '../../../lib/pages/tables/ledger.tsx'
import { NextPage, Table, TimeCell } from '../../../lib/pages/tables/table.tsx'
import { STRIPE_EVENTS } from '../../../lib/purchases/stripe/objects/event-types.ts'
import { explainOutcome } from '../../../lib/rules/purchases/outcomes.ts'
import type { ProcessorEventRow } from '../../../lib/tracking/events/processor-events.queries.ts'

const TYPES = [ANY, ...STRIPE_EVENTS.map((type) => ({ value: type, label: type }))]

export type EventsProps = {
  base: string
  events: Listed<ProcessorEventRow>
  url: string
  filters: Fields
  filterErrors?: ErrorDetail[] | undefined
}

/** The received events and their results. */
export const RecentEvents = ({ base, events, url, filters, filterErrors }: EventsProps) => {
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <h2 id="received">{t(m.stripe_recent_events)}</h2>
      {(isFiltered || events.data.length > 0) && (
        <Filters
          what={m.layout_items_events}
          path={`${base}/stripe`}
          fields={filters}
          errors={filterErrors}
          filters={[
            { name: 'type', label: t(m.event_column), options: TYPES },
            { name: 'externalId', label: t(m.stripe_sale_external_id), maxlength: 255 },
          ]}
          linked={{ unreadable: t(m.stripe_unreadable) }}
        />
      )}
      {events.data.length > 0 ? (
        <Table
          caption={t(m.stripe_events_from_stripe)}
          head={[t(m.stripe_received), t(m.event_column), t(m.result_column), t(m.details_column)]}
        >
          {events.data.map((event) => (
            <EventLine base={base} event={event} />
          ))}
        </Table>
      ) : (
        <Empty what={m.layout_items_events} isFiltered={isFiltered}>
          {t(m.stripe_no_events_received)}
        </Empty>
      )}
      <NextPage url={url} cursor={events.nextCursor} />
    </>
  )
}

const EventLine = ({ base, event }: { base: string; event: ProcessorEventRow }) => (
  <tr>
    <TimeCell at={event.receivedAt} />
    <td>
      {event.type} {!event.livemode && <Status status="test" label={t(m.stripe_test)} />}
      <br />
      <code class="hint">{event.processorEventId}</code>
    </td>
    <td class="words">{explainOutcome(event.outcome, money)}</td>
    <td>
      {event.eventId && (
        <a href={`${base}/events/${event.eventId}`}>
          {t(m.stripe_sale_of, { processorEventId: event.processorEventId, hidden })}
        </a>
      )}
    </td>
  </tr>
)
