import { reader } from '../../lib/auth/access.ts'
import { type CustomerRow, listCustomers } from '../../lib/customers/customers.queries.ts'
import type { CustomerResponse } from '../../lib/customers/customers.responses.ts'
import { CustomerQuery } from '../../lib/customers/customers.schemas.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { page } from '../../lib/http/lists.ts'
import { query } from '../../lib/http/validate.ts'

const customerResponse = (customer: CustomerRow): CustomerResponse => ({
  id: customer.id,
  externalId: customer.externalId,
  email: customer.email,
  name: customer.name,
  partnerId: customer.partnerId,
  importedAt: customer.importedAt,
  startedAt: customer.startedAt,
})

/** GET /customers: customers and the partners that they belong to. Design, section 12. */
export default createRoutes().get(
  '/api/workspaces/:workspace/customers',
  reader(),
  query(CustomerQuery),
  async (c) => {
    const { db, workspace } = c.var
    const { limit, ...filter } = c.req.valid('query')
    const customers = await listCustomers(db, workspace.id, { ...filter, limit: limit + 1 })
    return c.json(page(customers, limit, customerResponse))
  },
)
