/**
 * People who may approve payout runs: they have had their role, and have signed in, for longer than
 * 72 hours.
 */
import type { Role } from '../../lib/rules/roles/roles.ts'

type Query = (text: string, values: unknown[]) => Promise<unknown>

/**
 * Makes a person, a member or not, a manager of a workspace who may approve, or gives it another
 * role.
 */
export const addApprover = async (
  query: Query,
  workspaceId: string,
  email: string,
  role: Role = 'manager',
): Promise<void> => {
  await query(
    `insert into members (id, workspace_id, email, role) values (uuidv7(), $1, $2, $3)
     on conflict (workspace_id, email) do update set role = excluded.role`,
    [workspaceId, email, role],
  )
  await query(
    `update members set role_since = now() - interval '4 days' where workspace_id = $1 and email = $2`,
    [workspaceId, email],
  )
  await query(
    `insert into sign_in.users (id, name, email, email_verified, created_at, updated_at)
     values (uuidv7(), '', $1, true, now() - interval '4 days', now())
     on conflict (email) do update set created_at = excluded.created_at`,
    [email],
  )
}
