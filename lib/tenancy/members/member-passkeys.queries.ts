/** Passkeys of members that do not count yet. Managers remove them if payouts require a passkey. */
import { sql } from 'kysely'
import type { Act } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'

export type WaitingPasskey = { id: string; email: string; createdAt: Date; countsFrom: Date }

export const listWaitingPasskeys = async (
  db: Db,
  workspaceId: string,
  now: Date,
): Promise<WaitingPasskey[]> => {
  const { rows } = await sql<WaitingPasskey>`
    select id, email, created_at as "createdAt", counts_from as "countsFrom"
    from waiting_passkeys(${workspaceId}, ${now})`.execute(db)
  return rows
}

/**
 * Removes a passkey, and mails its owner.
 * @param url the page of the person's passkeys
 * @returns false if there is none
 */
export const cancelPasskey = async (
  db: Db,
  { workspaceId, actor, now }: Act,
  id: string,
  url: string,
): Promise<boolean> => {
  const { rows } = await sql<{ isRemoved: boolean }>`
    select cancel_passkey(${workspaceId}, ${actor}, ${id}, ${url}, ${now}) as "isRemoved"`.execute(
    db,
  )
  return rows[0]?.isRemoved ?? false
}
