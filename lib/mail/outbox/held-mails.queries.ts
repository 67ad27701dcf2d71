/**
 * Mails of new workspaces where sign-up is open, to people who have never signed in: a stranger
 * must not mail anybody from this installation. The function hold_mails of schema.sql holds them.
 */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'

/** The limit per workspace and run. A trusted workspace has no daily limit. */
const MAX_RELEASED = 1_000

const isHeld = sql`is_held and failed_at is null`

export const hasHeldMails = sql`exists (select from mails where ${isHeld})`

/**
 * Releases held mails: all of a trusted workspace, and of others so many a day (UTC), once a sale
 * was credited to a partner, by folded totals. Reads one row by index for each workspace with held
 * mails. Idempotent, also concurrently.
 */
export const releaseMails = async (db: Db, daily: number, now: Date): Promise<number> => {
  const today = new Date(now.toISOString().slice(0, 10))
  const nextOf = (after: ReturnType<typeof sql>) => sql`
    (select workspace_id from mails where ${isHeld} ${after} order by workspace_id limit 1)`
  const { rows } = await sql`
    with recursive holding (id) as (
      select ${nextOf(sql``)}
      union all
      select ${nextOf(sql`and workspace_id > holding.id`)} from holding where holding.id is not null
    ), rooms as (
      select w.id, case
          when w.trusted_at is not null then ${MAX_RELEASED}::integer
          when exists (select from totals t where t.workspace_id = w.id and t.level = 'program' and t.dimension = 'all' and t.unit = 'month'
                         and t.of_id <> w.id and t.sales > 0)
            then ${daily}::integer - (select count(*) from mails m
                                      where m.workspace_id = w.id and m.released_at >= ${today}::timestamptz)
          else 0 end as room
      from holding join workspaces w on w.id = holding.id
    ), due as (
      select m.id from rooms, lateral (
        select id from mails where workspace_id = rooms.id and ${isHeld} order by id limit greatest(rooms.room, 0)) m
    )
    update mails m set is_held = false, released_at = ${now}, next_attempt_at = ${now}
    where m.id in (select id from due) and m.is_held
    returning m.id`.execute(db)
  return rows.length
}

/** Whether a workspace has mails to this person that are held. */
export const holdsMails = async (
  db: Db,
  workspaceId: string,
  recipient: string,
): Promise<boolean> => {
  const { rows } = await sql<{ holds: SqlBool }>`
    select exists (select from mails where workspace_id = ${workspaceId} and recipient = ${recipient} and is_held) as holds`.execute(
    db,
  )
  return rows[0]?.holds === true
}

/** Whether a workspace's mails to people who never signed in wait: a manager reads them first. */
export const holdsNewMails = async (db: Db, workspaceId: string): Promise<boolean> => {
  const { trusted_at } = await db
    .selectFrom('workspaces')
    .select('trusted_at')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return trusted_at === null
}
