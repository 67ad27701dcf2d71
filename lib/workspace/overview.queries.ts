/** A workspace at a glance: what is set up, and what has come of it. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { earnedQuery } from '../tracking/commissions.queries.ts'

/** Counting stops here: the page says "more than" then, and is as quick as before. */
export const MOST_COUNTED = 100_000

const EVENTS_DAYS = 30
const MS_PER_DAY = 86_400_000

export type Overview = {
  programId: string | null
  hasApiKey: boolean
  hasClick: boolean
  hasSale: boolean
  /** At most `MOST_COUNTED` + 1. */
  partners: number
  /** Those of the last 30 days; at most `MOST_COUNTED` + 1. */
  events: number
  /** What partners have earned, minor units, by currency. */
  earned: { currency: string; pendingCents: bigint; payableCents: bigint }[]
}

/** The first UUIDv7 of a moment: ids are in the order of time, and an index on them serves for both. */
export const firstIdAt = (moment: Date): string => {
  const hex = moment.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** Everything of the overview, in one fetch. */
export const readOverview = async (db: Db, workspaceId: string, now: Date): Promise<Overview> => {
  const since = firstIdAt(new Date(now.getTime() - EVENTS_DAYS * MS_PER_DAY))
  const [[facts], earned] = await db.batch([
    sql<Omit<Overview, 'earned'>>`
      select
        (select id from programs where workspace_id = ${workspaceId} order by id limit 1) as "programId",
        exists (select from api_keys where workspace_id = ${workspaceId} and revoked_at is null) as "hasApiKey",
        exists (select from clicks where workspace_id = ${workspaceId}) as "hasClick",
        exists (select from events where workspace_id = ${workspaceId} and kind = 'sale') as "hasSale",
        (select count(*)::int from (select from partners where workspace_id = ${workspaceId}
                                    limit ${MOST_COUNTED + 1}) p) as partners,
        (select count(*)::int from (select from events where workspace_id = ${workspaceId} and id >= ${since}
                                    limit ${MOST_COUNTED + 1}) e) as events
    `.compile(db),
    earnedQuery(db, workspaceId, now).compile(),
  ])
  if (!facts) throw new Error('A select without a table gives one row.')
  return { ...facts, earned }
}
