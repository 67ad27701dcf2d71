/** Postgres: Kysely over Neon's HTTP driver, with a timeout per attempt and retries with backoff. */
import { type NeonDbError, neon, neonConfig, types } from '@neondatabase/serverless'
import { type CompiledQuery, Kysely } from 'kysely'
import { NeonDialect } from 'kysely-neon'
import { Unavailable } from '../unavailable.ts'
import type { Tables } from './tables.ts'

/** The Workers' bindings for the database. */
export type DatabaseEnv = {
  DATABASE_URL: string
  /** The SQL endpoint of a database that isn't Neon's. The local runtime sets it. */
  SQL_ENDPOINT?: string
}

/** The rows of each compiled query. */
type Rows<Queries extends readonly CompiledQuery[]> = {
  [K in keyof Queries]: Queries[K] extends CompiledQuery<infer Row> ? Row[] : never
}

/**
 * The typed query builder, and `batch`, which runs compiled queries as one Read Committed transaction. The statements
 * of reports are raw SQL (lib/tracking), because their behavior under concurrency depends on every clause.
 */
export type Db = Kysely<Tables> & {
  batch: <const Queries extends readonly CompiledQuery[]>(queries: Queries) => Promise<Rows<Queries>>
  /** The number of round trips so far, retries included. */
  fetches: () => number
}

/** A longer attempt is probably lost: a healthy call takes a few milliseconds, a cold start about a second. */
const ATTEMPT_TIMEOUT_MS = 2_500
const ATTEMPTS = 3
/** Upper bound of the first backoff, which is random so that concurrent callers spread out. Each next one is four times as long. */
const FIRST_BACKOFF_MS = 150
/** For all attempts of all calls of a request. Many HTTP clients give up after ten seconds. */
const REQUEST_DEADLINE_MS = 9_000

const SQLSTATE = /^[0-9A-Z]{5}$/
/** Lost connections, shutdowns, too many clients, serialization failures and deadlocks. */
const TRANSIENT = /^(08...|57P0[123]|53300|40001|40P01)$/

/**
 * Whether a retry may succeed. An error without an SQLSTATE comes from the network, the proxy, the timeout (whose
 * DOMException has a numeric code) or a truncated response. Every statement here is safe to repeat after a commit
 * whose response was lost.
 */
const isTransient = (error: unknown): boolean => {
  const { code, constraint } = error as Partial<NeonDbError>
  if (typeof code !== 'string' || !SQLSTATE.test(code)) return true
  // Ids are generated here, so a primary key that exists is from an earlier attempt of this call, which was committed.
  return TRANSIENT.test(code) || (code === '23505' && constraint?.endsWith('_pkey') === true)
}

/** Whether an error is the violation of a unique constraint. */
export const breaks = (error: unknown, constraint: string): boolean => {
  const { code, constraint: broken } = error as Partial<NeonDbError>
  return code === '23505' && broken === constraint
}

/** Raised by assert_unchanged in schema.sql. */
const CONFLICT = 'TR001'

/** Whether a batch was rolled back because rows have changed since they were read, or a click that it names was removed. */
export const isConflict = (error: unknown): boolean => {
  const { code, constraint } = error as Partial<NeonDbError>
  return code === CONFLICT || (code === '23503' && constraint === 'events_click_id_fkey')
}

const INT8 = 20
/** Passed with each query, because the driver ignores the client's own parsers. */
const bigintParser = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === INT8 ? BigInt : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
}

/**
 * Connects one request to the database. Nothing is opened before the first query.
 *
 * @throws {Unavailable} from each query, after three attempts or nine seconds
 */
export const connect = (env: DatabaseEnv): Db => {
  if (env.SQL_ENDPOINT) neonConfig.fetchEndpoint = env.SQL_ENDPOINT
  const client = neon(env.DATABASE_URL, { fullResults: true })
  let fetches = 0
  // Starts at the first attempt: a slow upload before it doesn't count.
  let deadline = 0

  const retry = async <T>(
    send: (options: { fetchOptions: { signal: AbortSignal } }) => Promise<T>,
  ): Promise<T> => {
    deadline ||= Date.now() + REQUEST_DEADLINE_MS
    for (let attempt = 1; ; attempt++) {
      const timeout = Math.min(ATTEMPT_TIMEOUT_MS, deadline - Date.now())
      if (timeout <= 0) throw new Unavailable('The database did not answer before the deadline.')
      try {
        fetches++
        return await send({ fetchOptions: { signal: AbortSignal.timeout(timeout) } })
      } catch (error) {
        if (!isTransient(error)) throw error
        if (attempt === ATTEMPTS) throw new Unavailable('The database did not answer.', { cause: error })
        const backoff = Math.random() * FIRST_BACKOFF_MS * 4 ** (attempt - 1)
        await new Promise((resume) => setTimeout(resume, backoff))
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
