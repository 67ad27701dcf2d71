import { reader } from '../../lib/auth/access.ts'
import {
  type CustomerRow,
  findCustomer,
  listCustomers,
} from '../../lib/customers/customers.queries.ts'
import type { CustomerResponse } from '../../lib/customers/customers.responses.ts'
import { CustomerQuery } from '../../lib/customers/customers.schemas.ts'
import { explainIdentity } from '../../lib/customers/explain-identity.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found-or-404.ts'
import { page } from '../../lib/http/lists.ts'
import { query } from '../../lib/http/validate.ts'

export const customerResponse = (customer: CustomerRow): CustomerResponse => ({
  id: customer.id,
  externalId: customer.externalId,
  email: customer.email,
  name: customer.name,
  partnerId: customer.partnerId,
  importedAt: customer.importedAt,
  startedAt: customer.startedAt,
  prior: customer.prior,
  identities: customer.identities.map((identity) => ({
    ...identity,
    text: explainIdentity(identity),
  })),
})

/**
 * GET /customers and /customers/:id: customers, their ids and the partners that they belong to.
 * Design, section 12.
 */
export default createRoutes()
  .get('/api/workspaces/:workspace/customers/:id', reader(), async (c) => {
    const { db, workspace } = c.var
    const customer = await found('customer', c.req.param('id'), (id) =>
      findCustomer(db, workspace.id, id),
    )
    return c.json(customerResponse(customer))
  })
  .get('/api/workspaces/:workspace/customers', reader(), query(CustomerQuery), async (c) => {
    const { db, workspace } = c.var
    const { limit, ...filter } = c.req.valid('query')
    const customers = await listCustomers(db, workspace.id, { ...filter, limit: limit + 1 })
    return c.json(page(customers, limit, customerResponse))
  })
