/** The fetches and the time that a run may use. */
import { connect, type Db } from './connection.ts'
import type { DatabaseEnv } from './neon.ts'

export type Budget = { fetches: number; endsAt: number }

export type BudgetEnv = DatabaseEnv & {
  /** Fetches per run. */
  MAX_FETCHES: string
}

/** Cloudflare's free plan allows 50. Also used if MAX_FETCHES is not a number. */
const DEFAULT_FETCHES = 45

export const newBudget = ({ MAX_FETCHES }: BudgetEnv, ms: number): Budget => ({
  fetches: Number(MAX_FETCHES) >= 1 ? Number(MAX_FETCHES) : DEFAULT_FETCHES,
  endsAt: Date.now() + ms,
})

/** Whether fetches and time are left. */
export const hasLeft = ({ fetches, endsAt }: Budget): boolean => fetches > 0 && Date.now() < endsAt

/** Opens a connection for each call. @returns null if the fetches or the time are used up */
export const connectWithin = (env: BudgetEnv, ms: number): (() => Db | null) => {
  const { fetches, endsAt } = newBudget(env, ms)
  const opened: Db[] = []
  return () => {
    const used = opened.reduce((sum, db) => sum + db.fetches(), 0)
    if (!hasLeft({ fetches: fetches - used, endsAt })) return null
    const db = connect(env)
    opened.push(db)
    return db
  }
}

/** Queries the database, and deducts the fetches, retries included. */
export const withDb = async <T>(
  env: DatabaseEnv,
  budget: Budget,
  work: (db: Db) => Promise<T>,
): Promise<T> => {
  const db = connect(env)
  try {
    return await work(db)
  } finally {
    budget.fetches -= db.fetches()
  }
}
