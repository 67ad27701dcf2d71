import { reader } from '../../lib/auth/access.ts'
import { readById, readPage } from '../../lib/auth/rows.ts'
import {
  type CustomerRow,
  findCustomer,
  listCustomers,
} from '../../lib/customers/customers.queries.ts'
import type { CustomerResponse } from '../../lib/customers/customers.responses.ts'
import { CustomerQuery } from '../../lib/customers/customers.schemas.ts'
import { explainIdentity } from '../../lib/customers/explain-identity.ts'
import { createRoutes } from '../../lib/http/app.ts'
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

/** GET /customers and /customers/:id: customers with their ids and partners. Design, section 12. */
export default createRoutes()
  .get('/api/workspaces/:workspace/customers/:id', reader(), async (c) => {
    const customer = await readById(c, 'customer', findCustomer)
    return c.json(customerResponse(customer))
  })
  .get('/api/workspaces/:workspace/customers', reader(), query(CustomerQuery), async (c) =>
    c.json(await readPage(c, c.req.valid('query'), listCustomers, customerResponse)),
  )
