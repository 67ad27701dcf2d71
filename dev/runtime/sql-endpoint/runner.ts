import { createHash } from 'node:crypto'
import pg from 'pg'
import { RequestError, type SqlRequest, type Statement } from './request.ts'

// Per login, of which there are six: half of the server's connections in all. Further requests queue.
const MAX_CONNECTIONS = 20

// Five minutes: a coffee break should not cost the next request a new connection.
const IDLE_MS = 300_000

// Statements that leave no session state, recognised by command and text. After any other, the connection is closed,
// so that no request sees the settings, locks or temporary tables of an earlier one. Neon closes a connection with an
// open transaction and guarantees nothing else, so code must not rely on session state.
const TRACELESS_COMMANDS = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE'])
/** A setting of a transaction ends with it. */
const SET_LOCAL = /^\s*set local\b/i
const LEAVES_TRACE = /\b(set_config|pg_(try_)?advisory_lock(_shared)?|temp|temporary)\b/i

type SqlRunner = { run: (request: SqlRequest) => Promise<string>; stop: () => Promise<void> }

type Options = {
  /** A request whose values are larger in total fails with 507. */
  maxResponseBytes: number
  /** Whether each connection parses and plans a statement only once. */
  keepPlans: boolean
}

// A plan for any values, from the first time on: on small tables, planning takes longer than most statements.
const KEEP_PLANS = '-c plan_cache_mode=force_generic_plan'

/** Runs requests on pooled connections to one server. Responses are JSON. */
export const createSqlRunner = (databaseUrl: string, options: Options): SqlRunner => {
  const { hostname: host, port } = new URL(databaseUrl)
  const pools = new Map<string, pg.Pool>()
  const busy = new Set<pg.PoolClient>()

  const poolFor = ({ login }: SqlRequest): pg.Pool => {
    const key = JSON.stringify(login)
    const existing = pools.get(key)
    if (existing) return existing
    const address = { host, port: Number(port || 5432), ...login }
    const pool = new pg.Pool({
      ...address,
      ...(options.keepPlans && { options: KEEP_PLANS }),
      max: MAX_CONNECTIONS,
      idleTimeoutMillis: IDLE_MS,
    })
    // Queries report a lost connection themselves; without these listeners, Node would exit.
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
        const results = await runRequest(client, request, options)
        reusable =
          results.every(({ command }, index) => endsWithRequest(request, command, index)) &&
          isTraceless(client, request)
        return JSON.stringify(request.begin === undefined ? results[0] : { results })
      } catch (error) {
        reusable = isStatementError(error) && isTraceless(client, request)
        sayForbidden(error, request)
        throw toRequestError(error)
      } finally {
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

const runRequest = async (client: pg.PoolClient, { begin, statements }: SqlRequest, options: Options) => {
  const types = countDown(options.maxResponseBytes)
  const nameOf = options.keepPlans ? hashOf : () => undefined
  const results: Result[] = []
  if (begin !== undefined) await client.query(begin)
  try {
    for (const statement of statements) {
      results.push(await runStatement(client, statement, { types, name: nameOf(statement.text) }))
    }
  } catch (error) {
    // A failing rollback must not hide the reason. The connection is lost then, and the transaction with it.
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

/** Keeps every value as Postgres' text, until they exceed the limit in total: pg then drops the other rows. */
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

const endsWithRequest = ({ begin, statements }: SqlRequest, command: string, index: number): boolean =>
  TRACELESS_COMMANDS.has(command) || (begin !== undefined && SET_LOCAL.test(statements[index]?.text ?? ''))

const isTraceless = (client: pg.PoolClient, { statements }: SqlRequest): boolean =>
  client.getTransactionStatus() === 'I' && !statements.some(({ text }) => LEAVES_TRACE.test(text))

// FATAL and PANIC end the connection.
const isStatementError = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR'

/** Neon's response to a failed connection: 400 for a wrong login, 500 when the server is unreachable. */
const refuseConnection = (error: Error): never => {
  const status = error instanceof pg.DatabaseError && error.code?.startsWith('28') ? 400 : 500
  throw new RequestError(status, errorBody(error))
}

const FORBIDDEN = '42501'

/** A Worker's statement that its role may not run: the response says only that something went wrong. */
const sayForbidden = (error: unknown, { login, statements }: SqlRequest): void => {
  if (!(error instanceof pg.DatabaseError) || error.code !== FORBIDDEN) return
  const texts = statements.map(({ text }) => text.replace(/\s+/g, ' ').trim().slice(0, 200))
  const where = error.where ? ` in ${error.where.split('\n').join(', ')}` : ''
  console.error(
    `The role ${login.user}: ${error.message}${where}. If its Workers need it, grant it in roles.sql. Statements: ${texts.join('; ')}`,
  )
}

const toRequestError = (error: unknown): unknown =>
  error instanceof RequestError || !(error instanceof Error) ? error : new RequestError(400, errorBody(error))

/** The fields that the driver copies from a Postgres error. A lost connection has none, and an empty code. */
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
