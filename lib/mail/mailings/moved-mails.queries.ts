/** The “We’ve moved” mail to partners who exist already. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import type { MovedDetails } from '../outbox/details.ts'
import { candidatesQuery } from './mailings.queries.ts'
import type { MovedCandidate } from './moved-mails.ts'

/** The partners of a workspace among the ids, oldest first. @param ids UUIDs, at least one */
export const listMovedCandidates = (
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<MovedCandidate[]> =>
  candidatesQuery(db, workspaceId, ids)
    .select([
      'pr.id as programId',
      'pr.site_url as siteUrl',
      'p.former_link as formerLink',
      sql<string[]>`array(select l.slug from links l where l.partner_id = p.id)`.as('otherSlugs'),
      sql<boolean>`exists (
        select from mails m where m.partner_id = p.id and m.kind in ('moved', 'welcome') and m.occasion = '')`.as(
        'isWelcomed',
      ),
    ])
    .execute()

/** Queues the mails, except those to partners who were sent one meanwhile. */
export const queueMovedMails = async (
  db: Db,
  act: Act,
  mails: readonly { partnerId: string; email: string; details: MovedDetails }[],
): Promise<void> => {
  const { workspaceId, now } = act
  const rows = mails.map((mail) => ({ ...mail, id: newId() }))
  const queued = sql<number>`select count(*) from mails where id = any(${rows.map(({ id }) => id)}::uuid[])`
  await db.batch([
    sql`
      insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at, next_attempt_at)
      select x.id, ${workspaceId}::uuid, 'moved', x.email, x."partnerId", x.details, ${now}::timestamptz, ${now}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(id uuid, "partnerId" uuid, email text, details jsonb)
      order by x."partnerId"
      on conflict do nothing`.compile(db),
    auditEntry(db, {
      ...act,
      action: 'partners.mailed',
      subjectId: null,
      details: sql`jsonb_build_object('subject', 'We’ve moved', 'recipients', (${queued}))`,
      when: sql<SqlBool>`(${queued}) > 0`,
    }).compile(),
  ])
}
