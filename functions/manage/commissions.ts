import type { Context } from 'hono'
import { actOf, manager, reader, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { found } from '../../lib/http/found.ts'
import { page } from '../../lib/http/lists.ts'
import { query } from '../../lib/http/validate.ts'
import { type CommissionRow, listCommissions } from '../../lib/tracking/commissions.queries.ts'
import type { CommissionResponse } from '../../lib/tracking/commissions.responses.ts'
import { CommissionQuery } from '../../lib/tracking/commissions.schemas.ts'
import { commissionStatus } from '../../lib/tracking/commissions.ts'
import { type HoldResolution, refusalOf } from '../../lib/tracking/holds.ts'
import { resolveHold } from '../../lib/tracking/resolve-hold.queries.ts'

/** The columns of a left join are null together, which their types don't say. */
const holdOf = ({
  holdReason,
  evidenceEventId,
  heldAt,
  ...row
}: CommissionRow): CommissionResponse['hold'] => {
  if (holdReason === null || evidenceEventId === null || heldAt === null) return null
  const { resolution, resolvedAt, resolvedBy } = row
  return { reason: holdReason, evidenceEventId, createdAt: heldAt, resolution, resolvedAt, resolvedBy }
}

const commissionResponse = (commission: CommissionRow, now: Date): CommissionResponse => ({
  id: commission.id,
  kind: commission.kind,
  amountCents: Number(commission.amountCents),
  currency: commission.currency,
  status: commissionStatus(commission, now),
  payableAt: commission.payableAt,
  createdAt: commission.createdAt,
  partnerId: commission.partnerId,
  customerExternalId: commission.customerExternalId,
  eventId: commission.eventId,
  reversesId: commission.reversesId,
  payoutId: commission.payoutId,
  hold: holdOf(commission),
})

/** Releases or rejects the held commission of the URL. */
const resolve = (resolution: HoldResolution) => async (c: Context<WorkspaceEnv>) => {
  const { db, now } = c.var
  const commission = await found('commission', c.req.param('id') ?? '', (id) =>
    resolveHold(db, actOf(c), id, resolution),
  )
  const refusal = refusalOf(commission.resolution, resolution)
  if (refusal) throw new ApiError('conflict', refusal)
  return c.json(commissionResponse(commission, now))
}

const COMMISSIONS = '/api/workspaces/:workspace/commissions'

/** GET /commissions: the ledger of what partners earned. POST /commissions/:id/release and /reject. Design, section 12. */
export default createRoutes()
  .get(COMMISSIONS, reader(), query(CommissionQuery), async (c) => {
    const { db, now, workspace } = c.var
    const { limit, ...filter } = c.req.valid('query')
    const commissions = await listCommissions(db, workspace.id, { ...filter, limit: limit + 1 }, now)
    return c.json(page(commissions, limit, (commission) => commissionResponse(commission, now)))
  })
  .post(`${COMMISSIONS}/:id/release`, manager(), resolve('released'))
  .post(`${COMMISSIONS}/:id/reject`, manager(), resolve('rejected'))
