/** What a run of payouts may use up of a Worker: fetches, which are counted, and time. */
import { connect, type DatabaseEnv, type Db } from '../db/connection.ts'

/** How many fetches a run may still make, and when it must come to its end. */
export type Budget = { fetches: number; endsAt: number }

export type BudgetEnv = DatabaseEnv & {
  /** How many fetches one run may make. */
  MAX_FETCHES: string
}

/** Of the 50 that Cloudflare's free plan allows. It goes for a setting that is no number, too. */
const DEFAULT_FETCHES = 45

/** What a run has that may take so long. */
export const newBudget = ({ MAX_FETCHES }: BudgetEnv, ms: number): Budget => ({
  fetches: Number(MAX_FETCHES) >= 1 ? Number(MAX_FETCHES) : DEFAULT_FETCHES,
  endsAt: Date.now() + ms,
})

/** Whether there are fetches left, and time. */
export const hasLeft = ({ fetches, endsAt }: Budget): boolean => fetches > 0 && Date.now() < endsAt

/** Asks the database, and counts what that took, repeats included. */
export const ask = async <T>(env: DatabaseEnv, budget: Budget, work: (db: Db) => Promise<T>): Promise<T> => {
  const db = connect(env)
  try {
    return await work(db)
  } finally {
    budget.fetches -= db.fetches()
  }
}
