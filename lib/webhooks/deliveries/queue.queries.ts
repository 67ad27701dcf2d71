/** The queue of deliveries: leases those that are due, and saves what became of them. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { dueRows, leaseOf, oneAttempt } from '../../db/leases.queries.ts'
import type { AnnouncedRefund } from '../payloads.ts'
import type { EventType } from '../types.ts'
import { MAX_TRIES, notTried, type Try } from './delivery-attempts.ts'
import { WINDOW_SECONDS } from './schedule.ts'

/** A delivery that one run may send until its lease ends. */
export type LeasedDelivery = {
  id: string
  workspaceId: string
  endpointId: string
  url: string
  /** The encrypted secrets that sign the request: the current and, in a rotation, the former. */
  ciphertexts: string[]
  eventId: string
  type: EventType
  subjectId: string
  occurredAt: Date
  /** Null until the first attempt to any endpoint. */
  payload: string | null
  refund: AnnouncedRefund | null
  /** The number of attempts, this one included. */
  attempts: number
  firstAttemptAt: Date
}

/**
 * Leases deliveries that are due. Workspaces take turns, first attempts before retries. Deliveries
 * to disabled endpoints fail. A repeat after an unseen commit gets the same deliveries.
 */
export const leaseDeliveries = async (
  db: Db,
  { now, dueBy, leaseEnd, limit }: { now: Date; dueBy: Date; leaseEnd: Date; limit: number },
): Promise<{ deliveries: LeasedDelivery[]; ended: number }> => {
  const lease = { id: newId(), end: leaseEnd }
  const isOpen = (d: string) =>
    sql`${sql.ref(`${d}.delivered_at`)} is null and ${sql.ref(`${d}.failed_at`)} is null`
  const isDue = (d: string) =>
    sql`${isOpen(d)} and ${sql.ref(`${d}.next_attempt_at`)} <= ${dueBy}::timestamptz`
  const queue = { table: 'webhook_deliveries', lane: 'lane', urgentLane: 'first' }
  const disabled = notTried('endpoint_disabled', now)
  const { rows } = await sql<LeasedDelivery & { isDisabled: boolean }>`
    with ${dueRows({ ...queue, isOpen, isDue, lease, limit })}, leased as (
      update webhook_deliveries d
      set attempts = d.attempts + ${oneAttempt('d', lease)}, ${leaseOf(lease)},
          first_attempt_at = coalesce(d.first_attempt_at, ${now}),
          failed_at = case when e.disabled_at is not null then ${now}::timestamptz end,
          tries = case when e.disabled_at is null then d.tries else d.tries || ${JSON.stringify([disabled])}::jsonb end
      from due, webhook_endpoints e
      where d.id = due.id and e.id = d.endpoint_id
      returning d.*, due.place, e.url, e.ciphertext, case when e.former_until > ${now} then e.former_ciphertext end as former,
                e.disabled_at is not null as is_disabled
    )
    select l.id, l.workspace_id as "workspaceId", l.endpoint_id as "endpointId", l.url,
           array_remove(array[l.ciphertext, l.former], null) as ciphertexts, l.event_id as "eventId", w.type,
           w.subject_id as "subjectId", w.created_at as "occurredAt", w.payload, w.refund, l.attempts, l.first_attempt_at as "firstAttemptAt",
           l.is_disabled as "isDisabled"
    from leased l join webhook_events w on w.id = l.event_id
    order by l.place`.execute(db)
  const deliveries = rows.filter(({ isDisabled }) => !isDisabled)
  return { deliveries, ended: rows.length - deliveries.length }
}

/**
 * Stores payloads of events that have none. The first concurrent Worker decides. @returns all by
 * event
 */
export const storePayloads = async (
  db: Db,
  payloads: { id: string; payload: string }[],
): Promise<Map<string, string>> => {
  const { rows } = await sql<{ id: string; payload: string }>`
    update webhook_events w set payload = coalesce(w.payload, x.payload)
    from jsonb_to_recordset(${JSON.stringify(payloads)}::jsonb) as x(id uuid, payload text)
    where w.id = x.id returning w.id, w.payload`.execute(db)
  return new Map(rows.map(({ id, payload }) => [id, payload]))
}

