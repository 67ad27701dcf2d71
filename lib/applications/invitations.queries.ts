/** Invitations. Invited people become partners when they accept. */
import { sql } from 'kysely'
import { type Act, auditEntry } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import type { Invitee } from './invitations.ts'
import { blankPageQuery } from './join-pages.queries.ts'

type People = {
  programId: string
  groupId: string | null
  emails: string[]
  /** For the mail: its sender, and its link. A backend has no address. */
  workspaceName: string
  sender: string | null
  url: string
}

/**
 * Invites people who are no partners, have not applied and are not blocked, at most once a day
 * each. Concurrent copies with the same `now` invite once, and return the same result.
 *
 * @param people at least one; addresses are normalized and distinct
 * @returns the result of each, in the same order
 */
export const invite = async (
  db: Db,
  act: Act,
  { programId, groupId, emails, workspaceName, sender, url }: People,
): Promise<Invitee[] | 'program_not_found' | 'group_not_found'> => {
  const { workspaceId, actor, now } = act
  const program = await db
    .selectFrom('programs as p')
    .leftJoin('groups as g', (join) =>
      join.onRef('g.program_id', '=', 'p.id').on('g.id', '=', groupId),
    )
    .where('p.workspace_id', '=', workspaceId)
    .where('p.id', '=', programId)
    .select(['p.name', 'g.id as groupId'])
    .executeTakeFirst()
  if (!program) return 'program_not_found'
  if (program.groupId !== groupId) return 'group_not_found'

  const asked = sql.join(emails.map((email) => sql`(${email}::text)`))
  const details = JSON.stringify({
    programName: program.name,
    workspaceName,
    invitedBy: sender,
    url,
  })
  const isNew = sql`a.program_id = ${programId} and a.email in (select email from (values ${asked}) as e (email)) and a.invited_at = ${now}`
  const [, , , invitees] = await db.batch([
    blankPageQuery(workspaceId, programId).compile(db),
    sql`
      insert into applications as a (id, workspace_id, program_id, email, name, promotion, answers, invited_at, invited_by, group_id)
      select uuidv7(), ${workspaceId}, ${programId}, e.email, '', '', '[]', ${now}, ${actor}, ${groupId}::uuid
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
    sql<Invitee>`
      select e.email, a.id as "applicationId", case
               when p.id is not null or a.status = 'approved' then 'partner'
               when a.is_blocked then 'blocked'
               when a.status = 'invited' and a.invited_at = ${now} then 'invited'
               when a.status = 'invited' then 'invited_before'
               else 'applied' end as status
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
  const places = new Map(emails.map((email, place) => [email, place]))
  return invitees.toSorted((a, b) => (places.get(a.email) ?? 0) - (places.get(b.email) ?? 0))
}
