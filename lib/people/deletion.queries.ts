/**
 * Deletion of a workspace: a manager schedules it, any manager cancels it, and erase_workspaces of
 * schema/erasure.sql does it.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Act, AuditAction } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { lockPayouts } from '../db/locks.queries.ts'
import type { MoneyUnderWay } from './deletion.ts'

/** The deletion of a workspace, or what prevents it. */
export type Deletion = {
  deletesAt: Date | null
  /** The address of the manager who scheduled it. */
  scheduledBy: string | null
  underWay: MoneyUnderWay | null
}

const selectDeletion = (workspaceId: string) => sql<Deletion>`
  select deletes_at as "deletesAt", deletion_by as "scheduledBy", money_under_way(id) as "underWay"
  from workspaces where id = ${workspaceId}`

/** @throws if the workspace is gone */
export const readDeletion = async (db: Db, workspaceId: string): Promise<Deletion> => {
  const { rows } = await selectDeletion(workspaceId).execute(db)
  return one(rows)
}

const one = (rows: Deletion[]): Deletion => {
  const [row] = rows
  if (!row) throw new Error('The workspace is gone.')
  return row
}

/** Locks payouts and the workspace, so that concurrent changes are seen. */
const locks = (workspaceId: string) => [
  lockPayouts(workspaceId),
  sql`select id from workspaces where id = ${workspaceId} for no key update`,
]

type Change = {
  about: 'deletion_scheduled' | 'deletion_canceled'
  /** The update, which returns a row if it changes something. */
  update: RawBuilder<unknown>
  day: string | null
  url: string
}

/**
 * Changes the workspace and, if that was not done before, adds an audit entry and mails all
 * managers.
 */
const change = ({ actor, now }: Act, { about, update, day, url }: Change) => sql`
  with done as (${update}),
  noted as (
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    select uuidv7(), id, ${actor}, ${`workspace.${about}` satisfies AuditAction}, id,
           jsonb_strip_nulls(jsonb_build_object('day', ${day}::text)), ${now}::timestamptz
    from done
  )
  select mail_managers(id, ${about}, ${actor}, null, ${day}, ${url}, ${newId()}, ${now}) from done`

/**
 * Schedules the deletion, and mails all managers, unless it is scheduled already or money is under
 * way. Idempotent. @param url the page of the deletion
 */
export const scheduleDeletion = async (
  db: Db,
  act: Act,
  { deletesAt, url }: { deletesAt: Date; url: string },
): Promise<Deletion> => {
  const { workspaceId, actor } = act
  const update = sql`
    update workspaces set deletes_at = ${deletesAt}, deletion_by = ${actor}
    where id = ${workspaceId} and deletes_at is null and money_under_way(id) is null returning id`
  const day = deletesAt.toISOString().slice(0, 10)
  const results = await db.batch([
    ...locks(workspaceId).map((statement) => statement.compile(db)),
    change(act, { about: 'deletion_scheduled', update, day, url }).compile(db),
    selectDeletion(workspaceId).compile(db),
  ])
  return one(results.at(-1) as Deletion[])
}

/** Cancels the deletion, and mails all managers. Idempotent. */
export const cancelDeletion = async (db: Db, act: Act, url: string): Promise<void> => {
  const { workspaceId } = act
  const update = sql`
    update workspaces set deletes_at = null, deletion_by = null
    where id = ${workspaceId} and deletes_at is not null and erasing_since is null returning id`
  await db.batch([
    ...locks(workspaceId).map((statement) => statement.compile(db)),
    change(act, { about: 'deletion_canceled', update, day: null, url }).compile(db),
  ])
}

/** Whether a deletion is due, as a condition. */
export const hasDueDeletions = (now: Date) =>
  sql`exists (select from workspaces where deletes_at <= ${now})`

/**
 * Erases some rows of a workspace whose deletion is due. @returns how many, or `limit` if rows are
 * left
 */
export const eraseDue = async (db: Db, now: Date, limit: number): Promise<number> => {
  const { rows } = await sql<{
    erased: number
  }>`select erase_workspaces(${now}, ${limit}) as erased`.execute(db)
  return rows[0]?.erased ?? 0
}