export type DeliveryResult = {
  id: string
  endpointId: string
  /** As leased. A run whose lease has ended changes nothing, but may report the delivery. */
  attempts: number
  /** `waiting`: not tried, so the attempt does not count. */
  outcome: 'delivered' | 'retry' | 'failed' | 'waiting'
  /** When it is due again; null if never. */
  nextAttemptAt: Date | null
  try: Try | null
}

/** Saves the results of a page, and since when its endpoints fail. May be repeated. */
const resultsQueries = (results: DeliveryResult[], now: Date) => {
  const given = sql`jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
    as x(id uuid, "endpointId" uuid, attempts integer, outcome text, "nextAttemptAt" timestamptz, try jsonb)`
  return [
    sql`
    update webhook_deliveries d
    set delivered_at = case when x.outcome = 'delivered' then ${now}::timestamptz end,
        failed_at = case when x.outcome = 'failed' then ${now}::timestamptz end,
        attempts = d.attempts - case when x.outcome = 'waiting' then 1 else 0 end,
        first_attempt_at = case when x.outcome = 'waiting' and d.attempts = 1 then null else d.first_attempt_at end,
        next_attempt_at = coalesce(x."nextAttemptAt", d.next_attempt_at), lane = 'retry',
        tries = case when x.try is null then d.tries
                     when jsonb_array_length(d.tries) >= ${MAX_TRIES}::integer then (d.tries - 0) || x.try else d.tries || x.try end
    from ${given}
    where d.id = x.id and d.delivered_at is null
      and (x.outcome = 'delivered' or (d.failed_at is null and d.attempts = x.attempts))`,
    sql`
    update webhook_endpoints e
    set failing_since = case when seen.succeeded then null else coalesce(e.failing_since, seen.at) end
    from (select x."endpointId" as id, bool_or(x.outcome = 'delivered') as succeeded, min((x.try ->> 'at')::timestamptz) as at
          from ${given} where x.outcome <> 'waiting' group by x."endpointId") seen
    where e.id = seen.id and (seen.succeeded and e.failing_since is not null or not seen.succeeded and e.failing_since is null)`,
  ]
}

/** Disables endpoints without a successful request for three days, and mails the managers. */
const disableQuery = (endpointIds: string[], publicUrl: string, now: Date) => {
  const failingFrom = new Date(now.getTime() - WINDOW_SECONDS * 1_000)
  return sql`
    with disabled as (
      update webhook_endpoints set disabled_at = ${now}, disabled_reason = 'failing'
      where id = any (${sql.val(endpointIds)}::uuid[]) and disabled_at is null and failing_since <= ${failingFrom}::timestamptz
      returning id, workspace_id, url
    )
    insert into mails (id, workspace_id, kind, recipient, occasion, details, created_at, next_attempt_at)
    select uuidv7(), d.workspace_id, 'webhook_disabled', m.email, d.id::text,
           jsonb_build_object('workspaceName', w.name, 'host', substring(d.url from '^https?://([^/?#]+)'),
                              'url', ${publicUrl}::text || '/app/' || w.slug || '/webhooks/' || d.id),
           ${now}, ${now}
    from disabled d join workspaces w on w.id = d.workspace_id
    join members m on m.workspace_id = d.workspace_id and m.role = 'manager'`
}

export const saveDeliveryResults = async (
  db: Db,
  results: DeliveryResult[],
  { publicUrl, now }: { publicUrl: string; now: Date },
): Promise<void> => {
  const failing = results.filter(({ outcome }) => outcome === 'retry' || outcome === 'failed')
  const ids = [...new Set(failing.map(({ endpointId }) => endpointId))]
  await db.batch([
    ...resultsQueries(results, now).map((query) => query.compile(db)),
    ...(ids.length ? [disableQuery(ids, publicUrl, now).compile(db)] : []),
  ])
}
