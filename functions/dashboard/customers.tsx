import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { type CustomerRow, findCustomer, listCustomers } from '../../lib/customers/customers.queries.ts'
import { CustomerQuery } from '../../lib/customers/customers.schemas.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { page } from '../../lib/http/lists.ts'
import { areFilters, Empty, Filters, ListEnd, partnerChip, readFilters } from '../../lib/pages/filters.tsx'
import { Identities } from '../../lib/pages/identities.tsx'
import { CustomerTable, OwnerName } from '../../lib/pages/ledger.tsx'
import { Time } from '../../lib/pages/parts.tsx'
import { priorWords } from '../../lib/pages/prior.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { sortingByTime } from '../../lib/pages/sorting.ts'

type CustomerPageProps = { base: string; customer: CustomerRow; isManager: boolean }

const CustomerPage = ({ base, customer, isManager }: CustomerPageProps) => (
  <>
    <h1>Customer {customer.externalId}</h1>
    <dl class="facts">
      <dt>Partner</dt>
      <dd>
        <OwnerName base={base} customer={customer} />
      </dd>
      <dt>Email address</dt>
      <dd>{customer.email ?? 'Unknown'}</dd>
      <dt>Name</dt>
      <dd>{customer.name ?? 'Unknown'}</dd>
      <dt>Imported</dt>
      <dd>{customer.importedAt ? <Time at={customer.importedAt} /> : 'No'}</dd>
      {customer.startedAt && (
        <>
          <dt>Rewarded since</dt>
          <dd>
            <Time at={customer.startedAt} />
          </dd>
        </>
      )}
      {customer.prior && (
        <>
          <dt>Paid before the move</dt>
          <dd>
            {priorWords(customer.prior)}
            {customer.prior.partnerId !== customer.partnerId && ', to another partner'}
          </dd>
        </>
      )}
    </dl>
    <h2>Identities</h2>
    <p>A sale or lead under any of these IDs is this customer’s. An email address only matches.</p>
    <Identities identities={customer.identities} />
    <p>
      <a href={`${base}/commissions?customerExternalId=${encodeURIComponent(customer.externalId)}`}>
        View commissions of this customer
      </a>
    </p>
    {isManager && (
      <p>
        <a href={`${base}/customers/${customer.id}/personal-data`}>Personal data</a>
      </p>
    )}
  </>
)

/** /app/:workspace/customers and /customers/:id: customers, their ids and their partners. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/customers/:id', async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const id = c.req.param('id')
    const customer = await found('customer', id, (known) => findCustomer(db, workspace.id, known))
    // It was merged into another.
    if (customer.id !== id.toLowerCase()) return c.redirect(`${base}/customers/${customer.id}`)
    const children = <CustomerPage base={base} customer={customer} isManager={workspace.role === 'manager'} />
    return renderPage(c, { title: `Customer ${customer.externalId}`, section: '/customers', children })
  })
  .get('/app/:workspace/customers', async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const { fields, data, errors } = readFilters(c, CustomerQuery)
    const rows = data ? await listCustomers(db, workspace.id, { ...data, limit: data.limit + 1 }) : []
    const { data: customers, nextCursor } = page(rows, data?.limit ?? 0)
    const children = (
      <>
        <h1>Customers</h1>
        <p>Customers attributed to a partner by a lead, a sale or an import, with their current partner.</p>
        <Filters
          what="customers"
          path={`${base}/customers`}
          fields={fields}
          errors={errors}
          filters={[
            { name: 'externalId', label: 'External ID', maxlength: 255 },
            { name: 'email', label: 'Email address', maxlength: 320 },
          ]}
          linked={{ partnerId: partnerChip(customers[0]), order: 'Oldest first' }}
        />
        {customers.length > 0 ? (
          <CustomerTable
            base={base}
            customers={customers}
            byTime={sortingByTime(`${base}/customers`, fields, data?.order ?? 'desc')}
          />
        ) : (
          <Empty what="customers" isFiltered={areFilters(fields)}>
            No customers yet. They appear here once a lead, sale or import attributes them to a partner.
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
    return renderPage(c, { title: 'Customers', section: '/customers', children }, errors ? 400 : 200)
  })
