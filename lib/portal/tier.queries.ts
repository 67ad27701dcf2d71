import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { type TierFacts, type TierFigures, tierOf } from '../rules/tiers/tiers.ts'

/** The present tier of a partner, and what is missing to the next. Null without tiers. */
export const tierOfToday = async (
  db: Db,
  partnerId: string,
  now: Date,
): Promise<TierFacts | null> => {
  const { rows } = await sql<{ figures: TierFigures }>`
    select reached_by(p.id, pr.tiers, ${now}::timestamptz) as figures
    from partners p join programs pr on pr.id = p.program_id
    where p.id = ${partnerId} and pr.tiers is not null`.execute(db)
  const [row] = rows
  return row ? tierOf(row.figures) : null
}
