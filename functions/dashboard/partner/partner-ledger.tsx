/** A partner's earnings, and the newest rows of each of its lists. */

import type { Child } from 'hono/jsx'
import * as m from '../../../lib/languages/messages.ts'
import { type PartnerPageData, ROWS_SHOWN } from '../../../lib/overview/partner-page.queries.ts'
import { LinkLine } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { CommissionTable } from '../../../lib/pages/tables/commission-table.tsx'
import { CustomerTable } from '../../../lib/pages/tables/customer-table.tsx'
import { EventTable } from '../../../lib/pages/tables/event-table.tsx'
import { PayoutTable } from '../../../lib/pages/tables/payout-table.tsx'
import { Table } from '../../../lib/pages/tables/table.tsx'

export const Earned = ({ earned }: { earned: PartnerPageData['earned'] }) => {
  const hasHeld = earned.some(({ heldCents }) => heldCents !== 0n)
  return (
    <section>
      <h2>{t(m.partners_earnings)}</h2>
      {earned.length === 0 ? (
        <p class="empty">{t(m.partners_no_earnings_yet)}</p>
      ) : (
        <Table
          caption={t(m.partners_earnings)}
          head={[
            t(m.layout_currency),
            ...(hasHeld ? [{ number: t(m.partners_held) }] : []),
            { number: t(m.balance_pending) },
            { number: t(m.balance_payable) },
            { number: t(m.balance_processing) },
            { number: t(m.balance_paid) },
          ]}
        >
          {earned.map(
            ({ currency, heldCents, pendingCents, payableCents, processingCents, paidCents }) => (
              <tr>
                <th scope="row">{currency}</th>
                {hasHeld && <td class="number">{money(heldCents, currency)}</td>}
                <td class="number">{money(pendingCents, currency)}</td>
                <td class="number">{money(payableCents, currency)}</td>
                <td class="number">{money(processingCents, currency)}</td>
                <td class="number">{money(paidCents, currency)}</td>
              </tr>
            ),
          )}
        </Table>
      )}
    </section>
  )
}

type NewestProps = {
  heading: string
  rows: unknown[]
  all: string
  none: string
  children: Child
}

/** The newest rows of a list, with a link to all of them. */
export const Newest = ({ heading, rows, all, none, children }: NewestProps) => (
  <section>
    <h2>{heading}</h2>
    {rows.length === 0 ? <p class="empty">{none}</p> : children}
    {rows.length > ROWS_SHOWN && (
      <LinkLine href={all}>{t(m.partners_view_all, { what: heading.toLowerCase() })}</LinkLine>
    )}
  </section>
)

export const Ledger = ({
  base,
  partner,
  payouts,
  commissions,
  events,
  customers,
  now,
}: PartnerPageData & { base: string; now: Date }) => (
  <>
    <Newest
      heading={t(m.nav_payouts)}
      rows={payouts}
      all={`${base}/payouts/all?partnerId=${partner.id}`}
      none={t(m.partners_no_payouts_yet)}
    >
      <PayoutTable base={base} of="partner" payouts={payouts.slice(0, ROWS_SHOWN)} />
    </Newest>
    <Newest
      heading={t(m.nav_commissions)}
      rows={commissions}
      all={`${base}/commissions?partnerId=${partner.id}`}
      none={t(m.partners_no_commissions_yet)}
    >
      <CommissionTable base={base} ofOne commissions={commissions.slice(0, ROWS_SHOWN)} now={now} />
    </Newest>
    <Newest
      heading={t(m.nav_events)}
      rows={events}
      all={`${base}/events?partnerId=${partner.id}`}
      none={t(m.partners_no_sales_leads)}
    >
      <EventTable base={base} ofOne events={events.slice(0, ROWS_SHOWN)} />
    </Newest>
    <Newest
      heading={t(m.layout_customers)}
      rows={customers}
      all={`${base}/customers?partnerId=${partner.id}`}
      none={t(m.partners_no_customers_yet)}
    >
      <CustomerTable base={base} ofOne customers={customers.slice(0, ROWS_SHOWN)} />
    </Newest>
  </>
)
