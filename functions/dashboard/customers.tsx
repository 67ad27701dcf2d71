import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { listCustomers } from '../../lib/customers/customers.queries.ts'
import { CustomerQuery } from '../../lib/customers/customers.schemas.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { page } from '../../lib/http/lists.ts'
import { Empty, Filters, readFilters } from '../../lib/pages/filters.tsx'
import { CustomerTable } from '../../lib/pages/ledger.tsx'
import { Field, NextPage } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'

/** /app/:workspace/customers: customers and their partners. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/customers', async (c) => {
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
        linked={{ partnerId: 'Filtered to one partner.' }}
      >
        <Field
          label="External ID"
          name="externalId"
          type="search"
          maxlength={255}
          value={fields.externalId}
          errors={errors}
        />
        <Field
          label="Email address"
          name="email"
          type="search"
          maxlength={320}
          value={fields.email}
          errors={errors}
        />
      </Filters>
      {customers.length > 0 ? (
        <CustomerTable base={base} customers={customers} />
      ) : (
        <Empty what="customers" isFiltered={Object.keys(fields).length > 0}>
          No customers yet. They appear here once a lead, sale or import attributes them to a partner.
        </Empty>
      )}
      <NextPage url={c.req.url} cursor={nextCursor} />
    </>
  )
  return renderPage(c, { title: 'Customers', section: '/customers', children }, errors ? 400 : 200)
})
