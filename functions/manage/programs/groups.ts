import { actOf, freshWriter, reader } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { idempotent } from '../../../lib/auth/idempotency/idempotent.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { Page, page } from '../../../lib/http/lists.ts'
import { body, query } from '../../../lib/http/validate.ts'
import { groupWhatIf } from '../../../lib/overview/what-if.service.ts'
import {
  changeGroup,
  createGroup,
  findGroup,
  type Group,
  listGroups,
} from '../../../lib/programs/groups.queries.ts'
import type { GroupResponse } from '../../../lib/programs/groups.responses.ts'
import { GroupChange, NewGroup } from '../../../lib/programs/groups.schemas.ts'
import { findProgram } from '../../../lib/programs/programs.queries.ts'
import { rewardResponse } from '../../../lib/rules/rewards/rewards.ts'
import type { WhatIfResponse } from '../../../lib/tracking/what-if/what-if.responses.ts'

const groupResponse = (group: Group): GroupResponse => ({
  ...group,
  saleReward: group.saleReward && rewardResponse(group.saleReward),
  leadReward: group.leadReward && rewardResponse(group.leadReward),
})

const GROUPS = '/api/workspaces/:workspace/groups'

const PROGRAMS = '/api/workspaces/:workspace/programs'

/** /groups: partners who share rewards other than the program's. Design, section 12. */
export default createRoutes()
  .get(`${PROGRAMS}/:id/groups`, reader(), query(Page), async (c) => {
    const { db, workspace } = c.var
    const { limit, cursor } = c.req.valid('query')
    const program = await readById(c, 'program', findProgram)
    const groups = await listGroups(db, workspace.id, program.id, { cursor, limit: limit + 1 })
    return c.json(page(groups, limit, groupResponse))
  })
  .post(`${PROGRAMS}/:id/groups`, freshWriter(), body(NewGroup), idempotent(), async (c) => {
    const { db } = c.var
    const program = await readById(c, 'program', findProgram)
    const group = await createGroup(db, actOf(c), program.id, c.req.valid('json'))
    return c.json(groupResponse(group), 201)
  })
  .get(`${GROUPS}/:id`, reader(), async (c) => {
    const group = await readById(c, 'group', findGroup)
    return c.json(groupResponse(group))
  })
  .patch(`${GROUPS}/:id`, freshWriter(), body(GroupChange), async (c) => {
    const change = c.req.valid('json')
    const group = await changeById(c, 'group', changeGroup, change)
    return c.json(groupResponse(group))
  })
  .post(`${GROUPS}/:id/what-if`, reader(), expensive(), body(GroupChange), async (c) => {
    const { db, now, workspace } = c.var
    const group = await readById(c, 'group', findGroup)
    const change = c.req.valid('json')
    const result: WhatIfResponse = await groupWhatIf(db, workspace.id, group, change, now)
    return c.json(result)
  })
