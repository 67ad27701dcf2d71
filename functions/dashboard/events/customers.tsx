import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import {
  type CustomerRow,
  findCustomer,
  listCustomers,
} from '../../../lib/customers/customers.queries.ts'
import { CustomerQuery } from '../../../lib/customers/customers.schemas.ts'
import type { PriorCommissions } from '../../../lib/customers/prior-earnings.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Fact, LinkLine, Time } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { CustomerTable } from '../../../lib/pages/tables/customer-table.tsx'
import { FilteredRows, readList } from '../../../lib/pages/tables/filtered-list.tsx'
import { partnerChip } from '../../../lib/pages/tables/filters.tsx'
import { Identities } from '../../../lib/pages/tables/identities.tsx'
import { PartnerOf } from '../../../lib/pages/tables/ledger.tsx'
import { sortingByTime } from '../../../lib/pages/tables/sorting.ts'

/** The commissions on another platform, such as "12 commissions of $96.00". */
const priorWords = ({ commissions, amountCents, currency }: PriorCommissions): string => {
  const amount = amountCents === null ? '' : money(amountCents, currency)
  if (commissions === null) return amount
  return amount
    ? t(m.customers_prior_commissions, { count: commissions, amount })
    : t(m.prior_commissions, { count: commissions })
}

type CustomerPageProps = { base: string; customer: CustomerRow; mayExport: boolean }

const CustomerPage = ({ base, customer, mayExport }: CustomerPageProps) => (
  <>
    <h1>{t(m.customers_title, { externalId: customer.externalId })}</h1>
    <dl class="facts">
      <Fact name={m.partner}>
        <PartnerOf base={base} row={customer} none={t(m.layout_none)} />
      </Fact>
      <Fact name={m.email_address}>{customer.email ?? t(m.customers_unknown)}</Fact>
      <Fact name={m.layout_name}>{customer.name ?? t(m.customers_unknown)}</Fact>
      <Fact name={m.customers_imported}>
        {customer.importedAt ? <Time at={customer.importedAt} /> : t(m.customers_not_imported)}
      </Fact>
      {customer.startedAt && (
        <Fact name={m.layout_rewarded_since}>
          <Time at={customer.startedAt} />
        </Fact>
      )}
      {customer.prior && (
        <Fact name={m.customers_paid_before_move}>
          {customer.prior.partnerId === customer.partnerId
            ? priorWords(customer.prior)
            : t(m.customers_prior_to_another, { prior: priorWords(customer.prior) })}
        </Fact>
      )}
    </dl>
    <h2>{t(m.customers_identities)}</h2>
    <p>{t(m.customers_identities_intro)}</p>
    <Identities identities={customer.identities} />
    <LinkLine
      href={`${base}/commissions?customerExternalId=${encodeURIComponent(customer.externalId)}`}
    >
      {t(m.customers_view_commissions)}
    </LinkLine>
    {mayExport && (
      <LinkLine href={`${base}/customers/${customer.id}/personal-data`}>
        {t(m.layout_personal_data)}
      </LinkLine>
    )}
  </>
)

/** /app/:workspace/customers and /customers/:id: customers, their ids and their partners. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/customers/:id', async (c) => {
    const t = textsOf(c)
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const id = c.req.param('id')
    const customer = await found('customer', id, (known) => findCustomer(db, workspace.id, known))
    // The customer was merged into another.
    if (customer.id !== id.toLowerCase()) return c.redirect(`${base}/customers/${customer.id}`)
    const children = (
      <CustomerPage
        base={base}
        customer={customer}
        mayExport={mayOpen(workspace, 'POST /customers/:id/personal-data')}
      />
    )
    return renderSection(
      c,
      '/customers',
      t(m.customers_title, { externalId: customer.externalId }),
      children,
    )
  })
  .get('/app/:workspace/customers', async (c) => {
    const t = textsOf(c)
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const list = await readList(c, CustomerQuery, (request) =>
      listCustomers(db, workspace.id, request),
    )
    const { data: customers, fields, request } = list
    const children = (
      <>
        <h1>{t(m.layout_customers)}</h1>
        <p>{t(m.customers_intro)}</p>
        <FilteredRows
          {...{ workspace, list }}
          name="customers"
          what={m.layout_items_customers}
          url={c.req.url}
          filters={[
            { name: 'externalId', label: m.layout_external_id, maxlength: 255 },
            { name: 'email', label: m.email_address, maxlength: 320 },
          ]}
          linked={{ partnerId: partnerChip(customers[0], t), order: t(m.layout_oldest_first) }}
          none={t(m.customers_none_yet)}
        >
          <CustomerTable
            {...{ base, customers }}
            byTime={sortingByTime(`${base}/customers`, fields, request?.order ?? 'desc')}
          />
        </FilteredRows>
      </>
    )
    return renderSection(c, '/customers', m.layout_customers, children, list.errors ? 400 : 200)
  })
