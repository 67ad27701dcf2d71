import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { idempotent } from '../../../lib/auth/idempotency/idempotent.ts'
import { session } from '../../../lib/auth/session.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { body } from '../../../lib/http/validate.ts'
import {
  refusalOf,
  type SignupBindings,
  signupOf,
  slugTaken,
} from '../../../lib/tenancy/workspaces/signup.ts'
import {
  createWorkspace,
  listWorkspaces,
  type Membership,
} from '../../../lib/tenancy/workspaces/workspaces.queries.ts'
import type { WorkspaceResponse } from '../../../lib/tenancy/workspaces/workspaces.responses.ts'
import { NewWorkspace } from '../../../lib/tenancy/workspaces/workspaces.schemas.ts'

const workspaceResponse = ({ id, slug, name, mode, role }: Membership): WorkspaceResponse => ({
  id,
  slug,
  name,
  mode,
  role,
})

/**
 * /api/workspaces: lists the caller's workspaces. POST creates one, with the caller as its manager.
 */
export default createRoutes<WorkspaceEnv & { Bindings: SignupBindings }>()
  .post('/api/workspaces', session(), body(NewWorkspace), idempotent(), async (c) => {
    const { db, firstId, now, user } = c.var
    const wanted = c.req.valid('json')
    const signup = signupOf(user.email, c.env)

    const workspace = await createWorkspace(db, { ...wanted, signup, now, firstId })
    if (workspace === 'not_allowed')
      throw new ApiError(signup.isOpen ? 'conflict' : 'signup_closed', refusalOf(signup))
    if (workspace === 'slug_taken') throw new ApiError('conflict', slugTaken(wanted.slug))

    return c.json(workspaceResponse(workspace), 201)
  })
  .get('/api/workspaces', session(), async (c) => {
    const workspaces = await listWorkspaces(c.var.db, c.var.user.email)
    return c.json({ data: workspaces.map(workspaceResponse), nextCursor: null })
  })
