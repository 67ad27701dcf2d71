import pg from 'pg'
import { RequestError, type SqlRequest, type Statement } from './sql-request.ts'

// A fifth of the server's connections for each login; requests beyond that wait their turn.
const MAX_CONNECTIONS = 20

// Five minutes, so that a pause for coffee does not cost the next request a new connection.
const IDLE_MS = 300_000

// Statements that leave nothing in their session, told by their command and their text. After any other the
// connection is closed, so that no request meets the settings, locks or temporary tables of an earlier one. Neon does
// so for an open transaction, and promises nothing for the rest: code that relied on it would fail here.
const TRACELESS_COMMANDS = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE'])
const LEAVES_TRACE = /\b(set_config|pg_(try_)?advisory_lock(_shared)?|temp|temporary)\b/i

type SqlRunner = { run: (request: SqlRequest) => Promise<string>; stop: () => Promise<void> }

/**
 * Runs requests on pooled connections to one server; a request's answer is JSON.
 *
 * @param maxResponseBytes a request whose values are longer in all is refused with 507
 */
export const createSqlRunner = (databaseUrl: string, maxResponseBytes: number): SqlRunner => {
  const { hostname: host, port } = new URL(databaseUrl)
  const pools = new Map<string, pg.Pool>()
  const busy = new Set<pg.PoolClient>()

  const poolFor = ({ login }: SqlRequest): pg.Pool => {
    const key = JSON.stringify(login)
    const existing = pools.get(key)
    if (existing) return existing
    const address = { host, port: Number(port || 5432), ...login }
    const pool = new pg.Pool({ ...address, max: MAX_CONNECTIONS, idleTimeoutMillis: IDLE_MS })
    // A query on a connection that ends is told so itself; without these listeners Node would end too.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    pools.set(key, pool)
    return pool
  }

  return {
    run: async (request) => {
      const client = await poolFor(request).connect().catch(refuseConnection)
      busy.add(client)
      let reusable = false
      try {
        const results = await runRequest(client, request, maxResponseBytes)
        reusable =
          results.every(({ command }) => TRACELESS_COMMANDS.has(command)) && isTraceless(client, request)
        return JSON.stringify(request.begin === undefined ? results[0] : { results })
      } catch (error) {
        reusable = isStatementError(error) && isTraceless(client, request)
        throw toRequestError(error)
      } finally {
        busy.delete(client)
        client.release(!reusable)
      }
    },
    stop: async () => {
      const closing = [...pools.values()].map((pool) => pool.end())
      // A pool waits for the statements that run; ending their connections here cuts them short.
      await Promise.all([...closing, ...[...busy].map((client) => client.end())])
    },
  }
}

const runRequest = async (client: pg.PoolClient, { begin, statements }: SqlRequest, maxBytes: number) => {
  const budget = countDown(maxBytes)
  const results: Result[] = []
  if (begin !== undefined) await client.query(begin)
  try {
    for (const statement of statements) results.push(await runStatement(client, statement, budget))
  } catch (error) {
    // Its own failure would hide the reason: the connection is lost, and its transaction with it.
    if (begin !== undefined) await client.query('rollback').catch(() => {})
    throw error
  }
  if (begin !== undefined) await client.query('commit')
  return results
}

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
  types: pg.CustomTypesConfig,
): Promise<Result> => {
  // The simple protocol, which pg uses when there are no values, would take several statements in one text.
  const query = { text, values, types, rowMode: 'array' as const, queryMode: 'extended' }
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

/** Leaves every value the text that Postgres sent, until they are too long in all: pg then drops the other rows. */
const countDown = (maxBytes: number): pg.CustomTypesConfig => {
  let left = maxBytes
  const parse = (text: string) => {
    left -= text.length
    if (left < 0) {
      throw new RequestError(507, { message: `response is too large (max is ${maxBytes} bytes)`, code: '' })
    }
    return text
  }
  return { getTypeParser: () => parse }
}

const isTraceless = (client: pg.PoolClient, { statements }: SqlRequest): boolean =>
  client.getTransactionStatus() === 'I' && !statements.some(({ text }) => LEAVES_TRACE.test(text))

// FATAL and PANIC end the connection.
const isStatementError = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR'

/** Neon's answer to a failed connection: 400 when the login is wrong, 500 when the server can't be had. */
const refuseConnection = (error: Error): never => {
  const status = error instanceof pg.DatabaseError && error.code?.startsWith('28') ? 400 : 500
  throw new RequestError(status, errorBody(error))
}

const toRequestError = (error: unknown): unknown =>
  error instanceof RequestError || !(error instanceof Error) ? error : new RequestError(400, errorBody(error))

/** What the driver copies from a Postgres error; a lost connection has none of it, and an empty code. */
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
