/** Invitations of members, and why a change is refused. */

import type { InvitationDetails } from '../../mail/outbox/details.ts'
import type { Role } from '../../rules/roles/roles.ts'

type Invitation = {
  workspace: { slug: string; name: string }
  role: Role
  /** The email address of the manager who invites. */
  invitedBy: string
  /** Any URL of this installation. */
  baseUrl: string
}

/** The details of an invitation's mail. Its link leads to the workspace, by the sign-in page. */
export const invitation = ({
  workspace,
  role,
  invitedBy,
  baseUrl,
}: Invitation): InvitationDetails => {
  const url = new URL('/sign-in', baseUrl)
  url.searchParams.set('next', `/app/${workspace.slug}`)
  return { workspaceName: workspace.name, role, invitedBy, url: url.href }
}

export const alreadyMember = (email: string) => `${email} is already a member of this workspace.`

export const LAST_MANAGER =
  'This is the last manager of the workspace who has signed in. Make another member a manager first, and let that person sign in once.'
