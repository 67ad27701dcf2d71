/** Tables of events, commissions and customers, as several pages show them. */

import type { CustomerRow } from '../customers/customers.queries.ts'
import { formatMoney } from '../money.ts'
import type { CommissionRow } from '../tracking/commissions.queries.ts'
import { commissionStatus } from '../tracking/commissions.ts'
import type { EventRow } from '../tracking/events.queries.ts'
import { explain, type Step } from '../tracking/steps.ts'
import { Table, Time } from './parts.tsx'

/** A status badge. */
export const Status = ({ status }: { status: string }) => (
  <span class="status" data-status={status}>
    {status}
  </span>
)

/** A partner's name or slug, linked to its page. @param base the workspace's path */
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

/** The heading of the partner column, which a partner's own page omits. */
const partnerHead = (ofOne: boolean | undefined): string[] => (ofOne ? [] : ['Partner'])

/** The steps of an event's decision. */
export const Steps = ({ steps }: { steps: Step[] }) => (
  <ol class="steps">
    {steps.map((step) => (
      <li>{explain(step)}</li>
    ))}
  </ol>
)

/** The result of an event, such as "Earned 9.80 USD". */
const outcome = (event: EventRow): string => {
  if (event.partner_id === null) return 'Not credited'
  const { commission_amount_cents: cents, commission_currency: currency, reversed_cents: reversed } = event
  if (cents === null || currency === null) return 'No commission'
  const earned = `Earned ${formatMoney(cents, currency)}`
  if (!reversed) return earned
  return `${earned}, ${reversed === cents ? 'fully' : formatMoney(reversed, currency)} reversed`
}

/** A sale's amount. A lead has none. */
export const saleAmount = ({
  amount_cents,
  currency,
}: Pick<EventRow, 'amount_cents' | 'currency'>): string =>
  amount_cents === null || currency === null ? '' : formatMoney(amount_cents, currency)

/** The workspace's path, and whether all rows belong to one partner. */
type TableContext = { base: string; ofOne?: boolean }

export const EventTable = ({ base, ofOne, events }: TableContext & { events: EventRow[] }) => (
  <Table
    caption="Events"
    head={['Date', 'Event', { number: 'Amount' }, 'Customer', ...partnerHead(ofOne), 'Result']}
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

/** A commission's type. A positive reversal undoes an earlier one, as when a dispute is won. */
const typeOf = ({ kind, amount_cents }: CommissionRow): string =>
  kind === 'reversal' && amount_cents > 0 ? 'Reinstatement' : COMMISSION_KINDS[kind]

/** The types of commissions. */
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
}: TableContext & { commissions: CommissionRow[]; now: Date }) => (
  <Table
    caption="Commissions"
    head={[
      'Created',
      ...partnerHead(ofOne),
      'Type',
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
            <a href={`${base}/events/${commission.event_id}`}>{typeOf(commission)}</a>
          ) : (
            typeOf(commission)
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

export const CustomerTable = ({ base, ofOne, customers }: TableContext & { customers: CustomerRow[] }) => (
  <Table
    caption="Customers"
    head={['Customer', 'Email address', 'Name', ...partnerHead(ofOne), 'Imported', 'Rewarded since']}
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
