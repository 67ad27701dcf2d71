import type { Context } from 'hono'
import { actOf, freshMember, reader, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { readPage } from '../../lib/auth/rows.ts'
import {
  findPossibleMerge,
  listPossibleMerges,
  type MergeSide,
  type PossibleMergeRow,
} from '../../lib/customers/possible-merges.queries.ts'
import type { PossibleMergeResponse } from '../../lib/customers/possible-merges.responses.ts'
import { PossibleMergeQuery } from '../../lib/customers/possible-merges.schemas.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { found, notFound } from '../../lib/http/found-or-404.ts'
import { rpc } from '../../lib/http/rpc/rpc.ts'
import { query } from '../../lib/http/validate.ts'
import { MERGE_REFUSALS, type MergeDecision } from '../../lib/rules/identities/possible-merges.ts'
import type { CreditsService } from '../../lib/tracking/reports/purchases.rpc.ts'

const sideResponse = ({ id, externalId, email, partnerId, paid }: MergeSide) => ({
  id,
  externalId,
  email,
  partnerId,
  paid,
})

const possibleMergeResponse = ({
  customer,
  namedCustomer,
  ...pair
}: PossibleMergeRow): PossibleMergeResponse => ({
  ...pair,
  customer: sideResponse(customer),
  namedCustomer: sideResponse(namedCustomer),
})

type Env = WorkspaceEnv & { Bindings: { CREDITS: CreditsService } }

const decide = (decision: MergeDecision) => async (c: Context<Env>) => {
  const { db, workspace } = c.var
  const find = (id: string) => findPossibleMerge(db, workspace.id, id)
  const { id } = await found('possible merge', c.req.param('id') ?? '', find)
  const decided = await rpc('stripe-webhook', c.env.CREDITS.decideMerge(actOf(c), id, decision))
  if (decided === 'missing') throw notFound('possible merge')
  if (decided !== decision) throw new ApiError('conflict', MERGE_REFUSALS[decided])
  return c.json(possibleMergeResponse(await found('possible merge', id, find)))
}

const PATH = '/api/workspaces/:workspace/possible-merges'

/** /possible-merges: customers who may be one. Managers merge them or keep them apart. */
export default createRoutes<Env>()
  .get(PATH, reader(), query(PossibleMergeQuery), async (c) =>
    c.json(await readPage(c, c.req.valid('query'), listPossibleMerges, possibleMergeResponse)),
  )
  .post(`${PATH}/:id/merge`, freshMember(), decide('merged'))
  .post(`${PATH}/:id/dismiss`, freshMember(), decide('dismissed'))
