/** Invitations to a workspace. */
import type { Context } from 'hono'
import type { Role } from '../data/tables.ts'
import type { InvitationDetails } from '../mail/details.ts'
import type { WorkspaceEnv } from './access.ts'

/** What an invitation says: who asks whom, into what, and where to sign in. */
export const invitation = (c: Context<WorkspaceEnv>, role: Role): InvitationDetails => {
  const { workspace, user } = c.var
  const url = new URL('/sign-in', c.req.url)
  url.searchParams.set('next', `/app/${workspace.slug}`)
  return { workspaceName: workspace.name, role, invitedBy: user.email, url: url.href }
}
