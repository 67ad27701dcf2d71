import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { cancelStatement } from './cancel.ts'
import { RequestError, type SqlRequest, type Statement } from './request.ts'

// Per login, of which there are six: half of the server's connections in all. Further requests
// queue, as in Neon's PgBouncer.
const MAX_CONNECTIONS = 20

/** As many requests may wait for a connection. Neon's proxy refuses further ones at once. */
const PERMITS = 100

/** As long as Neon's proxy keeps a connection. Plans of database functions live as long. */
const IDLE_MS = 300_000

// Statements that leave no session state, recognised by command and text. After any other, the
// connection is closed, so that no request sees the settings, locks or temporary tables of an
// earlier one. Neon closes a connection with an open transaction and guarantees nothing else, so
// code must not rely on session state.
const TRACELESS_COMMANDS = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE', 'CALL'])
/** A setting of a transaction ends with it. */
const SET_LOCAL = /^\s*set local\b/i
const LEAVES_TRACE = /\b(set_config|pg_(try_)?advisory_lock(_shared)?|temp|temporary)\b/i

type SqlRunner = {
  /** @param gone aborts when the caller has disconnected, which cancels the request */
  run: (request: SqlRequest, gone: AbortSignal) => Promise<string>
  stop: () => Promise<void>
}

export type RunnerOptions = {
  /** A request whose values are larger in total fails with 507. */
  maxResponseBytes: number
  /**
   * Whether each connection parses and plans a statement only once, and outlives those that fail.
   */
  keepPlans?: boolean
  /** Of a round trip between Neon's proxy and Postgres. */
  latencyMs?: number
  /** How many requests may wait for a connection. */
  permits?: number
  /** How long an idle connection is kept. */
  idleMs?: number
}

// A plan for any values, from the first time on: on small tables, planning takes longer than most
// statements.
const KEEP_PLANS = '-c plan_cache_mode=force_generic_plan'

/** Runs requests on pooled connections to one server. Responses are JSON. */
export const createSqlRunner = (databaseUrl: string, options: RunnerOptions): SqlRunner => {
  const { permits = PERMITS, idleMs = IDLE_MS, keepPlans = false } = options
  const { hostname: host, port } = new URL(databaseUrl)
  const pools = new Map<string, pg.Pool>()
  const busy = new Set<pg.PoolClient>()
  let waiting = 0

  const poolFor = ({ login }: SqlRequest): pg.Pool => {
    const key = JSON.stringify(login)
    const existing = pools.get(key)
    if (existing) return existing
    const address = { host, port: Number(port || 5432), ...login }
    const pool = new pg.Pool({
      ...address,
      ...(keepPlans && { options: KEEP_PLANS }),
      max: MAX_CONNECTIONS,
      idleTimeoutMillis: idleMs,
    })
    // Queries report a lost connection themselves; without these listeners, Node would exit.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    pools.set(key, pool)
    return pool
  }

  const connect = async (request: SqlRequest): Promise<pg.PoolClient> => {
    if (waiting >= permits) throw new RequestError(500, { message: NO_PERMIT, code: '' })
    waiting++
    try {
      return await poolFor(request).connect()
    } catch (error) {
      throw toRefusal(error as Error, request)
    } finally {
      waiting--
    }
  }

  return {
    run: async (request, gone) => {
      const client = await connect(request)
      busy.add(client)
      const cancel = () => cancelStatement(client, { host, port: Number(port || 5432) })
      gone.addEventListener('abort', cancel)
      let reusable = false
      try {
        const results = await runRequest(client, request, options, gone)
        reusable =
          // A cancel request that came too late could hit the next statement.
          !gone.aborted &&
          results.every(({ command }, index) => endsWithRequest(request, command, index)) &&
          isTraceless(client, request)
        return JSON.stringify(request.begin === undefined ? results[0] : { results })
      } catch (error) {
        reusable =
          mayReuse(error, request, !keepPlans || gone.aborted) && isTraceless(client, request)
        sayForbidden(error, request)
        throw toRequestError(error)
      } finally {
        gone.removeEventListener('abort', cancel)
        busy.delete(client)
        client.release(!reusable)
      }
    },
    stop: async () => {
      const closing = [...pools.values()].map((pool) => pool.end())
      // A pool waits for running statements; ending their connections aborts them.
      await Promise.all([...closing, ...[...busy].map((client) => client.end())])
    },
  }
}

const runRequest = async (
  client: pg.PoolClient,
  { begin, statements }: SqlRequest,
  { maxResponseBytes, keepPlans, latencyMs = 0 }: RunnerOptions,
  gone: AbortSignal,
) => {
  const types = countDown(maxResponseBytes)
  const nameOf = keepPlans ? hashOf : () => undefined
  const travel = async (trips: number) => {
    if (latencyMs > 0) await sleep(trips * latencyMs)
  }
  const results: Result[] = []
  if (begin !== undefined) {
    await travel(1)
    await client.query(begin)
  }
  try {
    for (const statement of statements) {
      await travel(TRIPS)
      gone.throwIfAborted()
      results.push(await runStatement(client, statement, { types, name: nameOf(statement.text) }))
    }
  } catch (error) {
    // A failing rollback must not hide the reason. The connection is lost then, and the transaction
    // with it.
    if (begin !== undefined) await client.query('rollback').catch(() => {})
    throw error
  }
  if (begin !== undefined) {
    await travel(1)
    await client.query('commit')
  }
  return results
}

