/** Ties identities: they belong to one customer from then on. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { breaks } from '../db/neon.ts'
import { lostRace } from '../unavailable.ts'
import type { Evidence, Identity } from './identities.ts'
import { IDENTITY_KEY } from './identities.ts'

/** Each round loses to another tie of the same customers, after which these are fewer. */
const ROUNDS = 8

/**
 * Makes one customer of all who have one of these identities, or a new one. See `tie_customers` in schema.sql.
 *
 * @param evidence what ties them
 * @returns the id of the customer
 */
export const tieCustomers = async (
  db: Db,
  workspaceId: string,
  identities: Identity[],
  { source, evidence }: Evidence,
  now: Date,
): Promise<string> => {
  const fresh = newId()
  for (let round = 0; round < ROUNDS; round++) {
    try {
      const { rows } = await sql<{ id: string }>`
        select tie_customers(${workspaceId}, ${JSON.stringify(identities)}::jsonb, ${source}, ${evidence}, ${fresh}, ${now}::timestamptz) as id`.execute(
        db,
      )
      const [row] = rows
      if (!row) throw new Error('A select without a table returned no row.')
      return row.id
    } catch (error) {
      if (!breaks(error, IDENTITY_KEY)) throw error
    }
  }
  throw lostRace('the same customers')
}
