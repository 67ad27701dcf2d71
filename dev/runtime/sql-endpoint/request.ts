import type { IncomingMessage } from 'node:http'

/** One statement, with its parameters in Postgres' text format. */
export type Statement = { text: string; values: (string | null)[]; arrayMode: boolean }

/** One statement, or several in one transaction that `begin` opens. */
export type SqlRequest = {
  login: { user: string; password: string; database: string }
  statements: Statement[]
  begin?: string
}

/** An error with the response that the driver gets. */
export class RequestError extends Error {
  readonly status: number
  readonly body: Record<string, unknown>

  constructor(status: number, body: Record<string, unknown> & { message: string }) {
    super(body.message)
    this.status = status
    this.body = body
  }
}

// Postgres' protocol counts parameters in 16 bits; pg would send more, and wait for ever.
const MAX_PARAMS = 65_535

// HTTP has no way to send the rows; pg would wait for ever here too.
const COPY_IN = /^\s*copy\b.+\bfrom\s+stdin\b/is

// Neon responds to these with an empty SQLSTATE.
const refuse = (status: number, message: string) => new RequestError(status, { message, code: '' })

const ISOLATION_LEVELS: Record<string, string> = {
  ReadUncommitted: 'read uncommitted',
  ReadCommitted: 'read committed',
  RepeatableRead: 'repeatable read',
  Serializable: 'serializable',
}

/** Parses a request to the endpoint. @throws a RequestError that says what is wrong */
export const readSqlRequest = async (
  request: IncomingMessage,
  maxBytes: number,
): Promise<SqlRequest> => {
  if (request.url?.split('?')[0] !== '/sql')
    throw refuse(404, 'Not found. This endpoint serves POST /sql only.')
  if (request.method !== 'POST')
    throw refuse(405, 'Method not allowed. This endpoint serves POST /sql only.')

  const header = (name: string) => request.headers[name]?.toString()
  if (header('neon-raw-text-output') !== 'true') {
    throw refuse(400, 'This endpoint supports raw text only. Send Neon-Raw-Text-Output: true.')
  }
  const login = readLogin(header('neon-connection-string'))
  const arrayMode = header('neon-array-mode') === 'true'
  const begin = beginStatement(header)

  const body = parseBody(await readBody(request, maxBytes))
  if (!Array.isArray(body.queries)) return { login, statements: [readStatement(body, arrayMode)] }
  return { login, statements: body.queries.map((query) => readStatement(query, arrayMode)), begin }
}

const readLogin = (connectionString: string | undefined) => {
  if (!connectionString) throw refuse(400, 'invalid header: neon-connection-string')
  try {
    const { protocol, username, password, pathname } = new URL(connectionString)
    const login = {
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: decodeURIComponent(pathname.slice(1)),
    }
    const complete = login.user && login.password && login.database
    if (complete && /^postgres(ql)?:$/.test(protocol)) return login
  } catch {
    // Not a URL: the same response as for an incomplete one.
  }
  throw refuse(
    400,
    'invalid connection string: it must be postgresql://user:password@host/database',
  )
}

const beginStatement = (header: (name: string) => string | undefined): string => {
  const named = header('neon-batch-isolation-level')
  const level = named === undefined ? undefined : ISOLATION_LEVELS[named]
  if (named !== undefined && level === undefined) throw refuse(400, 'invalid isolation level')
  const modes = [
    level && `isolation level ${level}`,
    header('neon-batch-read-only') === 'true' && 'read only',
    header('neon-batch-deferrable') === 'true' && 'deferrable',
  ]
  return `start transaction ${modes.filter(Boolean).join(', ')}`
}

const readBody = (request: IncomingMessage, maxBytes: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength
      // Reads and discards the rest, or the client would see a closed socket instead of the
      // response.
      if (bytes > maxBytes) reject(refuse(413, `request is too large (max is ${maxBytes} bytes)`))
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks).toString()))
    request.on('error', reject)
  })

const parseBody = (json: string): Record<string, unknown> => {
  try {
    const body: unknown = JSON.parse(json)
    if (isObject(body)) return body
  } catch {
    // Not JSON: the same response as for JSON of another shape.
  }
  throw unreadable()
}

const readStatement = (query: unknown, defaultArrayMode: boolean): Statement => {
  if (!isObject(query) || typeof query.query !== 'string') throw unreadable()
  const params = query.params ?? []
  if (!Array.isArray(params)) throw unreadable()
  if (params.length > MAX_PARAMS)
    throw refuse(400, `a statement takes at most ${MAX_PARAMS} parameters`)
  if (COPY_IN.test(query.query))
    throw refuse(400, 'COPY ... FROM STDIN needs a connection, not HTTP')
  const arrayMode = typeof query.arrayMode === 'boolean' ? query.arrayMode : defaultArrayMode
  return { text: query.query, values: params.map(toPostgresText), arrayMode }
}

const unreadable = () =>
  refuse(
    400,
    'could not parse the HTTP request body: it must be {"query","params"} or {"queries":[...]}',
  )

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Converts a JSON parameter as Neon does: an array to an array literal, an object to JSON text. */
const toPostgresText = (value: unknown): string | null => {
  if (value === null) return null
  if (Array.isArray(value)) return `{${value.map(toArrayElement).join(',')}}`
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const toArrayElement = (value: unknown): string => {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return `{${value.map(toArrayElement).join(',')}}`
  // Array literals quote like JSON does. An object becomes a quoted JSON text.
  return JSON.stringify(isObject(value) ? JSON.stringify(value) : value)
}
