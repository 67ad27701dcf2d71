/** What partners are made of on several pages: their status, their events, their commissions, their customers. */

import type { CustomerRow } from '../customers/customers.queries.ts'
import { formatMoney } from '../money.ts'
import type { CommissionRow } from '../tracking/commissions.queries.ts'
import { commissionStatus } from '../tracking/commissions.ts'
import type { EventRow } from '../tracking/events.queries.ts'
import { explain, type Step } from '../tracking/steps.ts'
import { Table, Time } from './parts.tsx'

/** A state, as a word in its colour. */
export const Status = ({ status }: { status: string }) => (
  <span class="status" data-status={status}>
    {status}
  </span>
)

/** A partner, by name where it has one, as a link to its page. @param base the workspace's path */
export const PartnerName = ({
  base,
  id,
  name,
  slug,
}: {
  base: string
  id: string
  name: string | null
  slug: string
}) => <a href={`${base}/partners/${id}`}>{name ?? slug}</a>

/** The heading of the partner's column, which a partner's own page leaves out. */
const partnerHead = (ofOne: boolean | undefined): string[] => (ofOne ? [] : ['Partner'])

/** Why an event counted or not, step by step. */
export const Steps = ({ steps }: { steps: Step[] }) => (
  <ol class="steps">
    {steps.map((step) => (
      <li>{explain(step)}</li>
    ))}
  </ol>
)

/** What came of an event, in a few words. */
const outcome = (event: EventRow): string => {
  if (event.partner_id === null) return 'Not credited'
  const { commission_amount_cents: cents, commission_currency: currency, reversed_cents: reversed } = event
  if (cents === null || currency === null) return 'No commission'
  const earned = `Earned ${formatMoney(cents, currency)}`
  if (!reversed) return earned
  return `${earned}, ${reversed === cents ? 'all' : formatMoney(reversed, currency)} taken back`
}

/** A sale's amount. A lead has none. */
export const saleAmount = ({
  amount_cents,
  currency,
}: Pick<EventRow, 'amount_cents' | 'currency'>): string =>
  amount_cents === null || currency === null ? '' : formatMoney(amount_cents, currency)

/** Where a table stands: below which workspace's path, and whether all of it is of one partner. */
type Place = { base: string; ofOne?: boolean }

export const EventTable = ({ base, ofOne, events }: Place & { events: EventRow[] }) => (
  <Table
    caption="Events"
    head={['When', 'Event', { number: 'Amount' }, 'Customer', ...partnerHead(ofOne), 'What came of it']}
  >
    {events.map((event) => (
      <tr>
        <td>
          <Time at={event.occurred_at} />
        </td>
        <td>
          {event.kind} <a href={`${base}/events/${event.id}`}>{event.external_id}</a>
        </td>
        <td class="number">{saleAmount(event)}</td>
        <td>{event.customer_email ?? event.customer_external_id}</td>
        {!ofOne && (
          <td>
            {event.partner_id && event.partner_slug && (
              <PartnerName
                base={base}
                id={event.partner_id}
                name={event.partner_name}
                slug={event.partner_slug}
              />
            )}
          </td>
        )}
        <td>
          <details>
            <summary>{outcome(event)}</summary>
            <Steps steps={event.steps} />
          </details>
        </td>
      </tr>
    ))}
  </Table>
)

/** What a commission is for. A reversal may also undo another one, as when a dispute is won. */
const purpose = ({ kind, amount_cents }: CommissionRow): string =>
  kind === 'reversal' && amount_cents > 0 ? 'Given again' : COMMISSION_KINDS[kind]

/** What commissions are for, as people call it. */
export const COMMISSION_KINDS = {
  sale: 'Sale',
  lead: 'Lead',
  opening_balance: 'Opening balance',
  reversal: 'Reversal',
} as const

export const CommissionTable = ({
  base,
  ofOne,
  commissions,
  now,
}: Place & { commissions: CommissionRow[]; now: Date }) => (
  <Table
    caption="Commissions"
    head={[
      'Earned',
      ...partnerHead(ofOne),
      'For',
      'Customer',
      { number: 'Amount' },
      'Status',
      'Payable from',
    ]}
  >
    {commissions.map((commission) => (
      <tr>
        <td>
          <Time at={commission.created_at} />
        </td>
        {!ofOne && (
          <td>
            <PartnerName
              base={base}
              id={commission.partner_id}
              name={commission.partner_name}
              slug={commission.partner_slug}
            />
          </td>
        )}
        <td>
          {commission.event_id ? (
            <a href={`${base}/events/${commission.event_id}`}>{purpose(commission)}</a>
          ) : (
            purpose(commission)
          )}
        </td>
        <td>{commission.customer_external_id}</td>
        <td class="number">{formatMoney(commission.amount_cents, commission.currency)}</td>
        <td>
          <Status
            status={commissionStatus(
              {
                payableAt: commission.payable_at,
                payoutId: commission.payout_id,
                paidAt: commission.paid_at,
              },
              now,
            )}
          />
        </td>
        <td>
          <Time at={commission.payable_at} />
        </td>
      </tr>
    ))}
  </Table>
)

export const CustomerTable = ({ base, ofOne, customers }: Place & { customers: CustomerRow[] }) => (
  <Table
    caption="Customers"
    head={['Customer', 'E-mail address', 'Name', ...partnerHead(ofOne), 'Imported', 'Rewarded since']}
  >
    {customers.map((customer) => (
      <tr>
        <td>
          <a href={`${base}/commissions?customerExternalId=${encodeURIComponent(customer.externalId)}`}>
            {customer.externalId}
          </a>
        </td>
        <td>{customer.email}</td>
        <td>{customer.name}</td>
        {!ofOne && (
          <td>
            <PartnerName
              base={base}
              id={customer.partnerId}
              name={customer.partnerName}
              slug={customer.partnerSlug}
            />
          </td>
        )}
        <td>{customer.importedAt && <Time at={customer.importedAt} />}</td>
        <td>{customer.startedAt && <Time at={customer.startedAt} />}</td>
      </tr>
    ))}
  </Table>
)
