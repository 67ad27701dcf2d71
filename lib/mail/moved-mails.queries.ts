/** The “We’ve moved” mail to partners who exist already. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { type Act, auditEntry } from '../workspace/audit.queries.ts'
import type { WelcomeDetails } from './details.ts'
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
      'pr.site_url as siteUrl',
      sql<boolean>`exists (
        select from mails m where m.partner_id = p.id and m.kind in ('moved', 'welcome') and m.occasion = '')`.as(
        'isWelcomed',
      ),
    ])
    .execute()

/** Queues the mails, each unless the partner was sent one meanwhile. */
export const queueMovedMails = async (
  db: Db,
  act: Act,
  mails: readonly { partnerId: string; email: string; details: WelcomeDetails }[],
): Promise<void> => {
  const { workspaceId, now } = act
  const ids = mails.map(({ partnerId }) => partnerId)
  await db.batch([
    sql`
      insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at, next_attempt_at)
      select uuidv7(), ${workspaceId}::uuid, 'moved', x.email, x."partnerId", x.details, ${now}::timestamptz, ${now}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(mails)}::jsonb) as x("partnerId" uuid, email text, details jsonb)
      order by x."partnerId"
      on conflict do nothing`.compile(db),
    auditEntry(db, {
      ...act,
      action: 'partners.mailed',
      subjectId: null,
      details: { subject: 'We’ve moved', recipients: mails.length },
      when: sql<SqlBool>`exists (
        select from mails where partner_id = any(${ids}::uuid[]) and kind = 'moved' and created_at = ${now}::timestamptz)`,
    }).compile(),
  ])
}
