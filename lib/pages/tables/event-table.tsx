import * as m from '../../languages/messages.ts'
import { type Step, shownSteps } from '../../rules/steps/steps.ts'
import type { EventRow } from '../../tracking/events/events.queries.ts'
import { explain } from '../../tracking/events/explain.ts'
import { t } from '../layout/text.ts'
import { money } from '../parts/money.tsx'
import { PartnerOf, partnerHead, type TableContext } from './ledger.tsx'
import { type Sorting, sortable, Table, TimeCell } from './table.tsx'

/** The link to the setting that decided a step. */
const SettingLink = ({ program, name }: { program: string; name: string }) => (
  <>
    {' '}
    <a href={`${program}#${name}`}>{t(m.commissions_change_setting)}</a>
  </>
)

/** The steps of an event's decision. @param base the workspace's path */
export const Steps = ({ base, steps }: { base: string; steps: Step[] }) => (
  <ol class="steps">
    {steps.map((step) => (
      <li>
        {explain(step, money)}
        {step.code === 'known_customer_not_credited' && (
          <SettingLink
            program={`${base}/programs/${step.facts.programId}`}
            name="attributeKnownCustomers"
          />
        )}
        {step.code === 'code_not_trusted' && (
          <SettingLink
            program={`${base}/programs/${step.facts.programId}`}
            name="trustedAttribution"
          />
        )}
      </li>
    ))}
  </ol>
)

/** The result of an event, such as "Earned 9.80 USD". */
const outcome = (event: EventRow): string => {
  if (event.kind === 'refund') {
    if (event.saleId === null) return t(m.commissions_waiting_for_sale)
    return event.amountCents ? t(m.commissions_refunded) : t(m.commissions_does_not_count)
  }
  if (event.partnerId === null) return t(m.not_credited)
  const {
    commissionAmountCents: cents,
    commissionCurrency: currency,
    reversedCents: reversed,
  } = event
  if (cents === null || currency === null) return t(m.commissions_no_commission)
  const earned = money(cents, currency)
  if (!reversed) return t(m.commissions_earned, { earned })
  return reversed === cents
    ? t(m.commissions_earned_reversed, { earned })
    : t(m.commissions_earned_part_reversed, { earned, reversed: money(reversed, currency) })
}

/** A lead has no amount. */
export const saleAmount = ({
  amountCents,
  currency,
}: Pick<EventRow, 'amountCents' | 'currency'>): string =>
  amountCents === null || currency === null ? '' : money(amountCents, currency)

/** @param byTime sorts by the date */
export const EventTable = ({
  base,
  ofOne,
  events,
  byTime,
}: TableContext & { events: EventRow[]; byTime?: Sorting }) => (
  <Table
    caption={t(m.commissions_events)}
    head={[
      sortable(t(m.date_column), byTime),
      t(m.event_column),
      { number: t(m.amount_column) },
      t(m.layout_customer),
      ...partnerHead(ofOne),
      t(m.result_column),
    ]}
  >
    {events.map((event) => (
      <tr>
        <TimeCell at={event.occurredAt} />
        <td>
          {event.kind}{' '}
          <a href={`${base}/events/${event.id}`} data-panel>
            {event.externalId}
          </a>
        </td>
        <td class="number">{saleAmount(event)}</td>
        <td>{event.customerEmail ?? event.customerExternalId}</td>
        {!ofOne && (
          <td>
            <PartnerOf base={base} row={event} />
          </td>
        )}
        <td>
          <details>
            <summary>{outcome(event)}</summary>
            <Steps base={base} steps={shownSteps(event)} />
          </details>
        </td>
      </tr>
    ))}
  </Table>
)
