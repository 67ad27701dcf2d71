/** Invitations, and why a change of members is refused. */
import type { Context } from 'hono'
import type { WorkspaceEnv } from '../auth/access.ts'
import type { Role } from '../db/tables.ts'
import type { InvitationDetails } from '../mail/details.ts'

export const invitation = (c: Context<WorkspaceEnv>, role: Role): InvitationDetails => {
  const { workspace, user } = c.var
  const url = new URL('/sign-in', c.req.url)
  url.searchParams.set('next', `/app/${workspace.slug}`)
  return { workspaceName: workspace.name, role, invitedBy: user.email, url: url.href }
}

export const alreadyMember = (email: string) => `${email} is already a member of this workspace.`

export const LAST_MANAGER = 'This is the last manager of the workspace. Make another member a manager first.'
