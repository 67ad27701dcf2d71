/** Invites people, for the API and the page. */
import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../auth/access.ts'
import { senderOf } from '../values/emails.ts'
import { invite } from './invitations.queries.ts'

type Wanted = { programId: string; groupId: string | null; emails: string[] }

/** Invites people in the name of the request's person or key. */
export const invitePeople = (c: Context<WorkspaceEnv>, wanted: Wanted) => {
  const { db, workspace, actor } = c.var
  return invite(db, actOf(c), {
    ...wanted,
    workspaceName: workspace.name,
    sender: senderOf(actor),
    url: new URL(`/join/${wanted.programId}/apply`, c.req.url).href,
  })
}
