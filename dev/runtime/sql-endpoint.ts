import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Listening, listen } from './ports.ts'
import { RequestError, readSqlRequest, type Statement } from './sql-endpoint/request.ts'
import { createSqlRunner, type RunnerOptions } from './sql-endpoint/runner.ts'

/** The local stand-in for Neon's HTTP endpoint. */
export type SqlEndpoint = Listening

// Neon's limits, so that what is too large there fails here too.
const MAX_REQUEST_BYTES = 64 * 1024 * 1024
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024

/**
 * Serves `POST /sql` on the loopback interface in front of a Postgres server, as Neon's proxy does.
 *
 * ```ts
 * const endpoint = await startSqlEndpoint({ databaseUrl })
 * neonConfig.fetchEndpoint = endpoint.url
 * ```
 */
export const startSqlEndpoint = async (
  options: {
    databaseUrl: string
    port?: number
    maxRequestBytes?: number
    /** Called with each request before it runs. */
    onRequest?: (statements: Statement[]) => void
  } & Partial<RunnerOptions>,
): Promise<SqlEndpoint> => {
  const { databaseUrl, port, maxRequestBytes = MAX_REQUEST_BYTES, onRequest, ...limits } = options
  const runner = createSqlRunner(databaseUrl, { maxResponseBytes: MAX_RESPONSE_BYTES, ...limits })

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const gone = new AbortController()
    response.on('close', () => {
      if (!response.writableFinished) gone.abort()
    })
    try {
      const asked = await readSqlRequest(request, maxRequestBytes)
      onRequest?.(asked.statements)
      send(response, 200, await runner.run(asked, gone.signal))
    } catch (error) {
      const { status, body } = toFailure(error)
      send(response, status, JSON.stringify(body))
    }
  }

  // Idle sockets stay open: closing one while the client reuses it would look like a lost
  // connection.
  const server = createServer({ keepAliveTimeout: 0, noDelay: true }, handle)
  const { url, stop } = await listen(server, port)
  return {
    url: `${url}/sql`,
    stop: async () => {
      await stop()
      await runner.stop()
    },
  }
}

const send = (response: ServerResponse, status: number, json: string) => {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(json),
  })
  response.end(json)
}

const toFailure = (error: unknown): { status: number; body: Record<string, unknown> } => {
  if (error instanceof RequestError) return { status: error.status, body: error.body }
  return { status: 500, body: { message: error instanceof Error ? error.message : String(error) } }
}
