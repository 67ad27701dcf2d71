import { reader } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { query } from '../../lib/http/validate.ts'
import { listPartnerBalances, type PartnerBalance } from '../../lib/payouts/balances.queries.ts'
import type { PartnerBalanceResponse } from '../../lib/payouts/balances.responses.ts'
import { pageOfPartners } from '../../lib/payouts/balances.ts'
import { BalanceQuery } from '../../lib/payouts/payouts.schemas.ts'

const balanceResponse = ({
  partnerSlug: _,
  partnerName: __,
  ...balance
}: PartnerBalance): PartnerBalanceResponse => ({ ...balance, amountCents: Number(balance.amountCents) })

/** GET /balances: what is payable to partners, and what they owe. */
export default createRoutes().get(
  '/api/workspaces/:workspace/balances',
  reader(),
  query(BalanceQuery),
  async (c) => {
    const { db, now, workspace } = c.var
    const { limit, ...filter } = c.req.valid('query')
    const rows = await listPartnerBalances(db, workspace.id, { ...filter, limit: limit + 1 }, now)
    const { data, nextCursor } = pageOfPartners(rows, limit)
    return c.json({ data: data.map(balanceResponse), nextCursor })
  },
)
