/**
 * `npm run workspace:trust -- <slug or id>`: with open sign-up, lets a new workspace mail people
 * who have never signed in, without a limit. The mailer's next cron sends held mails. May be
 * repeated.
 */
import { newId } from '../lib/db/ids.ts'
import { withClient } from './database.ts'

const USAGE = 'DATABASE_URL=postgres://... npm run workspace:trust -- <slug or id>'

const TRUST = `
  with chosen as (select id, name, trusted_at from workspaces where slug = lower($1) or id::text = lower($1)),
  trusted as (update workspaces w set trusted_at = now() from chosen c where w.id = c.id and c.trusted_at is null returning w.id),
  noted as (
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    select $2, id, 'operator', 'workspace.trusted', id, '{}', now() from trusted)
  select name, trusted_at is not null as "wasTrusted" from chosen`

try {
  const [workspace] = process.argv.slice(2)
  const { DATABASE_URL } = process.env
  if (!workspace || !DATABASE_URL) throw new Error(`Name the database and the workspace: ${USAGE}`)
  await withClient(DATABASE_URL, async (client) => {
    const { rows } = await client.query<{ name: string; wasTrusted: boolean }>(TRUST, [
      workspace,
      newId(),
    ])
    const [found] = rows
    if (!found) throw new Error(`No workspace has the slug or id "${workspace}".`)
    console.log(
      found.wasTrusted
        ? `${found.name} is already trusted.`
        : `${found.name} may mail people who have never signed in. The mailer’s next cron sends held mails, within CRON_MINUTES (30).`,
    )
  })
} catch (error) {
  console.error(`Nothing was changed. ${(error as Error).message}`)
  process.exitCode = 1
}
