/** The rewards of other platforms that were read, for the page on which managers use them. */
import { sql } from 'kysely'
import type { Db } from '../../../db/connection.ts'
import type { PlatformId } from '../source.ts'
import type { SourceReward } from '../source-rows.ts'

/** @property groups the platform's groups whose partners have the reward, the largest first */
export type ReadingReward = SourceReward & {
  programId: string
  platform: PlatformId
  groups: { name: string | null; partners: number }[]
}

/** More rewards than any program has. */
const MOST = 100

/** The rewards of all readings for an import that have ended, by program. */
export const listSourceRewards = async (db: Db, workspaceId: string): Promise<ReadingReward[]> => {
  const { rows } = await sql<{
    row: SourceReward
    programId: string
    platform: PlatformId
    groups: ReadingReward['groups']
  }>`
    select r.row, s.program_id as "programId", s.platform,
           (select coalesce(jsonb_agg(jsonb_build_object('name', coalesce(g.row ->> 'name', u.name), 'partners', u.partners)
                                      order by u.partners desc, u.name), '[]'::jsonb)
            from (select p.row ->> 'group' as name, count(*)::integer as partners from import_source_rows p
                  where p.source_id = s.id and p.resource = 'partners' and p.row ->> 'kind' = 'partner'
                    and (p.row -> 'rewardIds' ? (r.row ->> 'id') or p.row ->> 'group' = r.row ->> 'group')
                  group by 1) u
            left join import_source_rows g on g.source_id = s.id and g.resource = 'groups' and g.row_id = u.name) as groups
    from import_sources s join import_source_rows r on r.source_id = s.id
    where s.workspace_id = ${workspaceId} and s.purpose = 'import' and s.read_at is not null
      and r.resource = 'rewards' and r.row ->> 'kind' = 'reward'
    order by s.id desc, r.row ->> 'name', r.row_id limit ${MOST}`.execute(db)
  return rows.map(({ row, ...reading }) => ({ ...row, ...reading }))
}
