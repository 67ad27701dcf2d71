import { actOf, freshWriter, reader } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { idempotent } from '../../../lib/auth/idempotency/idempotent.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
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

/** /groups: partners who share rewards other than the program's. Design, section 12. */
export default createRoutes()
  .get('/api/workspaces/:workspace/programs/:id/groups', reader(), query(Page), async (c) => {
    const { db, workspace } = c.var
    const { limit, cursor } = c.req.valid('query')
    const program = await found('program', c.req.param('id'), (id) =>
      findProgram(db, workspace.id, id),
    )
    const groups = await listGroups(db, workspace.id, program.id, { cursor, limit: limit + 1 })
    return c.json(page(groups, limit, groupResponse))
  })
  .post(
    '/api/workspaces/:workspace/programs/:id/groups',
    freshWriter(),
    body(NewGroup),
    idempotent(),
    async (c) => {
      const { db, workspace } = c.var
      const program = await found('program', c.req.param('id'), (id) =>
        findProgram(db, workspace.id, id),
      )
      const group = await createGroup(db, actOf(c), program.id, c.req.valid('json'))
      return c.json(groupResponse(group), 201)
    },
  )
  .get('/api/workspaces/:workspace/groups/:id', reader(), async (c) => {
    const { db, workspace } = c.var
    const group = await found('group', c.req.param('id'), (id) => findGroup(db, workspace.id, id))
    return c.json(groupResponse(group))
  })
  .patch('/api/workspaces/:workspace/groups/:id', freshWriter(), body(GroupChange), async (c) => {
    const change = c.req.valid('json')
    const group = await found('group', c.req.param('id'), (id) =>
      changeGroup(c.var.db, actOf(c), id, change),
    )
    return c.json(groupResponse(group))
  })
  .post(
    '/api/workspaces/:workspace/groups/:id/what-if',
    reader(),
    expensive(),
    body(GroupChange),
    async (c) => {
      const { db, now, workspace } = c.var
      const group = await found('group', c.req.param('id'), (id) => findGroup(db, workspace.id, id))
      const result: WhatIfResponse = await groupWhatIf(
        db,
        workspace.id,
        group,
        c.req.valid('json'),
        now,
      )
      return c.json(result)
    },
  )
