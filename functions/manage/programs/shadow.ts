import type { Context } from 'hono'
import {
  actOf,
  freshWriter,
  member,
  reader,
  type WorkspaceEnv,
  writer,
} from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { requireFreshSignIn } from '../../../lib/auth/fresh-sign-in.ts'
import { requirePasskeyToPay } from '../../../lib/auth/passkey-for-payouts.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { newId } from '../../../lib/db/ids.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { page } from '../../../lib/http/lists.ts'
import { body, query } from '../../../lib/http/validate.ts'
import { MAX_COMMISSION_ROWS } from '../../../lib/imports/commissions/platform-commissions.ts'
import { IMPORT_MAX_BYTES, limitRows } from '../../../lib/imports/imports.schemas.ts'
import { findProgram } from '../../../lib/programs/programs.queries.ts'
import { NOT_IN_SHADOW } from '../../../lib/rules/programs/mode.ts'
import { compareRun } from '../../../lib/shadow/comparison/comparison.service.ts'
import { comparisonResponse } from '../../../lib/shadow/comparison/comparison-response.ts'
import { listComparisons, readShadowState } from '../../../lib/shadow/comparison/results.queries.ts'
import { CutOver } from '../../../lib/shadow/cut-over/cut-over.schemas.ts'
import { makeCutOver, previewCutOver } from '../../../lib/shadow/cut-over/cut-over.service.ts'
import { cutOverResponse } from '../../../lib/shadow/cut-over/cut-over-response.ts'
import { readCommissionRow } from '../../../lib/shadow/read-rows.schemas.ts'
import type {
  CommissionUploadResponse,
  CompareResponse,
  CutOverResponse,
  ShadowRunResponse,
} from '../../../lib/shadow/shadow.responses.ts'
import {
  CommissionUpload,
  ComparisonQuery,
  ShadowPeriod,
} from '../../../lib/shadow/shadow.schemas.ts'
import { uploadCommissions } from '../../../lib/shadow/upload.service.ts'

const SHADOW = '/api/workspaces/:workspace/programs/:id/shadow'

/** How long one request compares. The caller repeats the request. */
const COMPARE_MS = 5_000

const CUT_OVER = '/api/workspaces/:workspace/programs/:id/cut-over'

const programOf = (c: Context<WorkspaceEnv>) => readById(c, 'program', findProgram)

/** /programs/:id/shadow: compares the other platform's commissions with Tributary's. */
export default createRoutes()
  .get(SHADOW, reader(), query(ShadowPeriod), async (c) => {
    const { db, workspace } = c.var
    const { id } = await programOf(c)
    const read = await readShadowState(db, workspace.id, id, c.req.valid('query'))
    if (!read) throw new ApiError('conflict', NOT_IN_SHADOW)
    const sums = read.sums.map(({ hereCents, thereCents, ...sum }) => ({
      ...sum,
      hereCents: Number(hereCents),
      thereCents: Number(thereCents),
    }))
    return c.json<ShadowRunResponse>({ ...read.state, sums })
  })
  .post(
    `${SHADOW}/commissions`,
    freshWriter(),
    body(CommissionUpload, {
      maxBytes: IMPORT_MAX_BYTES,
      precheck: limitRows(MAX_COMMISSION_ROWS),
    }),
    async (c) => {
      const { id } = await programOf(c)
      const rows = c.req.valid('json').rows.map(readCommissionRow)
      const { isInShadow, ...result } = await uploadCommissions(c.var.db, actOf(c), id, rows)
      if (!isInShadow) throw new ApiError('conflict', NOT_IN_SHADOW)
      return c.json<CommissionUploadResponse>(result)
    },
  )
  .post(`${SHADOW}/compare`, writer(), expensive(), async (c) => {
    const { db, now, workspace } = c.var
    const { id, mode } = await programOf(c)
    if (mode !== 'shadow') throw new ApiError('conflict', NOT_IN_SHADOW)
    const endsAt = Date.now() + COMPARE_MS
    const run = { workspaceId: workspace.id, programId: id, now }
    const isMore = await compareRun(db, run, newId(), () => Date.now() < endsAt)
    return c.json<CompareResponse>({ isMore })
  })
  .post(CUT_OVER, member(), expensive(), body(CutOver), async (c) => {
    const { db, now, signedInAt, workspace } = c.var
    const { dryRun, leaveOut, expected } = c.req.valid('json')
    if (!dryRun) {
      requireFreshSignIn(signedInAt, now)
      requirePasskeyToPay(c)
    }
    const { id } = await programOf(c)
    const request = { programId: id, leaveOut: leaveOut ?? [], expected: expected ?? null }
    if (dryRun) return c.json(cutOverResponse(await previewCutOver(db, workspace.id, request)))
    const outcome = await makeCutOver(db, actOf(c), request)
    if (outcome.isRepeat) c.header('Idempotent-Replayed', 'true')
    return c.json<CutOverResponse>(cutOverResponse(outcome))
  })
  .get(`${SHADOW}/comparisons`, reader(), query(ComparisonQuery), async (c) => {
    const { db, workspace } = c.var
    const { id } = await programOf(c)
    const { limit, ...filter } = c.req.valid('query')
    const rows = await listComparisons(db, workspace.id, id, { ...filter, limit: limit + 1 })
    return c.json(page(rows, limit, comparisonResponse))
  })
