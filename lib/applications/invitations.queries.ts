/** Invitations: managers ask people to be partners, who become one when they accept. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { type Act, auditEntry } from '../workspace/audit.queries.ts'
import { blankPageQuery } from './join-pages.queries.ts'

/** What became of the addresses, as counts. */
export type Invited = {
  invited: number
  /** Not invited again within a day. */
  invitedBefore: number
  partners: number
  applied: number
  blocked: number
}

type People = {
  programId: string
  groupId: string | null
  emails: string[]
  /** What the mail says of the sender, and where it leads. */
  workspaceName: string
  invitedBy: string
  url: string
}

/**
 * Invites people who are no partners, have not applied and are not blocked: at most once a day each. May run twice.
 *
 * @param people at least one, with addresses as they are stored
 * @returns null if the workspace has no such program, or the program no such group
 */
export const invite = async (
  db: Db,
  act: Act,
  { programId, groupId, emails, workspaceName, invitedBy, url }: People,
): Promise<Invited | null> => {
  const { workspaceId, now } = act
  const program = await db
    .selectFrom('programs as p')
    .leftJoin('groups as g', (join) => join.onRef('g.program_id', '=', 'p.id').on('g.id', '=', groupId))
    .where('p.workspace_id', '=', workspaceId)
    .where('p.id', '=', programId)
    .select(['p.name', 'g.id as groupId'])
    .executeTakeFirst()
  if (!program || program.groupId !== groupId) return null

  const asked = sql.join(emails.map((email) => sql`(${email}::text)`))
  const details = JSON.stringify({ programName: program.name, workspaceName, invitedBy, url })
  const isNew = sql`a.program_id = ${programId} and a.email in (select email from (values ${asked}) as e (email)) and a.invited_at = ${now}`
  const [, , , [counts]] = await db.batch([
    blankPageQuery(workspaceId, programId).compile(db),
    sql`
      insert into applications as a (id, workspace_id, program_id, email, name, promotion, answers, invited_at, invited_by, group_id)
      select uuidv7(), ${workspaceId}, ${programId}, e.email, '', '', '[]', ${now}, ${invitedBy}, ${groupId}::uuid
      from (values ${asked}) as e (email)
      where not exists (select from partners p where p.program_id = ${programId} and p.email = e.email)
      order by e.email
      on conflict (program_id, email) do update
        set invited_at = excluded.invited_at, invited_by = excluded.invited_by, group_id = excluded.group_id, applied_at = null,
            outcome = null, decided_at = null, decided_by = null, reason = null
        where not a.is_blocked and (a.status = 'rejected' or a.status = 'invited' and a.invited_at <= ${now}::timestamptz - interval '1 day')`.compile(
      db,
    ),
    sql`
      insert into mails (id, workspace_id, program_id, kind, recipient, details, created_at, next_attempt_at)
      select uuidv7(), ${workspaceId}, ${programId}, 'partner_invitation', a.email, ${details}::jsonb, ${now}, ${now}
      from applications a
      where ${isNew} and not exists (
        select from mails m where m.workspace_id = ${workspaceId} and m.kind = 'partner_invitation' and m.recipient = a.email
                              and m.created_at = ${now})`.compile(db),
    sql<Invited>`
      select count(*) filter (where p.id is not null)::int as partners,
             count(*) filter (where p.id is null and a.invited_at = ${now})::int as invited,
             count(*) filter (where p.id is null and a.status = 'invited' and a.invited_at <> ${now})::int as "invitedBefore",
             count(*) filter (where p.id is null and a.status = 'applied')::int as applied,
             count(*) filter (where p.id is null and a.is_blocked)::int as blocked
      from (values ${asked}) as e (email)
      left join partners p on p.program_id = ${programId} and p.email = e.email
      left join applications a on a.program_id = ${programId} and a.email = e.email`.compile(db),
    auditEntry(db, {
      ...act,
      action: 'application.invited',
      subjectId: null,
      details: sql`jsonb_build_object('invited', (select count(*) from applications a where ${isNew}))`,
    }).compile(),
  ])
  return counts ?? null
}
