import type { Context } from 'hono'
import {
  actOf,
  freshMember,
  freshWriter,
  member,
  reader,
  type WorkspaceEnv,
} from '../../lib/auth/access.ts'
import { idempotent } from '../../lib/auth/idempotency/idempotent.ts'
import { changeById, readById } from '../../lib/auth/rows.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { notFound } from '../../lib/http/found-or-404.ts'
import { page } from '../../lib/http/lists.ts'
import { body, query } from '../../lib/http/validate.ts'
import { type HoldResolution, refusalOf } from '../../lib/rules/steps/holds.ts'
import { holdCommission } from '../../lib/tracking/holds/place-hold.queries.ts'
import { resolveHold } from '../../lib/tracking/holds/resolve-hold.queries.ts'
import { saveAdjustment } from '../../lib/tracking/ledger/adjustments.queries.ts'
import { saveBulkAdjustment } from '../../lib/tracking/ledger/bulk-adjustments.queries.ts'
import { commissionResponse } from '../../lib/tracking/ledger/commission-response.ts'
import { findCommission, listCommissions } from '../../lib/tracking/ledger/commissions.queries.ts'
import type { BulkAdjustmentResponse } from '../../lib/tracking/ledger/commissions.responses.ts'
import {
  CommissionQuery,
  NewAdjustment,
  NewBulkAdjustment,
  NewHold,
  NewReversal,
} from '../../lib/tracking/ledger/commissions.schemas.ts'
import { reverseCommission } from '../../lib/tracking/refunds/manual-reversals.queries.ts'

/** Releases or rejects the held commission of the URL. */
const resolve = (resolution: HoldResolution) => async (c: Context<WorkspaceEnv>) => {
  const { now } = c.var
  const commission = await changeById(c, 'commission', resolveHold, resolution)
  const refusal = refusalOf(commission.resolution, resolution)
  if (refusal) throw new ApiError('conflict', refusal)
  return c.json(commissionResponse(commission, now))
}

const COMMISSIONS = '/api/workspaces/:workspace/commissions'

/**
 * GET /commissions lists the ledger, POST adjusts it, and POST /commissions/bulk does for many
 * partners. POST /commissions/:id/reverse, /hold, /release and /reject change one commission.
 * Design, section 12.
 */
export default createRoutes()
  .get(COMMISSIONS, reader(), query(CommissionQuery), async (c) => {
    const { db, now, workspace } = c.var
    const { limit, ...filter } = c.req.valid('query')
    const request = { ...filter, limit: limit + 1 }
    const commissions = await listCommissions(db, workspace.id, request, now)
    return c.json(page(commissions, limit, (commission) => commissionResponse(commission, now)))
  })
  .get(`${COMMISSIONS}/:id`, reader(), async (c) => {
    const { now } = c.var
    const commission = await readById(c, 'commission', findCommission)
    return c.json(commissionResponse(commission, now))
  })
  .post(COMMISSIONS, freshWriter(), body(NewAdjustment), idempotent(), async (c) => {
    const { db, now } = c.var
    const saved = await saveAdjustment(db, actOf(c), c.req.valid('json'))
    if (!('commission' in saved))
      throw notFound(saved.outcome === 'missing' ? saved.missing : 'partner')
    if (saved.isMismatch) c.header('Idempotency-Mismatch', 'true')
    return c.json(
      commissionResponse(saved.commission, now),
      saved.outcome === 'created' ? 201 : 200,
    )
  })
  .post(`${COMMISSIONS}/bulk`, freshWriter(), body(NewBulkAdjustment), idempotent(), async (c) => {
    const bulk = c.req.valid('json')
    const { externalId } = bulk
    const saved = await saveBulkAdjustment(c.var.db, actOf(c), bulk)
    if (saved.outcome === 'missing')
      throw new ApiError('invalid_body', 'Some of the partners do not exist.', {
        details: saved.partnerIds.map((id) => ({
          path: `partnerIds.${bulk.partnerIds.indexOf(id)}`,
          message: `No partner has the id ${id}.`,
        })),
      })
    if (saved.isMismatch) c.header('Idempotency-Mismatch', 'true')
    return c.json<BulkAdjustmentResponse>(
      { externalId, partners: saved.partners },
      saved.outcome === 'created' ? 201 : 200,
    )
  })
  .post(`${COMMISSIONS}/:id/reverse`, freshWriter(), body(NewReversal), idempotent(), async (c) => {
    const { now } = c.var
    const saved = await changeById(c, 'commission', reverseCommission, c.req.valid('json'))
    if (saved.outcome === 'refused') throw new ApiError('conflict', saved.refusal)
    if (saved.isMismatch) c.header('Idempotency-Mismatch', 'true')
    return c.json(
      commissionResponse(saved.commission, now),
      saved.outcome === 'created' ? 201 : 200,
    )
  })
  .post(`${COMMISSIONS}/:id/hold`, member(), body(NewHold), async (c) => {
    const { now } = c.var
    const { note } = c.req.valid('json')
    const { commission, refusal } = await changeById(c, 'commission', holdCommission, note)
    if (refusal) throw new ApiError('conflict', refusal)
    return c.json(commissionResponse(commission, now))
  })
  .post(`${COMMISSIONS}/:id/release`, freshMember(), resolve('released'))
  .post(`${COMMISSIONS}/:id/reject`, freshMember(), resolve('rejected'))
