import { inject } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { endClicks } from '../../lib/totals/upkeep.queries.ts'
import type { useDatabase } from './merchant.ts'

/** Longer than other tests age their clicks by, which are left alone. */
export const LONG_DAYS = 4_000

/** Removes what has expired for about so long. */
export const endOld = async (database: ReturnType<typeof useDatabase>) => {
  await database.query(`update click_retention set checked_until = '-infinity', checked_id = ''`)
  while ((await endClicks(connect(inject('database')), LONG_DAYS - 200, 1_000)) > 0);
}

/**
 * Lets clicks without events expire and be removed. Others' tests remove theirs at the same time,
 * and one call at a time works.
 */
export const removeClicks = async (database: ReturnType<typeof useDatabase>, ids: string[]) => {
  await database.query(
    `update clicks set expires_at = now() - interval '${LONG_DAYS} days' where id = any($1)`,
    [ids],
  )
  const left = () => database.query('select from clicks where id = any($1) limit 1', [ids])
  while ((await left()).length > 0) await endOld(database)
}
