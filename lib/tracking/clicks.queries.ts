/** Clicks: visits through a partner's link. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newClickId } from '../db/ids.ts'

type NewClick = {
  programId: string
  slugKey: string
  landingUrl: string | null
  referrer: string | null
  now: Date
}

/**
 * Records a visit through an active partner's link. It expires after the program's attribution days, counted from `now`.
 *
 * @returns null when the program has no active partner with that slug
 */
export const saveClick = async (
  db: Db,
  click: NewClick,
): Promise<{ clickId: string; expiresAt: Date } | null> => {
  const { rows } = await sql<{ clickId: string; expiresAt: Date }>`
    insert into clicks (id, workspace_id, partner_id, landing_url, referrer, created_at, expires_at)
    select ${newClickId()}, p.workspace_id, p.id, ${click.landingUrl}, ${click.referrer},
           ${click.now}::timestamptz, ${click.now}::timestamptz + pr.attribution_days * interval '24 hours'
    from partners p
    join programs pr on pr.id = p.program_id
    where p.program_id = ${click.programId} and p.slug_key = ${click.slugKey} and p.status = 'approved'
    on conflict (workspace_id, id) do update set id = excluded.id -- the retry of an unconfirmed commit
    returning id as "clickId", expires_at as "expiresAt"
  `.execute(db)
  return rows[0] ?? null
}
