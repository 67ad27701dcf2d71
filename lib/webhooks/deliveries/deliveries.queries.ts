/** Deliveries as managers list and resend them. */
import { sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import type { PageRequest } from '../../db/page-request.ts'
import type { DeliveryStatus } from './deliveries.ts'

type DeliveryFilter = PageRequest & {
  endpointId?: string | undefined
  status?: DeliveryStatus | undefined
}

const selectDeliveries = (db: Db, workspaceId: string) =>
  db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhook_events as w', 'w.id', 'd.event_id')
    .where('d.workspace_id', '=', workspaceId)
    .select([
      'd.id',
      'd.endpoint_id as endpointId',
      'd.event_id as eventId',
      'w.type',
      'w.subject_id as subjectId',
      'd.status',
      'd.attempts',
      'd.created_at as createdAt',
      sql<Date | null>`case when d.delivered_at is null and d.failed_at is null then d.next_attempt_at end`.as(
        'nextAttemptAt',
      ),
      'd.delivered_at as deliveredAt',
      'd.failed_at as failedAt',
    ])

/** The deliveries of a workspace, newest first, as a query. */
export const deliveriesQuery = (db: Db, workspaceId: string, filter: DeliveryFilter) =>
  selectDeliveries(db, workspaceId)
    .where('d.id', 'in', (eb) =>
      eb
        .selectFrom('webhook_deliveries')
        .where('workspace_id', '=', workspaceId)
        .where((own) =>
          own.and([
            ...(filter.endpointId ? [own('endpoint_id', '=', filter.endpointId)] : []),
            ...(filter.status ? [own('status', '=', filter.status)] : []),
            // The predicate of webhook_deliveries_undelivered_idx: most are delivered.
            ...(filter.status && filter.status !== 'delivered'
              ? [own('delivered_at', 'is', null)]
              : []),
            ...(filter.cursor ? [own('id', '<', filter.cursor)] : []),
          ]),
        )
        .select('id')
        .orderBy('id', 'desc')
        .limit(filter.limit),
    )
    .orderBy('d.id', 'desc')

/** One delivery with its requests, or undefined. @param id a UUID */
export const findDelivery = (db: Db, workspaceId: string, id: string) =>
  selectDeliveries(db, workspaceId)
    .where('d.id', '=', id)
    .select(['w.payload', 'd.tries'])
    .executeTakeFirst()

export type DeliveryDetail = NonNullable<Awaited<ReturnType<typeof findDelivery>>>

const queued = (now: Date, lane: 'first' | 'retry') => sql`
  delivered_at = null, failed_at = null, attempts = 0, first_attempt_at = null, next_attempt_at = ${now}::timestamptz, lane = ${lane}`

/** Sends an event again, with the same id, whatever its status. @param id a UUID */
export const resendDelivery = async (
  db: Db,
  { workspaceId, now }: Act,
  id: string,
): Promise<DeliveryDetail | undefined> => {
  await sql`update webhook_deliveries set ${queued(now, 'first')}
            where workspace_id = ${workspaceId} and id = ${id}`.execute(db)
  return findDelivery(db, workspaceId, id)
}

/** Rows per statement, and statements per request. */
const PAGE = 5_000
const MAX_PAGES = 8
type Page = { count: number; lastId: string | null; lastAt: Date | null }

type Resend = { since: Date; onlyFailed: boolean }

const resendPage = async (
  db: Db,
  { workspaceId, now }: Act,
  endpointId: string,
  { since, onlyFailed, after }: Resend & { after: string | null },
): Promise<Page | undefined> => {
  const { rows } = await sql<Page>`
    with found as (
      select id, created_at from webhook_deliveries
      where workspace_id = ${workspaceId} and endpoint_id = ${endpointId} and created_at >= ${since}::timestamptz
        and (${after}::uuid is null or id > ${after}::uuid)
        and (failed_at is not null or (delivered_at is not null and not ${onlyFailed}::boolean))
      order by id limit ${PAGE}
    ), resent as (
      update webhook_deliveries d set ${queued(now, 'retry')} from found where d.id = found.id
    )
    select count(*)::integer as count, max(id::text) as "lastId", max(created_at) as "lastAt" from found`.execute(
    db,
  )
  return rows[0]
}

/**
 * Resends what has happened since a time, with the same ids, after new deliveries. Queued
 * deliveries do not change.
 *
 * @returns how many, and the time to continue from if there are more
 */
export const resendSince = async (
  db: Db,
  act: Act,
  endpointId: string,
  { since, onlyFailed }: Resend,
): Promise<{ resent: number; continueFrom: Date | null }> => {
  let resent = 0
  let last: Page | undefined
  for (let pages = 0; pages < MAX_PAGES && (!last || last.count === PAGE); pages++) {
    last = await resendPage(db, act, endpointId, { since, onlyFailed, after: last?.lastId ?? null })
    resent += last?.count ?? 0
  }
  const details = { since, onlyFailed, resent }
  await auditEntry(db, {
    ...act,
    action: 'webhook_endpoint.resent',
    subjectId: endpointId,
    details,
  }).execute()
  return { resent, continueFrom: last?.count === PAGE ? last.lastAt : null }
}
