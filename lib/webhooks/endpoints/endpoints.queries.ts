/** Webhook endpoints. Their signing secrets are stored encrypted: see lib/platform/secrets.ts. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { idOf } from '../../db/ids.ts'
import type { PageRequest } from '../../db/page-request.ts'
import { MAX_ENDPOINTS, TEST_TYPE, type WebhookType } from '../types.ts'

const selectEndpoints = (db: Db, workspaceId: string) =>
  db
    .selectFrom('webhook_endpoints')
    .where('workspace_id', '=', workspaceId)
    .where('removed_at', 'is', null)
    .select([
      'id',
      'url',
      'description',
      'types',
      'created_at as createdAt',
      'failing_since as failingSince',
      'disabled_at as disabledAt',
      'disabled_reason as disabledReason',
      'former_until as formerUntil',
    ])

export type EndpointRow = Awaited<ReturnType<typeof listEndpoints>>[number]

/** One endpoint of a workspace, or undefined. @param id a UUID */
export const findEndpoint = (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<EndpointRow | undefined> =>
  selectEndpoints(db, workspaceId).where('id', '=', id).executeTakeFirst()

export const listEndpoints = (db: Db, workspaceId: string, { cursor, limit }: PageRequest) => {
  const endpoints = selectEndpoints(db, workspaceId).orderBy('id', 'desc').limit(limit)
  return (cursor ? endpoints.where('id', '<', cursor) : endpoints).execute()
}

type NewEndpoint = {
  url: string
  description: string | null
  types: WebhookType[]
  ciphertext: string
}

/** The host is enough to recognise an endpoint: paths may contain secrets. */
const hostOf = (url: string): string => new URL(url).host

/** Stores an endpoint. @returns undefined if the workspace has as many as it may have */
export const addEndpoint = async (
  db: Db,
  act: Act,
  endpoint: NewEndpoint,
): Promise<EndpointRow | undefined> => {
  const { workspaceId, now } = act
  const id = idOf(act)
  const { url, description, types, ciphertext } = endpoint
  const exists = sql<SqlBool>`exists (select from webhook_endpoints where id = ${id})`
  const details = { host: hostOf(url), types }
  const insert = sql`
    insert into webhook_endpoints (id, workspace_id, url, description, types, ciphertext, created_at)
    select ${id}, ${workspaceId}, ${url}, ${description}, ${sql.val(types)}::text[], ${ciphertext}, ${now}
    where (select count(*) from webhook_endpoints where workspace_id = ${workspaceId} and removed_at is null) < ${MAX_ENDPOINTS}
    on conflict do nothing`
  const [, , , [row]] = await db.batch([
    sql`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} webhook endpoints`}, 0))`.compile(
      db,
    ),
    insert.compile(db),
    auditEntry(db, {
      ...act,
      action: 'webhook_endpoint.created',
      subjectId: id,
      details,
      when: exists,
    }).compile(),
    selectEndpoints(db, workspaceId).where('id', '=', id).compile(),
  ])
  return row
}

type EndpointChange = {
  url?: string | undefined
  description?: string | null | undefined
  types?: WebhookType[] | undefined
  enabled?: boolean | undefined
}

/** Changes an endpoint. Enabling it restarts its three days. @returns undefined without one */
export const changeEndpoint = async (
  db: Db,
  act: Act,
  before: EndpointRow,
  {
    url = before.url,
    types = before.types,
    enabled = !before.disabledAt,
    description = before.description,
  }: EndpointChange,
): Promise<EndpointRow | undefined> => {
  const changed = {
    ...(url !== before.url && { host: hostOf(url) }),
    ...(types.join() !== before.types.join() && { types }),
    ...(description !== before.description && { description }),
    ...(enabled === (before.disabledAt !== null) && { enabled }),
  }
  if (Object.keys(changed).length === 0) return before
  const update = sql`
    update webhook_endpoints
    set url = ${url}, types = ${sql.val(types)}::text[], description = ${description},
        failing_since = case when ${enabled} and disabled_at is not null then null else failing_since end,
        disabled_reason = case when ${enabled} then null else coalesce(disabled_reason, 'manager') end,
        disabled_at = case when ${enabled} then null else coalesce(disabled_at, ${act.now}::timestamptz) end
    where workspace_id = ${act.workspaceId} and id = ${before.id} and removed_at is null`
  const [, , [row]] = await db.batch([
    update.compile(db),
    auditEntry(db, {
      ...act,
      action: 'webhook_endpoint.changed',
      subjectId: before.id,
      details: changed,
    }).compile(),
    selectEndpoints(db, act.workspaceId).where('id', '=', before.id).compile(),
  ])
  return row
}

/** Removes an endpoint, which gets nothing more. Past deliveries are listed until they expire. */
export const removeEndpoint = async (db: Db, act: Act, { id, url }: EndpointRow): Promise<void> => {
  const remove = sql`
    update webhook_endpoints
    set removed_at = ${act.now}, disabled_at = coalesce(disabled_at, ${act.now}::timestamptz),
        disabled_reason = coalesce(disabled_reason, 'manager'), url = '', ciphertext = '', former_ciphertext = null, former_until = null
    where workspace_id = ${act.workspaceId} and id = ${id} and removed_at is null`
  const details = { host: hostOf(url) }
  const isThere = sql<SqlBool>`exists (select from webhook_endpoints where id = ${id} and removed_at is null)`
  await db.batch([
    auditEntry(db, {
      ...act,
      action: 'webhook_endpoint.removed',
      subjectId: id,
      details,
      when: isThere,
    }).compile(),
    remove.compile(db),
  ])
}

/** Replaces the secret of an endpoint. The former one signs too, until the overlap ends. */
export const rotateEndpointSecret = async (
  db: Db,
  act: Act,
  { id, url }: EndpointRow,
  { ciphertext, overlapHours }: { ciphertext: string; overlapHours: number },
): Promise<EndpointRow | undefined> => {
  const until = new Date(act.now.getTime() + overlapHours * 3_600_000)
  const overlaps = overlapHours > 0
  // A repeat after an unseen commit leaves the former one as it is.
  const rotate = sql`
    update webhook_endpoints
    set former_ciphertext = case when ${overlaps} then ciphertext end,
        former_until = case when ${overlaps} then ${until}::timestamptz end, ciphertext = ${ciphertext}
    where workspace_id = ${act.workspaceId} and id = ${id} and removed_at is null and ciphertext <> ${ciphertext}`
  const [, , [row]] = await db.batch([
    rotate.compile(db),
    auditEntry(db, {
      ...act,
      action: 'webhook_endpoint.secret_rotated',
      subjectId: id,
      details: { host: hostOf(url), overlapHours },
    }).compile(),
    selectEndpoints(db, act.workspaceId).where('id', '=', id).compile(),
  ])
  return row
}

/** Queues a test event for one endpoint. @returns the id of its delivery */
export const queueTest = async (db: Db, act: Act, endpointId: string): Promise<string> => {
  const { workspaceId, now } = act
  const [eventId, id] = [idOf(act), idOf(act, 1)]
  await db.batch([
    sql`insert into webhook_events (id, workspace_id, type, subject_id, created_at)
        values (${eventId}, ${workspaceId}, ${TEST_TYPE}, ${endpointId}, ${now}) on conflict do nothing`.compile(
      db,
    ),
    sql`insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, created_at, next_attempt_at, tries)
        values (${id}, ${workspaceId}, ${eventId}, ${endpointId}, ${now}, ${now}, '[]') on conflict do nothing`.compile(
      db,
    ),
  ])
  return id
}
