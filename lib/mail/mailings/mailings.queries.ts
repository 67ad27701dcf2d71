/** Mails to many partners at once. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import type { MessageDetails } from '../outbox/details.ts'
import type { MailText } from '../texts/texts.ts'
import { type Candidate, MAX_MAILINGS } from './mailing.ts'

const DAY_MS = 86_400_000

/** The partners of a workspace among the ids, oldest first. @param ids UUIDs, at least one */
export const candidatesQuery = (db: Db, workspaceId: string, ids: readonly string[]) =>
  db
    .selectFrom('partners as p')
    .innerJoin('programs as pr', 'pr.id', 'p.program_id')
    .leftJoin('mail_optouts as o', (join) =>
      join.onRef('o.workspace_id', '=', 'p.workspace_id').onRef('o.email', '=', 'p.email'),
    )
    .where('p.workspace_id', '=', workspaceId)
    .where('p.id', 'in', ids)
    .select(['p.id', 'p.email', 'p.name', 'p.slug', 'p.status', 'pr.name as programName'])
    .select((eb) => eb('o.email', 'is not', null).$castTo<boolean>().as('isUnsubscribed'))
    .orderBy('p.id')

export const listCandidates = (
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<Candidate[]> => candidatesQuery(db, workspaceId, ids).execute()

type Mailing = {
  /** The id is that of the form: a form that is submitted again sends no second mail. */
  id: string
  text: MailText
  recipients: readonly Candidate[]
  details: Omit<MessageDetails, 'partnerName' | 'programName'>
}

/**
 * Queues a mail to each recipient, unless the form was sent before.
 *
 * @returns false if the workspace has sent too many mailings
 */
export const queueMailing = async (
  db: Db,
  act: Act,
  { id, text, recipients, details }: Mailing,
): Promise<boolean> => {
  const { workspaceId, now } = act
  const since = new Date(now.getTime() - DAY_MS)
  const isAllowed = sql<SqlBool>`not exists (select from mailings where id = ${id}) and (
    select count(*) from mailings where workspace_id = ${workspaceId} and created_at > ${since}::timestamptz
  ) < ${MAX_MAILINGS}::integer`
  const rows = recipients.map(({ id: partnerId, email, name, programName }) => ({
    partnerId,
    email,
    details: { ...details, partnerName: name, programName } satisfies MessageDetails,
  }))
  const [, , , , [saved]] = await db.batch([
    // Serializes the mailings of the workspace, so that concurrent ones are counted.
    sql`select from workspaces where id = ${workspaceId} for no key update`.compile(db),
    sql`
      insert into mails (id, workspace_id, kind, recipient, partner_id, occasion, details, created_at, next_attempt_at)
      select uuidv7(), ${workspaceId}::uuid, 'message', x.email, x."partnerId", ${id}, x.details, ${now}::timestamptz, ${now}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x("partnerId" uuid, email text, details jsonb)
      where ${isAllowed}
      order by x."partnerId"
      on conflict do nothing`.compile(db),
    auditEntry(db, {
      ...act,
      action: 'partners.mailed',
      subjectId: id,
      details: { subject: text.subject, recipients: recipients.length },
      when: isAllowed,
    }).compile(),
    sql`
      insert into mailings (id, workspace_id, subject, content, created_at)
      select ${id}::uuid, ${workspaceId}::uuid, ${text.subject}, ${text.intro}, ${now}::timestamptz where ${isAllowed}`.compile(
      db,
    ),
    db
      .selectFrom('mailings')
      .where('id', '=', id)
      .where('workspace_id', '=', workspaceId)
      .select('id')
      .compile(),
  ])
  return saved !== undefined
}
