import { reader } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { page } from '../../lib/http/lists.ts'
import { query } from '../../lib/http/validate.ts'
import { type CommissionRow, listCommissions } from '../../lib/tracking/commissions.queries.ts'
import type { CommissionResponse } from '../../lib/tracking/commissions.responses.ts'
import { CommissionQuery } from '../../lib/tracking/commissions.schemas.ts'
import { commissionStatus } from '../../lib/tracking/commissions.ts'

const commissionResponse = (commission: CommissionRow, now: Date): CommissionResponse => ({
  id: commission.id,
  kind: commission.kind,
  amountCents: Number(commission.amountCents),
  currency: commission.currency,
  status: commissionStatus(
    { payableAt: commission.payableAt, payoutId: commission.payoutId, paidAt: commission.paidAt },
    now,
  ),
  payableAt: commission.payableAt,
  createdAt: commission.createdAt,
  partnerId: commission.partnerId,
  customerExternalId: commission.customerExternalId,
  eventId: commission.eventId,
  reversesId: commission.reversesId,
  payoutId: commission.payoutId,
})

/** GET /commissions: the ledger of what partners earned. Design, section 12. */
export default createRoutes().get(
  '/api/workspaces/:workspace/commissions',
  reader(),
  query(CommissionQuery),
  async (c) => {
    const { db, now, workspace } = c.var
    const { limit, ...filter } = c.req.valid('query')
    const commissions = await listCommissions(db, workspace.id, { ...filter, limit: limit + 1 }, now)
    return c.json(page(commissions, limit, (commission) => commissionResponse(commission, now)))
  },
)
