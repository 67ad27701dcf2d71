/** Ties identities: they belong to one customer from then on. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { lockCustomers } from '../db/locks.queries.ts'
import { breaks, isConflict } from '../db/neon.ts'
import { lostRace } from '../platform/unavailable.ts'
import type { Evidence, Identity } from '../rules/identities/identities.ts'
import { IDENTITY_KEY } from '../rules/identities/identities.ts'

/** Each round loses to another tie of the same customers, after which these are fewer. */
const ROUNDS = 8

/** `tie_customers` of schema.sql, as a statement. @param fresh the id of a new customer */
const tie = (
  workspaceId: string,
  identities: Identity[],
  { source, evidence }: Evidence,
  fresh: string,
  now: Date,
) =>
  sql<{ id: string }>`
    select tie_customers(${workspaceId}, ${JSON.stringify(identities)}::jsonb, ${source}, ${evidence}, ${fresh}, ${now}::timestamptz) as id`

/**
 * Makes one customer of all who have one of these identities, or a new one.
 *
 * @param evidence what ties them
 * @returns the id of the customer
 */
export const tieCustomers = async (
  db: Db,
  workspaceId: string,
  identities: Identity[],
  evidence: Evidence,
  now: Date,
): Promise<string> => {
  const fresh = newId()
  for (let round = 0; round < ROUNDS; round++) {
    try {
      const { rows } = await tie(workspaceId, identities, evidence, fresh, now).execute(db)
      const [row] = rows
      if (!row) throw new Error('A select without a table returned no row.')
      return row.id
    } catch (error) {
      if (!breaks(error, IDENTITY_KEY)) throw error
    }
  }
  throw lostRace('the same customers')
}

/** The same, but only if the customers with them are those expected, and unchanged. */
export const tieExpected = async (
  db: Db,
  workspaceId: string,
  identities: Identity[],
  expected: { id: string; revision: number }[],
  evidence: Evidence,
  now: Date,
): Promise<void> => {
  const ids = JSON.stringify(identities)
  const assertExpected = sql`
    select assert_unchanged((
      select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'revision', c.revision) order by c.id), '[]')
      from customers c where c.id = any (lock_customers(${workspaceId}, ${ids}::jsonb))) = ${JSON.stringify(expected)}::jsonb)`
  try {
    await db.batch([
      lockCustomers(workspaceId, identities).compile(db),
      assertExpected.compile(db),
      tie(workspaceId, identities, evidence, newId(), now).compile(db),
    ])
  } catch (error) {
    if (!isConflict(error) && !breaks(error, IDENTITY_KEY)) throw error
  }
}