/** Neon's proxy parses and describes a statement, and then binds and executes it. */
const TRIPS = 2

type Result = {
  fields: pg.FieldDef[]
  rows: unknown[]
  command: string
  rowCount: number | null
  rowAsArray: boolean
}

const runStatement = async (
  client: pg.PoolClient,
  { text, values, arrayMode }: Statement,
  prepared: { types: pg.CustomTypesConfig; name: string | undefined },
): Promise<Result> => {
  // Without values pg uses the simple protocol, which accepts several statements in one text.
  const query = { text, values, ...prepared, rowMode: 'array' as const, queryMode: 'extended' }
  const { fields, rows, command, rowCount } = await client.query<(string | null)[]>(query)
  return {
    fields,
    rows: arrayMode
      ? rows
      : rows.map((row) => Object.fromEntries(fields.map(({ name }, i) => [name, row[i]]))),
    command: command ?? '',
    rowCount,
    rowAsArray: arrayMode,
  }
}

/** A statement's name on its connection, which then keeps its plan. */
const hashOf = (text: string): string => createHash('md5').update(text).digest('hex')

/**
 * Keeps every value as Postgres' text, until they exceed the limit in total: pg then drops the
 * other rows.
 */
const countDown = (maxBytes: number): pg.CustomTypesConfig => {
  let left = maxBytes
  const parse = (text: string) => {
    left -= text.length
    if (left < 0) {
      throw new RequestError(507, {
        message: `response is too large (max is ${maxBytes} bytes)`,
        code: '',
      })
    }
    return text
  }
  return { getTypeParser: () => parse }
}

const endsWithRequest = (
  { begin, statements }: SqlRequest,
  command: string,
  index: number,
): boolean =>
  TRACELESS_COMMANDS.has(command) ||
  (begin !== undefined && SET_LOCAL.test(statements[index]?.text ?? ''))

const isTraceless = (client: pg.PoolClient, { statements }: SqlRequest): boolean =>
  client.getTransactionStatus() === 'I' && !statements.some(({ text }) => LEAVES_TRACE.test(text))

const CANCELED = '57014'

/**
 * Neon's proxy keeps the connection of a batch that it could roll back, and that of a statement
 * that it canceled, but closes that of a statement that failed: here only if `closing`. FATAL and
 * PANIC end the connection anyway.
 */
const mayReuse = (error: unknown, { begin }: SqlRequest, closing: boolean): boolean => {
  if (!(error instanceof pg.DatabaseError) || error.severity !== 'ERROR') return false
  if (begin !== undefined) return error.code !== CANCELED
  return !closing || error.code === CANCELED
}

const NO_PERMIT =
  'Failed to acquire permit to connect to the database. Too many database connection attempts are currently ongoing.'

/**
 * Neon's response to a failed connection: 400 without a code for a wrong login, 500 when the server
 * is unreachable.
 */
const toRefusal = (error: Error, { login }: SqlRequest): RequestError =>
  error instanceof pg.DatabaseError && error.code?.startsWith('28')
    ? new RequestError(400, {
        message: `password authentication failed for user '${login.user}'`,
        code: '',
        severity: '',
      })
    : new RequestError(500, errorBody(error))

const FORBIDDEN = '42501'

/**
 * A Worker's statement that its role may not run: the response says only that something went wrong.
 */
const sayForbidden = (error: unknown, { login, statements }: SqlRequest): void => {
  if (!(error instanceof pg.DatabaseError) || error.code !== FORBIDDEN) return
  const texts = statements.map(({ text }) => text.replace(/\s+/g, ' ').trim().slice(0, 200))
  const where = error.where ? ` in ${error.where.split('\n').join(', ')}` : ''
  console.error(
    `The role ${login.user}: ${error.message}${where}. If its Workers need it, grant it in roles.sql. Statements: ${texts.join('; ')}`,
  )
}

const toRequestError = (error: unknown): unknown =>
  error instanceof RequestError || !(error instanceof Error)
    ? error
    : new RequestError(400, errorBody(error))

/**
 * The fields that the driver copies from a Postgres error. A lost connection has none, and an empty
 * code.
 */
const errorBody = (error: Error) => {
  const sent = error instanceof pg.DatabaseError ? error : undefined
  return {
    message: error.message,
    code: sent?.code ?? '',
    severity: sent?.severity ?? '',
    detail: sent?.detail,
    hint: sent?.hint,
    position: sent?.position,
    internalPosition: sent?.internalPosition,
    internalQuery: sent?.internalQuery,
    where: sent?.where,
    schema: sent?.schema,
    table: sent?.table,
    column: sent?.column,
    dataType: sent?.dataType,
    constraint: sent?.constraint,
    file: sent?.file,
    line: sent?.line,
    routine: sent?.routine,
  }
}
