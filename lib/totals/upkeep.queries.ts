/** The scheduled upkeep of totals and clicks: functions of schema.sql. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'

/** Whether there are differences to fold, or clicks to remove, as a condition. */
export const needsUpkeep = (keptDays: number) => sql`upkeep_is_due(${keptDays})`

/**
 * Folds differences into the totals, and counts what became payable. @returns their number: less
 * than the limit if none are left
 */
export const foldTotals = async (db: Db, limit: number): Promise<number> => {
  const { rows } = await sql<{ folded: number }>`select fold_totals(${limit}) as folded`.execute(db)
  return rows[0]?.folded ?? 0
}

/**
 * Removes clicks that have expired so many days ago and that no event names.
 *
 * @returns the number of clicks read: less than the limit if none are left
 */
export const endClicks = async (db: Db, keptDays: number, limit: number): Promise<number> => {
  const { rows } = await sql<{
    seen: number
  }>`select end_clicks(${keptDays}, ${limit}) as seen`.execute(db)
  return rows[0]?.seen ?? 0
}
