/** Tables of events, commissions and customers, as several pages show them. */

import type { CustomerRow } from '../customers/customers.queries.ts'
import * as m from '../languages/messages.ts'
import { COMMISSION_KIND_NAMES } from '../languages/names.ts'
import type { CommissionRow } from '../tracking/commissions.queries.ts'
import { commissionStatus, isOfShadowMode } from '../tracking/commissions.ts'
import type { EventRow } from '../tracking/events.queries.ts'
import { explain, type Step, shownSteps } from '../tracking/steps.ts'
import { ChoiceCell } from './choice.tsx'
import { money } from './money.tsx'
import { type Sorting, sortable, Table, Time } from './parts.tsx'
import { type Shown, shown, t } from './text.ts'

/** A status badge. @param label the text, by default the status itself */
export const Status = ({ status, label = status }: { status: string; label?: Shown | undefined }) => (
  <span class="status" data-status={status}>
    {shown(label)}
  </span>
)

/** A partner's name or slug, linked to its page. @param base the workspace's path */
export const PartnerName = ({
  base,
  id,
  name,
  slug,
  isTest = false,
}: {
  base: string
  id: string
  name: string | null
  slug: string
  /** Whether it is there to try the program, and never paid. */
  isTest?: boolean | null
}) => (
  <>
    <a href={`${base}/partners/${id}`}>{name ?? slug}</a>
    {isTest && <span class="status">{t(m.layout_test_mode)}</span>}
  </>
)

/** The heading of the partner column, which a partner's own page omits. */
const partnerHead = (ofOne: boolean | undefined): string[] => (ofOne ? [] : [t(m.partner)])

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
          <SettingLink program={`${base}/programs/${step.facts.programId}`} name="attributeKnownCustomers" />
        )}
        {step.code === 'code_not_trusted' && (
          <SettingLink program={`${base}/programs/${step.facts.programId}`} name="trustedAttribution" />
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
  const { commissionAmountCents: cents, commissionCurrency: currency, reversedCents: reversed } = event
  if (cents === null || currency === null) return t(m.commissions_no_commission)
  const earned = money(cents, currency)
  if (!reversed) return t(m.commissions_earned, { earned })
  return reversed === cents
    ? t(m.commissions_earned_reversed, { earned })
    : t(m.commissions_earned_part_reversed, { earned, reversed: money(reversed, currency) })
}

/** A sale's amount. A lead has none. */
export const saleAmount = ({ amountCents, currency }: Pick<EventRow, 'amountCents' | 'currency'>): string =>
  amountCents === null || currency === null ? '' : money(amountCents, currency)

/** The workspace's path, and whether all rows belong to one partner. */
type TableContext = { base: string; ofOne?: boolean }

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
        <td>
          <Time at={event.occurredAt} />
        </td>
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
            {event.partnerId && event.partnerSlug && (
              <PartnerName
                base={base}
                id={event.partnerId}
                name={event.partnerName}
                slug={event.partnerSlug}
                isTest={event.partnerIsTest}
              />
            )}
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

/** A commission's type. A positive reversal undoes an earlier one, as when a dispute is won, unless it reverses a deduction. */
export const typeOf = ({ kind, amountCents, reversesDeduction }: CommissionRow): string => {
  if (kind !== 'reversal') return t(COMMISSION_KIND_NAMES[kind])
  if (reversesDeduction) return t(m.commissions_reversed_deduction)
  return amountCents > 0 ? t(m.commissions_reinstatement) : t(COMMISSION_KIND_NAMES.reversal)
}

/** @param formId the form in which rows are chosen, if there is one */
export const CommissionTable = ({
  base,
  ofOne,
  commissions,
  now,
  formId,
  sorting = {},
}: TableContext & {
  commissions: CommissionRow[]
  now: Date
  formId?: string | undefined
  /** Of the columns that the list can be sorted by. */
  sorting?: { created?: Sorting; status?: Sorting; payableFrom?: Sorting }
}) => (
  <Table
    caption={t(m.nav_commissions)}
    head={[
      ...(formId ? [t(m.commissions_choose_column)] : []),
      sortable(t(m.created_column), sorting.created),
      ...partnerHead(ofOne),
      t(m.type_column),
      t(m.layout_customer),
      { number: t(m.amount_column) },
      sortable(t(m.status), sorting.status),
      sortable(t(m.commissions_payable_from), sorting.payableFrom),
    ]}
  >
    {commissions.map((commission) => (
      <tr>
        {formId && (
          <ChoiceCell
            formId={formId}
            id={commission.id}
            what={t(m.commissions_amount_of_partner, {
              amount: money(commission.amountCents, commission.currency),
              partnerSlug: commission.partnerSlug,
            })}
          />
        )}
        <td>
          <Time at={commission.createdAt} />
        </td>
        {!ofOne && (
          <td>
            <PartnerName
              base={base}
              id={commission.partnerId}
              name={commission.partnerName}
              slug={commission.partnerSlug}
              isTest={commission.partnerIsTest}
            />
          </td>
        )}
        <td>
          {commission.eventId ? (
            <a href={`${base}/events/${commission.eventId}`} data-panel>
              {typeOf(commission)}
            </a>
          ) : (
            typeOf(commission)
          )}
        </td>
        <td>{commission.customerExternalId}</td>
        <td class="number">
          <a href={`${base}/commissions/${commission.id}`} data-panel>
            {money(commission.amountCents, commission.currency)}
          </a>
        </td>
        <td>
          <Status status={commissionStatus(commission, now)} />
        </td>
        <td>{isOfShadowMode(commission) ? t(m.layout_never) : <Time at={commission.payableAt} />}</td>
      </tr>
    ))}
  </Table>
)

/** The partner whose customer it is, if there is one. */
export const OwnerName = ({ base, customer }: { base: string; customer: CustomerRow }) => {
  const { partnerId: id, partnerName: name, partnerSlug: slug } = customer
  return id && slug ? <PartnerName base={base} id={id} name={name} slug={slug} /> : t(m.layout_none)
}

/** @param byTime sorts by when they were first credited, which then has a column */
export const CustomerTable = ({
  base,
  ofOne,
  customers,
  byTime,
}: TableContext & { customers: CustomerRow[]; byTime?: Sorting }) => (
  <Table
    caption={t(m.layout_customers)}
    head={[
      t(m.layout_customer),
      t(m.email_address),
      t(m.layout_name),
      ...partnerHead(ofOne),
      ...(byTime ? [{ text: t(m.commissions_since), sort: byTime }] : []),
      t(m.commissions_imported),
      t(m.layout_rewarded_since),
    ]}
  >
    {customers.map((customer) => (
      <tr>
        <td>
          <a href={`${base}/customers/${customer.id}`}>{customer.externalId}</a>
        </td>
        <td>{customer.email}</td>
        <td>{customer.name}</td>
        {!ofOne && (
          <td>
            <OwnerName base={base} customer={customer} />
          </td>
        )}
        {byTime && (
          <td>
            <Time at={customer.createdAt} />
          </td>
        )}
        <td>{customer.importedAt && <Time at={customer.importedAt} />}</td>
        <td>{customer.startedAt && <Time at={customer.startedAt} />}</td>
      </tr>
    ))}
  </Table>
)
