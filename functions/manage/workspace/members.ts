import { actOf, freshMember, member } from '../../../lib/auth/access.ts'
import { idempotent } from '../../../lib/auth/idempotency/idempotent.ts'
import { passkeyToPay } from '../../../lib/auth/passkey-for-payouts.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { Page, page } from '../../../lib/http/lists.ts'
import { body, query } from '../../../lib/http/validate.ts'
import {
  changeMember,
  inviteMember,
  listMembers,
  type Member,
  type MemberUpdate,
  removeMember,
} from '../../../lib/tenancy/members/members.queries.ts'
import type { MemberResponse } from '../../../lib/tenancy/members/members.responses.ts'
import { MemberChange, NewMember } from '../../../lib/tenancy/members/members.schemas.ts'
import { alreadyMember, invitation, LAST_MANAGER } from '../../../lib/tenancy/members/members.ts'

const memberResponse = (member: Member): MemberResponse => member

/** @throws {ApiError} `conflict` for the last manager */
const unlessLast = (update: MemberUpdate): Member => {
  if (update.outcome === 'last_manager') throw new ApiError('conflict', LAST_MANAGER)
  return update.member
}

/** /members: the people with access to the workspace, and their roles. Design, section 12. */
export default createRoutes()
  .get('/api/workspaces/:workspace/members', member(), query(Page), async (c) => {
    const { limit, cursor } = c.req.valid('query')
    const members = await listMembers(c.var.db, c.var.workspace.id, { cursor, limit: limit + 1 })
    return c.json(page(members, limit, memberResponse))
  })
  .post(
    '/api/workspaces/:workspace/members',
    freshMember(),
    passkeyToPay(),
    body(NewMember),
    idempotent(),
    async (c) => {
      const { email, role } = c.req.valid('json')
      const { db, user, workspace } = c.var
      const details = invitation({ workspace, role, invitedBy: user.email, baseUrl: c.req.url })
      const member = await inviteMember(db, actOf(c), { email, details })
      if (!member) throw new ApiError('conflict', alreadyMember(email))
      return c.json(memberResponse(member), 201)
    },
  )
  .patch(
    '/api/workspaces/:workspace/members/:id',
    freshMember(),
    passkeyToPay(),
    body(MemberChange),
    async (c) => {
      const change = c.req.valid('json')
      const update = await found('member', c.req.param('id'), (id) =>
        changeMember(c.var.db, actOf(c), id, change),
      )
      return c.json(memberResponse(unlessLast(update)))
    },
  )
  .delete('/api/workspaces/:workspace/members/:id', freshMember(), passkeyToPay(), async (c) => {
    unlessLast(
      await found('member', c.req.param('id'), (id) => removeMember(c.var.db, actOf(c), id)),
    )
    return c.body(null, 204)
  })
