/** Managers who may approve payout runs: they have been managers, and have signed in, for longer than 72 hours. */

type Query = (text: string, values: unknown[]) => Promise<unknown>

/** Makes a person, a member or not, a manager of a workspace who may approve. */
export const addApprover = async (query: Query, workspaceId: string, email: string): Promise<void> => {
  await query(
    `insert into members (id, workspace_id, email, role) values (uuidv7(), $1, $2, 'manager')
     on conflict (workspace_id, email) do update set role = 'manager'`,
    [workspaceId, email],
  )
  await query(
    `update members set manager_since = now() - interval '4 days' where workspace_id = $1 and email = $2`,
    [workspaceId, email],
  )
  await query(
    `insert into sign_in.users (id, name, email, email_verified, created_at, updated_at)
     values (uuidv7(), '', $1, true, now() - interval '4 days', now())
     on conflict (email) do update set created_at = excluded.created_at`,
    [email],
  )
}
