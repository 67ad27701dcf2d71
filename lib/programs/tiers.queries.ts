/** What is wrong with tiers that only the database knows. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import type { ErrorDetail } from '../http/errors.ts'
import { GROUP, ZONE } from '../rules/tiers/tiers.schemas.ts'
import type { Tiers } from '../rules/tiers/tiers.ts'

/**
 * The errors of tiers in a request: their groups have to be of the program, and Postgres, which
 * counts their days, has to know their time zone.
 *
 * @param programId null for a new program, which has no groups yet
 */
export const tierErrors = async (
  db: Db,
  programId: string | null,
  { timeZone, levels }: Tiers,
): Promise<ErrorDetail[]> => {
  const { rows } = await sql<{ groups: string[]; knowsZone: boolean }>`
    select array(select id from groups where program_id = ${programId}::uuid) as groups,
           exists (select from pg_timezone_names where lower(name) = lower(${timeZone})) as "knowsZone"`.execute(
    db,
  )
  const { groups = [], knowsZone = false } = rows[0] ?? {}
  return [
    ...(knowsZone ? [] : [{ path: 'tiers.timeZone', message: ZONE }]),
    ...levels.flatMap(({ groupId }, n) =>
      groupId && !groups.includes(groupId)
        ? [{ path: `tiers.levels.${n}.groupId`, message: GROUP }]
        : [],
    ),
  ]
}
