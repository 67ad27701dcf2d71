import { reader } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { query } from '../../../lib/http/validate.ts'
import { partnerBalanceResponse } from '../../../lib/payouts/balances/balance-response.ts'
import { listPartnerBalances } from '../../../lib/payouts/balances/balances.queries.ts'
import { pageOfPartners } from '../../../lib/payouts/balances/balances.ts'
import { BalanceQuery } from '../../../lib/payouts/payouts.schemas.ts'

/** GET /balances: payable and negative balances of partners. */
export default createRoutes().get(
  '/api/workspaces/:workspace/balances',
  reader(),
  query(BalanceQuery),
  async (c) => {
    const { db, now, workspace } = c.var
    const { limit, ...filter } = c.req.valid('query')
    const rows = await listPartnerBalances(db, workspace.id, { ...filter, limit: limit + 1 }, now)
    const { data, nextCursor } = pageOfPartners(rows, limit)
    return c.json({ data: data.map(partnerBalanceResponse), nextCursor })
  },
)
