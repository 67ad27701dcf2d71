/** Postgres over Neon's HTTP driver, with a timeout per attempt and retries with backoff. */
import { type NeonDbError, neon, neonConfig, types } from '@neondatabase/serverless'
import { Unavailable } from '../platform/unavailable.ts'

/** The Workers' bindings for the database. */
export type DatabaseEnv = {
  DATABASE_URL: string
  /** The SQL endpoint of a database that isn't Neon's. The local runtime sets it. */
  SQL_ENDPOINT?: string
}

/**
 * A connection without the query builder, for Workers that call database functions only: it is a
 * third of a bundle.
 */
export type Client = {
  /** Runs one statement. Expects its values as the driver takes them: JSON as text. */
  query: <Row>(text: string, values: unknown[]) => Promise<Row[]>
  /** The number of round trips so far, retries included. */
  fetches: () => number
}

/** @property requestMs for all attempts of all calls of a request */
export type Limits = { attemptMs: number; requestMs: number }

/**
 * A longer attempt is probably lost: a healthy call takes a few milliseconds, a cold start about a
 * second. Many HTTP clients give up after ten seconds.
 */
const USUAL: Limits = { attemptMs: 2_500, requestMs: 9_000 }

/** For a statement that changes tens of thousands of rows, which takes some seconds. */
export const LONG: Limits = { attemptMs: 14_000, requestMs: 28_000 }

const ATTEMPTS = 3
/**
 * Upper bound of the first backoff, which is random so that concurrent callers spread out. Each
 * next one is four times as long.
 */
const FIRST_BACKOFF_MS = 150

const SQLSTATE = /^[0-9A-Z]{5}$/
/** Lost connections, shutdowns, too many clients, serialization failures and deadlocks. */
const TRANSIENT = /^(08...|57P0[123]|53300|40001|40P01)$/

/**
 * Whether a retry may succeed. An error without an SQLSTATE comes from the network, the proxy, the
 * timeout (whose DOMException has a numeric code) or a truncated response. Every statement here is
 * safe to repeat after a commit whose response was lost.
 */
const isTransient = (error: unknown): boolean => {
  const { code, constraint } = error as Partial<NeonDbError>
  if (typeof code !== 'string' || !SQLSTATE.test(code)) return true
  // Ids are generated here, so a primary key that exists is from an earlier attempt of this call,
  // which was committed.
  return TRANSIENT.test(code) || (code === '23505' && constraint?.endsWith('_pkey') === true)
}

/**
 * What Neon's proxy refuses itself, without an SQLSTATE: no repeat succeeds until somebody changes
 * a password or a plan. Callers may repeat their requests later, as in an outage.
 */
const REFUSAL = /password authentication failed|quota/i

const isRefusal = (error: unknown): boolean => error instanceof Error && REFUSAL.test(error.message)

/** Whether an error is the violation of a unique constraint. */
export const breaks = (error: unknown, constraint: string): boolean => {
  const { code, constraint: broken } = error as Partial<NeonDbError>
  return code === '23505' && broken === constraint
}

/** Raised by assert_unchanged in schema.sql. */
const CONFLICT = 'TR001'

/**
 * Whether a batch was rolled back because rows have changed since they were read, or a click that
 * it names was removed.
 */
export const isConflict = (error: unknown): boolean => {
  const { code, constraint } = error as Partial<NeonDbError>
  return code === CONFLICT || (code === '23503' && constraint === 'events_click_id_fkey')
}

const INT8 = 20
/** Passed with each query, because the driver ignores the client's own parsers. */
export const bigintParser = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === INT8 ? BigInt : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
}

/**
 * The driver for one request, and `retry`, which sends a call until it is answered. Nothing is
 * opened before the first one.
 *
 * @throws {Unavailable} from each call, after three attempts or the limit of the request
 */
export const openDriver = (env: DatabaseEnv, { attemptMs, requestMs } = USUAL) => {
  if (env.SQL_ENDPOINT) neonConfig.fetchEndpoint = env.SQL_ENDPOINT
  let fetches = 0
  // Starts at the first attempt: a slow upload before it doesn't count.
  let deadline = 0

  const retry = async <T>(
    send: (options: { fetchOptions: { signal: AbortSignal } }) => Promise<T>,
  ): Promise<T> => {
    deadline ||= Date.now() + requestMs
    for (let attempt = 1; ; attempt++) {
      const timeout = Math.min(attemptMs, deadline - Date.now())
      if (timeout <= 0) throw new Unavailable('The database did not answer before the deadline.')
      try {
        fetches++
        return await send({ fetchOptions: { signal: AbortSignal.timeout(timeout) } })
      } catch (error) {
        if (!isTransient(error)) throw error
        if (isRefusal(error))
          throw new Unavailable('The database refused the connection.', { cause: error })
        if (attempt === ATTEMPTS)
          throw new Unavailable('The database did not answer.', { cause: error })
        const backoff = Math.random() * FIRST_BACKOFF_MS * 4 ** (attempt - 1)
        await new Promise((resume) => setTimeout(resume, backoff))
      }
    }
  }
  return { driver: neon(env.DATABASE_URL, { fullResults: true }), retry, fetches: () => fetches }
}

/** Connects one request to the database, without the query builder. */
export const openClient = (env: DatabaseEnv): Client => clientOf(openDriver(env))

export const clientOf = ({ driver, retry, fetches }: ReturnType<typeof openDriver>): Client => ({
  fetches,
  query: async <Row>(text: string, values: unknown[]) => {
    const { rows } = await retry((limits) =>
      driver.query(text, values, { ...limits, types: bigintParser }),
    )
    return rows as Row[]
  },
})
