import type { InvitationsResponse } from '../../../lib/applications/applications.responses.ts'
import { NewInvitations } from '../../../lib/applications/applications.schemas.ts'
import { countInvitees } from '../../../lib/applications/invitations.ts'
import { invitePeople } from '../../../lib/applications/invite.service.ts'
import { freshWriter } from '../../../lib/auth/access.ts'
import { idempotent } from '../../../lib/auth/idempotency/idempotent.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { notFound } from '../../../lib/http/found-or-404.ts'
import { body } from '../../../lib/http/validate.ts'

/** POST /invitations: invites people by email. */
export default createRoutes().post(
  '/api/workspaces/:workspace/invitations',
  freshWriter(),
  body(NewInvitations),
  idempotent(),
  async (c) => {
    const { groupId = null, ...wanted } = c.req.valid('json')
    const results = await invitePeople(c, { ...wanted, groupId })
    if (results === 'program_not_found') throw notFound('program')
    if (results === 'group_not_found') throw notFound('group')
    const summary = countInvitees(results)
    return c.json(
      { summary, results } satisfies InvitationsResponse,
      summary.invited > 0 ? 201 : 200,
    )
  },
)
