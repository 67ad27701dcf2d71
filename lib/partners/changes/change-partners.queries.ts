/** Changes of many partners at once. */
import { type CompiledQuery, sql } from 'kysely'
import type { Act } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { isConflict } from '../../db/neon.ts'
import { partnersStay } from '../../imports/undone.queries.ts'
import { withholdMails } from '../../mail/outbox/outbox.queries.ts'
import { cancelForBan } from '../../payouts/corrections/cancel.queries.ts'
import { lostRace } from '../../platform/unavailable.ts'
import { updateTerms } from '../../programs/terms.queries.ts'
import type { PartnerStatus } from '../../tenancy/workspaces/tables.ts'

/** A new status or group; null for no group. */
export type SharedChange = { status: PartnerStatus } | { groupId: string | null }

/** A chosen partner, with the fields that a change depends on. */
export type ChosenPartner = {
  id: string
  name: string | null
  slug: string
  programId: string
  groupId: string | null
  status: PartnerStatus
}

/** The partners among the ids (UUIDs), by name, as a query. Erased ones are never changed. */
export const chosenQuery = (db: Db, workspaceId: string, ids: readonly string[]) =>
  db
    .selectFrom('partners')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .where('undone_at', 'is', null)
    .where('email', 'not like', '%@erased.invalid')
    .select(['id', 'name', 'slug', 'program_id as programId', 'group_id as groupId', 'status'])
    .orderBy(sql`lower(coalesce(name, slug))`)
    .orderBy('id')

/** Whether the change affects a partner. A group takes partners of its program only. */
export const concerns = (
  partner: ChosenPartner,
  change: SharedChange,
  programOfGroup: string | null,
): boolean =>
  'status' in change
    ? partner.status !== change.status
    : partner.groupId !== change.groupId &&
      (change.groupId === null || partner.programId === programOfGroup)

/**
 * Changes partners in one batch, with an audit entry for each.
 *
 * @param ids of partners whom the change affects
 * @throws {Unavailable} if the import of one of them was undone since the read
 */
export const changePartners = async (
  db: Db,
  act: Act,
  ids: readonly string[],
  change: SharedChange,
): Promise<void> => {
  if (ids.length === 0) return
  const { workspaceId, actor, now } = act
  const isBan = 'status' in change && change.status === 'banned'
  const details =
    'status' in change
      ? sql`jsonb_build_object('email', p.email, 'status', jsonb_build_object('from', p.status, 'to', ${change.status}::text))`
      : sql`jsonb_build_object('email', p.email, 'group', jsonb_build_object(
              'from', (select g.name from groups g where g.id = p.group_id),
              'to', (select g.name from groups g where g.id = ${change.groupId}::uuid)))`
  const audit = sql`
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    select uuidv7(), p.workspace_id, ${actor}, 'partner.changed', p.id, ${details}, ${now}::timestamptz
    from partners p where p.workspace_id = ${workspaceId} and p.id in (${sql.join(ids)})`
  const values = 'status' in change ? { status: change.status } : { group_id: change.groupId }
  const statements: CompiledQuery[] = [
    // The lock of payouts comes first.
    ...(isBan ? [lockPayouts(workspaceId).compile(db)] : []),
    partnersStay(ids, 'no key update').compile(db),
    audit.compile(db),
    updateTerms(db, act, 'partners', ids, values),
    ...(isBan
      ? [withholdMails(workspaceId, ids, now).compile(db), ...cancelForBan(db, act, ids)]
      : []),
  ]
  try {
    await db.batch(statements)
  } catch (error) {
    if (isConflict(error)) throw lostRace('the chosen partners')
    throw error
  }
}
