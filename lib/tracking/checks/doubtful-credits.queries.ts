/** Partners whom late leads or unverified addresses have credited with the newest events. */
import { sql } from 'kysely'

/** Newest events that are read, leads and refunds included, to keep the overview fast. */
const EVENTS_READ = 1_000

/** How many sales credit a partner in doubt, whatever was decided about them since. */
export type DoubtfulCredits = {
  partnerId: string
  slug: string
  name: string | null
  lateLeads: number
  byAddress: number
}

/** The partners with the most of them, as a query. Empty if there is none. */
export const doubtfulCreditsQuery = (workspaceId: string, since: Date, limit: number) => sql<
  DoubtfulCredits[]
>`(
  select coalesce(jsonb_agg(jsonb_build_object(
    'partnerId', p.id, 'slug', p.slug, 'name', p.name, 'lateLeads', d.late_leads, 'byAddress', d.by_address)
    order by d.late_leads + d.by_address desc, p.id), '[]')
  from (
    select partner_id, count(*) filter (where is_late) as late_leads, count(*) filter (where is_by_address) as by_address
    from (select kind, partner_id, occurred_at, steps @> '[{"code": "late_lead"}]' as is_late,
                 steps @> '[{"code": "customer", "facts": {"byAddress": "unverified"}}]' as is_by_address
          from events where workspace_id = ${workspaceId} order by id desc limit ${EVENTS_READ}) newest
    where kind = 'sale' and partner_id is not null and occurred_at >= ${since}::timestamptz and (is_late or is_by_address)
    group by partner_id order by count(*) desc, partner_id limit ${limit}) d
  join partners p on p.id = d.partner_id)`
