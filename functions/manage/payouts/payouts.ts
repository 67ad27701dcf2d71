import type { Context } from 'hono'
import { actOf, freshMember, member, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { passkeyToPay, requirePasskeyToPay } from '../../../lib/auth/passkey-for-payouts.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { Page, page } from '../../../lib/http/lists.ts'
import { body, query } from '../../../lib/http/validate.ts'
import { cancelPayout } from '../../../lib/payouts/corrections/cancel.queries.ts'
import { cancelRefusalOf } from '../../../lib/payouts/corrections/cancel.ts'
import { resolveOfRun, resolvePayout } from '../../../lib/payouts/corrections/resolution.queries.ts'
import {
  commonRefusalOf,
  resolutionRefusalOf,
} from '../../../lib/payouts/corrections/resolution.ts'
import { returnPayout } from '../../../lib/payouts/corrections/returned-payouts.queries.ts'
import { returnRefusalOf } from '../../../lib/payouts/corrections/returned-payouts.ts'
import { releasePayout } from '../../../lib/payouts/corrections/reversals.queries.ts'
import { releaseRefusalOf } from '../../../lib/payouts/corrections/reversals.ts'
import { payoutResponse } from '../../../lib/payouts/payout-response.ts'
import { findPayout, payoutsQuery } from '../../../lib/payouts/payouts.queries.ts'
import type { PayoutRunResponse } from '../../../lib/payouts/payouts.responses.ts'
import {
  PayoutQuery,
  PayoutResolution,
  PayoutReturn,
  RunChange,
  RunResolution,
} from '../../../lib/payouts/payouts.schemas.ts'
import { decideRun } from '../../../lib/payouts/runs/approvals.queries.ts'
import { changeRun } from '../../../lib/payouts/runs/manual-runs.queries.ts'
import { endReview } from '../../../lib/payouts/runs/review.queries.ts'
import { findRun, listRuns, type Run } from '../../../lib/payouts/runs/runs.queries.ts'
import { refusalOf, reviewRefusalOf } from '../../../lib/payouts/runs/runs.ts'

const payoutRunResponse = ({ programName: _, ...run }: Run): PayoutRunResponse => run

const RUN = '/api/workspaces/:workspace/payout-runs/:id'

/** Approves or declines the run of the URL. */
const decide = (wanted: 'approve' | 'decline') => async (c: Context<WorkspaceEnv>) => {
  const id = c.req.param('id') ?? ''
  const url = new URL(`/app/${c.var.workspace.slug}/payouts/runs/${id}`, c.req.url).href
  const { run, refusal } = await found('payout run', id, () =>
    decideRun(c.var.db, actOf(c), id, { wanted, url }),
  )
  if (refusal) throw new ApiError('conflict', refusal)
  return c.json(payoutRunResponse(run))
}

/**
 * /payouts and /payout-runs: lists payouts and runs, cancels them, and changes manual runs. Design,
 * section 12.
 */
export default createRoutes()
  .get('/api/workspaces/:workspace/payouts', member(), query(PayoutQuery), async (c) => {
    const { db, workspace } = c.var
    const { limit, ...filter } = c.req.valid('query')
    const payouts = await payoutsQuery(db, workspace.id, { ...filter, limit: limit + 1 }).execute()
    return c.json(page(payouts, limit, payoutResponse))
  })
  .get('/api/workspaces/:workspace/payouts/:id', member(), async (c) => {
    const { db, workspace } = c.var
    return c.json(
      payoutResponse(
        await found('payout', c.req.param('id'), (id) => findPayout(db, workspace.id, id)),
      ),
    )
  })
  .post(
    '/api/workspaces/:workspace/payouts/:id/release',
    freshMember(),
    passkeyToPay(),
    async (c) => {
      const payout = await found('payout', c.req.param('id'), (id) =>
        releasePayout(c.var.db, actOf(c), id),
      )
      const refusal = releaseRefusalOf(payout)
      if (refusal) throw new ApiError('conflict', refusal)
      return c.json(payoutResponse(payout))
    },
  )
  .post('/api/workspaces/:workspace/payouts/:id/cancel', freshMember(), async (c) => {
    const payout = await found('payout', c.req.param('id'), (id) =>
      cancelPayout(c.var.db, actOf(c), id),
    )
    const refusal = cancelRefusalOf(payout)
    if (refusal) throw new ApiError('conflict', refusal)
    return c.json(payoutResponse(payout))
  })
  .post(
    '/api/workspaces/:workspace/payouts/:id/resolve',
    freshMember(),
    passkeyToPay(),
    body(PayoutResolution),
    async (c) => {
      const resolution = c.req.valid('json')
      const portalUrl = new URL('/portal', c.req.url).href
      const payout = await found('payout', c.req.param('id'), (id) =>
        resolvePayout(c.var.db, actOf(c), id, { ...resolution, portalUrl }),
      )
      const refusal = resolutionRefusalOf(payout, resolution, c.var.now)
      if (refusal) throw new ApiError('conflict', refusal)
      return c.json(payoutResponse(payout))
    },
  )
  .post(
    '/api/workspaces/:workspace/payouts/:id/return',
    freshMember(),
    passkeyToPay(),
    body(PayoutReturn),
    async (c) => {
      const { reason } = c.req.valid('json')
      const portalUrl = new URL('/portal', c.req.url).href
      const payout = await found('payout', c.req.param('id'), (id) =>
        returnPayout(c.var.db, actOf(c), id, { reason, portalUrl }),
      )
      const refusal = returnRefusalOf(payout, reason)
      if (refusal) throw new ApiError('conflict', refusal)
      return c.json(payoutResponse(payout))
    },
  )
  .get('/api/workspaces/:workspace/payout-runs', member(), query(Page), async (c) => {
    const { db, workspace } = c.var
    const { limit, cursor } = c.req.valid('query')
    return c.json(
      page(
        await listRuns(db, workspace.id, { cursor, limit: limit + 1 }),
        limit,
        payoutRunResponse,
      ),
    )
  })
  .get(RUN, member(), async (c) => {
    const { db, workspace } = c.var
    const run = await found('payout run', c.req.param('id'), (id) => findRun(db, workspace.id, id))
    return c.json(payoutRunResponse(run))
  })
  .post(`${RUN}/approve`, freshMember(), passkeyToPay(), decide('approve'))
  .post(`${RUN}/decline`, freshMember(), decide('decline'))
  .post(`${RUN}/send`, freshMember(), passkeyToPay(), async (c) => {
    const run = await found('payout run', c.req.param('id'), (id) =>
      endReview(c.var.db, actOf(c), id),
    )
    const refusal = reviewRefusalOf(run)
    if (refusal) throw new ApiError('conflict', refusal)
    return c.json(payoutRunResponse(run))
  })
  .post(`${RUN}/resolve`, freshMember(), passkeyToPay(), body(RunResolution), async (c) => {
    const { db, workspace, now } = c.var
    const request = c.req.valid('json')
    const portalUrl = new URL('/portal', c.req.url).href
    const run = await found('payout run', c.req.param('id'), (id) => findRun(db, workspace.id, id))
    const payouts = await resolveOfRun(db, actOf(c), { ...request, runId: run.id, portalUrl })
    const refusal = commonRefusalOf(payouts, request, now)
    if (refusal) throw new ApiError('conflict', refusal)
    return c.json({ data: payouts.map(payoutResponse) })
  })
  .patch(RUN, freshMember(), body(RunChange), async (c) => {
    const { status } = c.req.valid('json')
    if (status !== 'canceled') requirePasskeyToPay(c)
    const portalUrl = new URL('/portal', c.req.url).href
    const run = await found('payout run', c.req.param('id'), (id) =>
      changeRun(c.var.db, actOf(c), id, status, portalUrl),
    )
    const refusal = refusalOf(run, status)
    if (refusal) throw new ApiError('conflict', refusal)
    return c.json(payoutRunResponse(run))
  })
