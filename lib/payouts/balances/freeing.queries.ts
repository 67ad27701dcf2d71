/** Releases the commissions of payouts that have ended without being paid, in pages. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'

/** Commissions per statement, at 50 to 150 µs each: a batch must finish well within the timeout. */
const COMMISSIONS_PER_PAGE = 2_000

/** An array, which Postgres reads once, whatever sizes it plans by. */
const freeCommissions = (which: RawBuilder<unknown>, limit: number) => sql<unknown>`
  update commissions set payout_id = null
  where id = any (array(
    select own.id from payouts p
    cross join lateral (select c.id from commissions c where c.payout_id = p.id limit ${limit}) own
    where p.is_freeing and ${which} limit ${limit}))`

/** Ends the release of payouts that have no commissions left. */
const endFreeing = (which: RawBuilder<unknown>) => sql<unknown>`
  update payouts p set is_freeing = false
  where p.is_freeing and ${which} and not exists (select from commissions c where c.payout_id = p.id)`

/**
 * The statements that release a page of commissions, payout by payout. Until a payout has released
 * all of them, no run claims anything of its partner and currency, so that no balance is split.
 *
 * @param which limits the payouts, `p`
 */
export const freeing = (db: Db, which: RawBuilder<unknown>, limit = COMMISSIONS_PER_PAGE) =>
  [freeCommissions(which, limit).compile(db), endFreeing(which).compile(db)] as const

/** Releases a page of commissions. @returns whether there are more */
export const freePage = async (
  db: Db,
  which: RawBuilder<unknown>,
  limit?: number,
): Promise<boolean> => {
  const left = sql<unknown>`select from payouts p where p.is_freeing and ${which} limit 1`
  const [, , more] = await db.batch([...freeing(db, which, limit), left.compile(db)])
  return more.length > 0
}
