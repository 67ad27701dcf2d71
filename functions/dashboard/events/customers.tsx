import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import {
  type CustomerRow,
  findCustomer,
  listCustomers,
} from '../../../lib/customers/customers.queries.ts'
import { CustomerQuery } from '../../../lib/customers/customers.schemas.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { page } from '../../../lib/http/lists.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Time } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { CustomerTable } from '../../../lib/pages/tables/customer-table.tsx'
import {
  areFilters,
  Empty,
  Filters,
  ListEnd,
  partnerChip,
  readFilters,
} from '../../../lib/pages/tables/filters.tsx'
import { Identities } from '../../../lib/pages/tables/identities.tsx'
import { PartnerOf } from '../../../lib/pages/tables/ledger.tsx'
import { priorWords } from '../../../lib/pages/tables/prior.tsx'
import { sortingByTime } from '../../../lib/pages/tables/sorting.ts'

type CustomerPageProps = { base: string; customer: CustomerRow; mayExport: boolean }

const CustomerPage = ({ base, customer, mayExport }: CustomerPageProps) => (
  <>
    <h1>{t(m.customers_title, { externalId: customer.externalId })}</h1>
    <dl class="facts">
      <dt>{t(m.partner)}</dt>
      <dd>
        <PartnerOf base={base} row={customer} none={t(m.layout_none)} />
      </dd>
      <dt>{t(m.email_address)}</dt>
      <dd>{customer.email ?? t(m.customers_unknown)}</dd>
      <dt>{t(m.layout_name)}</dt>
      <dd>{customer.name ?? t(m.customers_unknown)}</dd>
      <dt>{t(m.customers_imported)}</dt>
      <dd>
        {customer.importedAt ? <Time at={customer.importedAt} /> : t(m.customers_not_imported)}
      </dd>
      {customer.startedAt && (
        <>
          <dt>{t(m.layout_rewarded_since)}</dt>
          <dd>
            <Time at={customer.startedAt} />
          </dd>
        </>
      )}
      {customer.prior && (
        <>
          <dt>{t(m.customers_paid_before_move)}</dt>
          <dd>
            {customer.prior.partnerId === customer.partnerId
              ? priorWords(customer.prior)
              : t(m.customers_prior_to_another, { prior: priorWords(customer.prior) })}
          </dd>
        </>
      )}
    </dl>
    <h2>{t(m.customers_identities)}</h2>
    <p>{t(m.customers_identities_intro)}</p>
    <Identities identities={customer.identities} />
    <p>
      <a href={`${base}/commissions?customerExternalId=${encodeURIComponent(customer.externalId)}`}>
        {t(m.customers_view_commissions)}
      </a>
    </p>
    {mayExport && (
      <p>
        <a href={`${base}/customers/${customer.id}/personal-data`}>{t(m.layout_personal_data)}</a>
      </p>
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
    // It was merged into another.
    if (customer.id !== id.toLowerCase()) return c.redirect(`${base}/customers/${customer.id}`)
    const children = (
      <CustomerPage
        base={base}
        customer={customer}
        mayExport={mayOpen(workspace, 'POST /customers/:id/personal-data')}
      />
    )
    return renderPage(c, {
      title: t(m.customers_title, { externalId: customer.externalId }),
      section: '/customers',
      children,
    })
  })
  .get('/app/:workspace/customers', async (c) => {
    const t = textsOf(c)
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const { fields, data, errors } = readFilters(c, CustomerQuery)
    const rows = data
      ? await listCustomers(db, workspace.id, { ...data, limit: data.limit + 1 })
      : []
    const { data: customers, nextCursor } = page(rows, data?.limit ?? 0)
    const children = (
      <>
        <h1>{t(m.layout_customers)}</h1>
        <p>{t(m.customers_intro)}</p>
        <Filters
          what={m.layout_items_customers}
          path={`${base}/customers`}
          fields={fields}
          errors={errors}
          filters={[
            { name: 'externalId', label: m.layout_external_id, maxlength: 255 },
            { name: 'email', label: m.email_address, maxlength: 320 },
          ]}
          linked={{ partnerId: partnerChip(customers[0], t), order: t(m.layout_oldest_first) }}
        />
        {customers.length > 0 ? (
          <CustomerTable
            base={base}
            customers={customers}
            byTime={sortingByTime(`${base}/customers`, fields, data?.order ?? 'desc')}
          />
        ) : (
          <Empty what={m.layout_items_customers} isFiltered={areFilters(fields)}>
            {t(m.customers_none_yet)}
          </Empty>
        )}
        <ListEnd
          url={c.req.url}
          cursor={nextCursor}
          slug={workspace.slug}
          list="customers"
          fields={fields}
          isEmpty={customers.length === 0}
        />
      </>
    )
    return renderPage(
      c,
      { title: m.layout_customers, section: '/customers', children },
      errors ? 400 : 200,
    )
  })
