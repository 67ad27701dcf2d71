/**
 * The limit above which payout runs wait for a second manager. Database functions change it, so
 * that no Worker can raise it.
 */
import { sql } from 'kysely'
import type { Act } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import type { LimitRefusal, LimitRequest } from './approval-limit.ts'

/**
 * Lowers the limit, or requests a higher one, as a statement of a batch. @param url the page of the
 * settings
 */
export const setApprovalLimit = ({ workspaceId, actor }: Act, cents: number | null, url: string) =>
  sql`select set_approval_limit(${workspaceId}, ${cents}, ${actor}, ${url})`

/** The open request of a workspace, as a query for a batch. */
export const limitRequestQuery = (db: Db, workspaceId: string) =>
  db
    .selectFrom('approval_limit_requests')
    .where('workspace_id', '=', workspaceId)
    .select([
      'id',
      sql<number | null>`above_cents::float8`.as('approvalAboveCents'),
      'requested_by as requestedBy',
      'requested_at as requestedAt',
    ])

export const findLimitRequest = async (db: Db, workspaceId: string): Promise<LimitRequest | null> =>
  (await limitRequestQuery(db, workspaceId).executeTakeFirst()) ?? null

/** Why this manager may not approve the open request; null if it may, or there is none. */
export const findLimitRefusal = async (
  db: Db,
  workspaceId: string,
  manager: string,
): Promise<LimitRefusal | null> => {
  const { rows } = await sql<{ refusal: LimitRefusal | null }>`
    select approval_limit_refusal(r, ${manager}) as refusal from approval_limit_requests r
    where r.workspace_id = ${workspaceId}`.execute(db)
  return rows[0]?.refusal ?? null
}

/**
 * Approves or declines a request, and mails all managers.
 *
 * @param id a UUID
 * @param url the page of the settings
 * @returns why this manager may not; undefined if the request no longer exists
 */
export const decideLimitRequest = async (
  db: Db,
  { workspaceId, actor }: Act,
  id: string,
  { wanted, url }: { wanted: 'approve' | 'decline'; url: string },
): Promise<{ refusal: LimitRefusal | null } | undefined> => {
  const { rows } = await sql<{ refusal: LimitRefusal | 'gone' | null }>`
    select decide_approval_limit(${workspaceId}, ${id}, ${wanted === 'approve'}, ${actor}, ${url}) as refusal`.execute(
    db,
  )
  const refusal = rows[0]?.refusal ?? null
  return refusal === 'gone' ? undefined : { refusal }
}
