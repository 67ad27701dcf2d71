import { actOf, freshMember, member } from '../../../lib/auth/access.ts'
import { idempotent } from '../../../lib/auth/idempotency/idempotent.ts'
import { passkeyToPay } from '../../../lib/auth/passkey-for-payouts.ts'
import { changeById, readPage } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { Page } from '../../../lib/http/lists.ts'
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

const MEMBERS = '/api/workspaces/:workspace/members'

/** /members: the people with access to the workspace, and their roles. Design, section 12. */
export default createRoutes()
  .get(MEMBERS, member(), query(Page), async (c) =>
    c.json(await readPage(c, c.req.valid('query'), listMembers, memberResponse)),
  )
  .post(MEMBERS, freshMember(), passkeyToPay(), body(NewMember), idempotent(), async (c) => {
    const { email, role } = c.req.valid('json')
    const { db, user, workspace } = c.var
    const details = invitation({ workspace, role, invitedBy: user.email, baseUrl: c.req.url })
    const member = await inviteMember(db, actOf(c), { email, details })
    if (!member) throw new ApiError('conflict', alreadyMember(email))
    return c.json(memberResponse(member), 201)
  })
  .patch(`${MEMBERS}/:id`, freshMember(), passkeyToPay(), body(MemberChange), async (c) => {
    const change = c.req.valid('json')
    const update = await changeById(c, 'member', changeMember, change)
    return c.json(memberResponse(unlessLast(update)))
  })
  .delete(`${MEMBERS}/:id`, freshMember(), passkeyToPay(), async (c) => {
    unlessLast(await changeById(c, 'member', removeMember))
    return c.body(null, 204)
  })
