/** What has arrived of a program's tracking. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { CheckedFacts } from './findings.ts'
import type { LastEvent, LastVisit, RefusedVisits, TrackingFacts } from './tracking-check.ts'
import { refusedVisitsSince } from './tracking-check.ts'

/** Events that are read, newest first, so that the page stays fast on large workspaces. */
const EVENTS_READ = 1_000
const REFUSED_SHOWN = 50
const PROGRAMS_READ = 50

/**
 * How many visits by partners' links were refused since a day, of the programs with most of them,
 * as a query. Empty if there were none.
 */
export const refusedVisitsQuery = (workspaceId: string, since: Date, limit: number) => sql<
  CheckedFacts['refusedVisits']
>`(
  select coalesce(jsonb_agg(jsonb_build_object('programId', v.id, 'program', v.name, 'visits', v.visits)
                            order by v.visits desc, v.id), '[]')
  from (
    select p.id, p.name, sum(r.visits)::int as visits
    from programs p join refused_visits r on r.program_id = p.id and r.day >= ${since}::date
    where p.workspace_id = ${workspaceId}
    group by p.id order by visits desc, p.id limit ${limit}) v)`

/** Makes one database round trip. */
export const readTrackingFacts = async (
  db: Db,
  workspaceId: string,
  programId: string,
  now: Date,
): Promise<TrackingFacts> => {
  const [visits, otherVisits, events, refused, partners] = await db.batch([
    sql<LastVisit>`
      select at, slug, page, kept_at as "keptAt" from last_visits
      where workspace_id = ${workspaceId} and program_id = ${programId}`.compile(db),
    sql<TrackingFacts['otherVisits'][number]>`
      select v.program_id as "programId", p.name, v.page from programs p join last_visits v on v.program_id = p.id
      where p.workspace_id = ${workspaceId} and p.id <> ${programId} order by p.id limit ${PROGRAMS_READ}`.compile(
      db,
    ),
    sql<LastEvent>`
      select distinct on (e.kind, "hasClick", "hasCommission")
             e.kind, e.click_id is not null as "hasClick", e.commission_id is not null as "hasCommission", e.id,
             e.external_id as "externalId", e.occurred_at as "occurredAt"
      from (select * from events where workspace_id = ${workspaceId} order by id desc limit ${EVENTS_READ}) e
      left join partners p on p.id = coalesce(e.clicked_partner_id, e.partner_id)
      where e.kind in ('sale', 'lead') and (p.program_id = ${programId} or e.click_id is null and p.id is null)
      order by e.kind, "hasClick", "hasCommission", e.id desc`.compile(db),
    sql<RefusedVisits>`
      select r.reason, r.slug, r.page, r.visits, r.last_at as "lastAt", case when p.status <> 'approved' then p.id end as "partnerId"
      from (select reason, slug, page, sum(visits)::int as visits, max(last_at) as last_at from refused_visits
            where workspace_id = ${workspaceId} and program_id = ${programId} and day >= ${refusedVisitsSince(now)}::date
            group by reason, slug, page order by max(last_at) desc limit ${REFUSED_SHOWN}) r
      left join partners p on p.program_id = ${programId} and p.slug_key = lower(trim(r.slug))
      order by r.last_at desc`.compile(db),
    sql<NonNullable<TrackingFacts['partner']>>`
      select id, slug, true as "isTest" from partners
      where workspace_id = ${workspaceId} and program_id = ${programId} and is_test and status = 'approved'
      union all
      (select id, slug, false from partners
       where workspace_id = ${workspaceId} and program_id = ${programId} and not is_test and status = 'approved' order by id limit 1)
      limit 1`.compile(db),
  ])
  return {
    lastVisit: visits[0] ?? null,
    otherVisits,
    events,
    refused,
    partner: partners[0] ?? null,
  }
}
