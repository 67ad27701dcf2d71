/** Lets the commissions of payouts go that have ended without being paid, in pages. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'

/**
 * Commissions per statement. Each takes 50 to 150 microseconds, and a batch must finish well within
 * the timeout.
 */
const COMMISSIONS_PER_PAGE = 2_000

/**
 * The first statement of a batch with those below. Postgres plans by the sizes that the tables had
 * at the last analyze, and few payouts are ever being freed: it would read all commissions for each
 * of many.
 */
export const byIndexes = sql<unknown>`set local enable_seqscan to off`

/**
 * Lets a page of commissions go, one payout after the other. Until all of a payout's are free, no
 * run claims anything of its partner and currency, so that no balance is split. To be followed by
 * `endFreeing`, in the same batch. The page is an array, which Postgres reads once, whatever sizes
 * it plans by.
 *
 * @param which limits the payouts, `p`
 */
export const freeCommissions = (
  which: RawBuilder<unknown>,
  limit = COMMISSIONS_PER_PAGE,
) => sql<unknown>`
  update commissions set payout_id = null
  where id = any (array(
    select own.id from payouts p
    cross join lateral (select c.id from commissions c where c.payout_id = p.id limit ${limit}) own
    where p.is_freeing and ${which} limit ${limit}))`

/** Ends the payouts that have no commissions left. */
export const endFreeing = (which: RawBuilder<unknown>) => sql<unknown>`
  update payouts p set is_freeing = false
  where p.is_freeing and ${which} and not exists (select from commissions c where c.payout_id = p.id)`

/** Lets a page of commissions go. @returns whether there are more */
export const freePage = async (
  db: Db,
  which: RawBuilder<unknown>,
  limit?: number,
): Promise<boolean> => {
  const left = sql<unknown>`select from payouts p where p.is_freeing and ${which} limit 1`
  const [, , , more] = await db.batch([
    byIndexes.compile(db),
    freeCommissions(which, limit).compile(db),
    endFreeing(which).compile(db),
    left.compile(db),
  ])
  return more.length > 0
}
