/** The events received from payment processors, as managers read them. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { firstIdAt } from '../../db/ids.ts'
import type { PageRequest } from '../../db/page-request.ts'
import type { Processor } from '../../rules/purchases/processors.ts'

export type ProcessorEventFilter = PageRequest & {
  type?: string | undefined
  /** The external id of the sale. */
  externalId?: string | undefined
  /** Only events that cannot be read. */
  unreadable?: boolean | undefined
}

export type ProcessorEventRow = Awaited<ReturnType<typeof listEvents>>[number]

/** The events received from a processor, newest first. */
export const listEvents = (
  db: Db,
  workspaceId: string,
  processor: Processor,
  filter: ProcessorEventFilter,
) => eventsQuery(db, workspaceId, processor, filter).execute()

/** The same as a query, for a batch. */
export const eventsQuery = (
  db: Db,
  workspaceId: string,
  processor: Processor,
  filter: ProcessorEventFilter,
) =>
  db
    .selectFrom('processor_events')
    .where('workspace_id', '=', workspaceId)
    .where('processor', '=', processor)
    .where((eb) =>
      eb.and([
        ...(filter.type ? [eb('type', '=', filter.type)] : []),
        ...(filter.unreadable ? [isUnreadable] : []),
        ...(filter.externalId
          ? [
              eb(
                'event_id',
                '=',
                db
                  .selectFrom('events')
                  .where('workspace_id', '=', workspaceId)
                  .where('kind', '=', 'sale')
                  .where('external_id', '=', filter.externalId)
                  .select('id'),
              ),
            ]
          : []),
        ...(filter.cursor ? [eb('id', '<', filter.cursor)] : []),
      ]),
    )
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .select([
      'id',
      'processor_event_id as processorEventId',
      'type',
      'livemode',
      'occurred_at as occurredAt',
      'received_at as receivedAt',
      'event_id as eventId',
      'outcome',
    ])

/** A literal, so that the planner finds processor_events_unreadable_idx. */
const isUnreadable = sql<SqlBool>`outcome ->> 'code' = 'unreadable'`

/** How many events received since a time cannot be read, as a column. */
export const countUnreadableQuery = (
  workspaceId: string,
  since: Date,
  most: number,
) => sql<number>`(
  select count(*)::int from (select from processor_events
                             where workspace_id = ${workspaceId} and id >= ${firstIdAt(since)} and ${isUnreadable}
                             limit ${most}) u)`

/** Events that reconciling has recorded were never delivered. Their ids begin with `reconcile_`. */
export const isDelivered = sql<SqlBool>`processor_event_id not like 'reconcile\\_%'`

/** When the first or the last event was delivered. Ids are in order of arrival, and indexed. */
export const deliveryQuery = (
  db: Db,
  workspaceId: string,
  processor: Processor,
  which: 'asc' | 'desc',
) =>
  db
    .selectFrom('processor_events')
    .where('workspace_id', '=', workspaceId)
    .where('processor', '=', processor)
    .where(isDelivered)
    .select('received_at as receivedAt')
    .orderBy('id', which)
    .limit(1)
