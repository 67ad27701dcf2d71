/** Reports that differ from their events, as managers read them. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { PageRequest } from '../../db/page-request.ts'
import type { EventKind } from '../../rules/steps/event-kinds.ts'
import type { Difference } from './mismatches.ts'

export type MismatchRow = {
  id: string
  eventId: string
  kind: EventKind
  externalId: string
  differences: Difference[]
  /** How often this body was reported. */
  reports: number
  firstAt: Date
  lastAt: Date
}

/** Newest first. */
export const listMismatches = async (
  db: Db,
  workspaceId: string,
  { eventId, cursor, limit }: PageRequest & { eventId?: string | undefined },
): Promise<MismatchRow[]> =>
  await db
    .selectFrom('report_mismatches as m')
    .innerJoin('events as e', 'e.id', 'm.event_id')
    .where('m.workspace_id', '=', workspaceId)
    .$if(eventId !== undefined, (query) => query.where('m.event_id', '=', eventId as string))
    .$if(cursor !== undefined, (query) => query.where('m.id', '<', cursor as string))
    .select([
      'm.id',
      'm.event_id as eventId',
      'e.kind',
      'e.external_id as externalId',
      'm.differences',
      'm.reports',
      'm.first_at as firstAt',
      'm.last_at as lastAt',
    ])
    .orderBy('m.id', 'desc')
    .limit(limit)
    .execute()

/** How many were reported since a time, as a query. @param limit the count stops there */
export const countMismatchesQuery = (workspaceId: string, since: Date, limit: number) =>
  sql<number>`(select count(*)::int from (
    select from report_mismatches where workspace_id = ${workspaceId} and last_at >= ${since} limit ${limit}) m)`
