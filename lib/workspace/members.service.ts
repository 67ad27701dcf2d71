/** Members of a workspace: what an invitation says, and why one is refused, or not let go. */
import type { Context } from 'hono'
import type { WorkspaceEnv } from '../auth/access.ts'
import type { Role } from '../db/tables.ts'
import type { InvitationDetails } from '../mail/details.ts'

/** What an invitation says: who asks whom, into what, and where to sign in. */
export const invitation = (c: Context<WorkspaceEnv>, role: Role): InvitationDetails => {
  const { workspace, user } = c.var
  const url = new URL('/sign-in', c.req.url)
  url.searchParams.set('next', `/app/${workspace.slug}`)
  return { workspaceName: workspace.name, role, invitedBy: user.email, url: url.href }
}

/** Why somebody isn't invited. */
export const alreadyMember = (email: string) => `${email} is a member of this workspace already.`

/** Why a manager can't go, or become a member. */
export const LAST_MANAGER = 'This is the workspace’s last manager. Make somebody else a manager first.'
