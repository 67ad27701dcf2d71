import type { Context } from 'hono'
import { actOf, freshMember, member, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { passkeyToPay, requirePasskeyToPay } from '../../../lib/auth/passkey-for-payouts.ts'
import { changeById, readById, readPage } from '../../../lib/auth/rows.ts'
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
import { findPayout, type PayoutRow, payoutsQuery } from '../../../lib/payouts/payouts.queries.ts'
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

/** Responds with the payout, or with why it is not in the requested state. */
const answer = (c: Context, payout: PayoutRow, refusal: string | null) => {
  if (refusal) throw new ApiError('conflict', refusal)
  return c.json(payoutResponse(payout))
}

const answerRun = (c: Context, run: Run, refusal: string | null) => {
  if (refusal) throw new ApiError('conflict', refusal)
  return c.json(payoutRunResponse(run))
}

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

const PAYOUTS = '/api/workspaces/:workspace/payouts'

/**
 * /payouts and /payout-runs: lists and cancels payouts and runs, and changes manual runs. Design,
 * section 12.
 */
export default createRoutes()
  .get(PAYOUTS, member(), query(PayoutQuery), async (c) => {
    const { db, workspace } = c.var
    const { limit, ...filter } = c.req.valid('query')
    const payouts = await payoutsQuery(db, workspace.id, { ...filter, limit: limit + 1 }).execute()
    return c.json(page(payouts, limit, payoutResponse))
  })
  .get(`${PAYOUTS}/:id`, member(), async (c) => {
    return c.json(payoutResponse(await readById(c, 'payout', findPayout)))
  })
  .post(`${PAYOUTS}/:id/release`, freshMember(), passkeyToPay(), async (c) => {
    const payout = await changeById(c, 'payout', releasePayout)
    return answer(c, payout, releaseRefusalOf(payout))
  })
  .post(`${PAYOUTS}/:id/cancel`, freshMember(), async (c) => {
    const payout = await changeById(c, 'payout', cancelPayout)
    return answer(c, payout, cancelRefusalOf(payout))
  })
  .post(
    `${PAYOUTS}/:id/resolve`,
    freshMember(),
    passkeyToPay(),
    body(PayoutResolution),
    async (c) => {
      const resolution = c.req.valid('json')
      const portalUrl = new URL('/portal', c.req.url).href
      const payout = await changeById(c, 'payout', resolvePayout, { ...resolution, portalUrl })
      return answer(c, payout, resolutionRefusalOf(payout, resolution, c.var.now))
    },
  )
  .post(`${PAYOUTS}/:id/return`, freshMember(), passkeyToPay(), body(PayoutReturn), async (c) => {
    const { reason } = c.req.valid('json')
    const portalUrl = new URL('/portal', c.req.url).href
    const payout = await changeById(c, 'payout', returnPayout, { reason, portalUrl })
    return answer(c, payout, returnRefusalOf(payout, reason))
  })
  .get('/api/workspaces/:workspace/payout-runs', member(), query(Page), async (c) =>
    c.json(await readPage(c, c.req.valid('query'), listRuns, payoutRunResponse)),
  )
  .get(RUN, member(), async (c) => {
    const run = await readById(c, 'payout run', findRun)
    return c.json(payoutRunResponse(run))
  })
  .post(`${RUN}/approve`, freshMember(), passkeyToPay(), decide('approve'))
  .post(`${RUN}/decline`, freshMember(), decide('decline'))
  .post(`${RUN}/send`, freshMember(), passkeyToPay(), async (c) => {
    const run = await changeById(c, 'payout run', endReview)
    return answerRun(c, run, reviewRefusalOf(run))
  })
  .post(`${RUN}/resolve`, freshMember(), passkeyToPay(), body(RunResolution), async (c) => {
    const { db, now } = c.var
    const request = c.req.valid('json')
    const portalUrl = new URL('/portal', c.req.url).href
    const run = await readById(c, 'payout run', findRun)
    const payouts = await resolveOfRun(db, actOf(c), { ...request, runId: run.id, portalUrl })
    const refusal = commonRefusalOf(payouts, request, now)
    if (refusal) throw new ApiError('conflict', refusal)
    return c.json({ data: payouts.map(payoutResponse) })
  })
  .patch(RUN, freshMember(), body(RunChange), async (c) => {
    const { status } = c.req.valid('json')
    if (status !== 'canceled') requirePasskeyToPay(c)
    const portalUrl = new URL('/portal', c.req.url).href
    const run = await changeById(c, 'payout run', changeRun, status, portalUrl)
    return answerRun(c, run, refusalOf(run, status))
  })
