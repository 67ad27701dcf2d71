/**
 * `npm run workspace:recover -- <slug or id> <email>`: makes a person a manager of a workspace
 * whose managers can no longer sign in. The audit log records it, and all other managers are
 * mailed. Nobody is removed. May be repeated.
 */
import { newId } from '../lib/db/ids.ts'
import { readEmail } from '../lib/values/emails.ts'
import { withClient } from './database.ts'

const USAGE = 'DATABASE_URL=postgres://... npm run workspace:recover -- <slug or id> <email>'

const RECOVER = `
  with chosen as (
    select w.id, w.name, (select m.role from members m where m.workspace_id = w.id and m.email = $2) as role
    from workspaces w where w.slug = lower($1) or w.id::text = lower($1)),
  added as (
    insert into members (id, workspace_id, email, role)
    select $3, id, $2, 'manager' from chosen where role is distinct from 'manager'
    on conflict (workspace_id, email) do update set role = 'manager'
    returning id, workspace_id),
  noted as (
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    select $4, workspace_id, 'operator', 'member.recovered', id, jsonb_build_object('email', $2::text), now() from added),
  mailed as (
    insert into mails (id, workspace_id, kind, recipient, details, created_at, next_attempt_at)
    select uuidv7(), a.workspace_id, 'workspace_notice', m.email,
           jsonb_build_object('workspaceName', c.name, 'notice', 'manager_recovered', 'person', $2::text), now(), now()
    from added a join chosen c on c.id = a.workspace_id
    join members m on m.workspace_id = a.workspace_id and m.role = 'manager' and m.email <> $2)
  select name, role from chosen`

try {
  const [workspace, typed] = process.argv.slice(2)
  const { DATABASE_URL } = process.env
  if (!workspace || !typed || !DATABASE_URL)
    throw new Error(`Name the database, the workspace and the person: ${USAGE}`)
  const email = readEmail(typed)
  if (!email) throw new Error(`"${typed}" is not an email address.`)
  await withClient(DATABASE_URL, async (client) => {
    const { rows } = await client.query<{ name: string; role: string | null }>(RECOVER, [
      workspace,
      email,
      newId(),
      newId(),
    ])
    const [found] = rows
    if (!found) throw new Error(`No workspace has the slug or id "${workspace}".`)
    console.log(
      found.role === 'manager'
        ? `${email} is already a manager of ${found.name}.`
        : `${email} is now a manager of ${found.name}, and can sign in at /sign-in. The other managers are mailed at the mailer’s next run.`,
    )
  })
} catch (error) {
  console.error(`Nothing was changed. ${(error as Error).message}`)
  process.exitCode = 1
}
