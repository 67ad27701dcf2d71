/** The way to Postgres: Kysely over Neon's HTTP driver, with a deadline on each try and a retry when in doubt. */
import { type NeonDbError, neon, neonConfig, types } from '@neondatabase/serverless'
import { type CompiledQuery, Kysely } from 'kysely'
import { NeonDialect } from 'kysely-neon'
import { Unavailable } from '../unavailable.ts'
import type { Tables } from './tables.ts'

/** What the Workers need to know of the database. */
export type DatabaseEnv = {
  DATABASE_URL: string
  /** Where SQL is posted, for a database that isn't Neon's: the local runtime sets it. */
  SQL_ENDPOINT?: string
}

/** What each of several compiled queries gives. */
type Rows<Queries extends readonly CompiledQuery[]> = {
  [K in keyof Queries]: Queries[K] extends CompiledQuery<infer Row> ? Row[] : never
}

/**
 * The typed query builder, and `batch`, which runs compiled queries as one Read Committed transaction.
 * The statements of a report are written out as SQL instead (facts.ts, reports.ts): what they do at the same time as
 * others hangs on every clause.
 */
export type Db = Kysely<Tables> & {
  batch: <const Queries extends readonly CompiledQuery[]>(queries: Queries) => Promise<Rows<Queries>>
  /** How many times the database was asked, retries included. */
  fetches: () => number
}

/** A try that takes longer has probably been lost: a healthy call takes a few milliseconds, a cold start about one second. */
const TRY_TIMEOUT_MS = 2_500
const TRIES = 3
/** The first pause is anywhere from 0 to this, the next up to four times as long: callers that failed together spread out. */
const FIRST_PAUSE_MS = 150
/** All tries of all calls of one request: below the ten seconds after which many HTTP clients give up. */
const REQUEST_DEADLINE_MS = 9_000

const SQLSTATE = /^[0-9A-Z]{5}$/
/** Those that say "not now" rather than "not so": lost connections, shutdowns, too many clients, lost races. */
const PASSING = /^(08...|57P0[123]|53300|40001|40P01)$/

/**
 * Whether asking again may help. An error without an SQLSTATE came from the network, from the proxy, from the
 * timeout (whose DOMException has a code too, a number) or from an answer cut short; every statement here may be
 * repeated after an unseen commit.
 */
const isPassing = (error: unknown): boolean => {
  const { code, constraint } = error as Partial<NeonDbError>
  if (typeof code !== 'string' || !SQLSTATE.test(code)) return true
  // We make the ids, so a primary key that exists is that of this call's own earlier try, which came in after all.
  return PASSING.test(code) || (code === '23505' && constraint?.endsWith('_pkey') === true)
}

/** Whether an error says that a row would break a unique constraint. */
export const breaks = (error: unknown, constraint: string): boolean => {
  const { code, constraint: broken } = error as Partial<NeonDbError>
  return code === '23505' && broken === constraint
}

/** Raised by assert_unchanged in schema.sql. */
const CONFLICT = 'TR001'

/** Whether a batch was rolled back because rows have changed since they were read. */
export const isConflict = (error: unknown): boolean => (error as Partial<NeonDbError>).code === CONFLICT

const INT8 = 20
/** Goes with each query: the driver reads answers as the query says, whatever its client was told. */
const bigintParser = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === INT8 ? BigInt : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
}

/**
 * Connects one request to the database. Nothing is opened before the first query.
 *
 * @throws {Unavailable} from each query, when three tries or nine seconds were not enough
 */
export const connect = (env: DatabaseEnv): Db => {
  if (env.SQL_ENDPOINT) neonConfig.fetchEndpoint = env.SQL_ENDPOINT
  const client = neon(env.DATABASE_URL, { fullResults: true })
  let fetches = 0
  // Counted from the first try, because what came before it (a slow upload) is not the database's fault.
  let deadline = 0

  const retry = async <T>(
    send: (options: { fetchOptions: { signal: AbortSignal } }) => Promise<T>,
  ): Promise<T> => {
    deadline ||= Date.now() + REQUEST_DEADLINE_MS
    for (let attempt = 1; ; attempt++) {
      const timeout = Math.min(TRY_TIMEOUT_MS, deadline - Date.now())
      if (timeout <= 0) throw new Unavailable('The database did not answer before the deadline.')
      try {
        fetches++
        return await send({ fetchOptions: { signal: AbortSignal.timeout(timeout) } })
      } catch (error) {
        if (!isPassing(error)) throw error
        if (attempt === TRIES) throw new Unavailable('The database did not answer.', { cause: error })
        const pause = Math.random() * FIRST_PAUSE_MS * 4 ** (attempt - 1)
        await new Promise((resume) => setTimeout(resume, pause))
      }
    }
  }

  const kysely = new Kysely<Tables>({
    dialect: new NeonDialect({
      neon: () => ({
        query: (text, params, options) =>
          retry((limits) => client.query(text, params, { ...options, ...limits, types: bigintParser })),
      }),
    }),
  })

  return Object.assign(kysely, {
    fetches: () => fetches,
    batch: <const Queries extends readonly CompiledQuery[]>(queries: Queries) =>
      retry(async (limits) => {
        const statements = queries.map(({ sql, parameters }) =>
          client.query(sql, [...parameters], { types: bigintParser }),
        )
        const results = await client.transaction(statements, { isolationLevel: 'ReadCommitted', ...limits })
        return results.map((result) => result.rows) as Rows<Queries>
      }),
  })
}
