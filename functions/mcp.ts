import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod'
import { keyReader } from '../lib/auth/access.ts'
import { refuseCrossSite } from '../lib/auth/session.ts'
import { createApp } from '../lib/http/app.ts'
import {
  ERROR_STATUS,
  type ErrorCode,
  errorBody,
  setErrorHeaders,
  toApiError,
} from '../lib/http/errors.ts'
import { body } from '../lib/http/validate.ts'
import { createServer } from './mcp/server.ts'
import type { McpBindings, McpContext } from './mcp/tools.ts'

/** A message of JSON-RPC. Batches were removed from MCP in 2025. */
const Message = z.record(z.string(), z.unknown())

/** The JSON-RPC codes of refused requests. Other errors are internal. */
const RPC_CODES: Partial<Record<ErrorCode, number>> = { invalid_body: -32_600, internal: -32_603 }
const SERVER_ERROR = -32_000

const rpcError = (code: number, message: string, data?: object) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message, data },
})

/**
 * Clients send no Origin. A page that reached this server under its own name (DNS rebinding) would.
 */
const refusePages = createMiddleware(async function refusePages(c, next) {
  refuseCrossSite(c)
  await next()
})

/** Answers clients of 2025 and earlier, which initialize a session first. No session is kept. */
const answerLegacy = async (c: McpContext, message: object): Promise<Response> => {
  const server = createServer(c)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const response = await transport.handleRequest(c.req.raw, { parsedBody: message })
  await server.close()
  return response
}

/** Responds in JSON. No subscription is open, because the server never sends notifications. */
const answer = async (c: McpContext, message: object): Promise<Response> => {
  if (await isLegacyRequest(c.req.raw, message)) return answerLegacy(c, message)
  let failure: Error | undefined
  const handler = createMcpHandler(() => createServer(c), {
    legacy: 'reject',
    maxSubscriptions: 0,
    onerror: (error) => {
      failure = error
    },
  })
  const response = await handler.fetch(c.req.raw, { parsedBody: message })
  if (response.status >= 500)
    throw failure ?? new Error(`The MCP library answered ${response.status}.`)
  return response
}

/**
 * /mcp: the Model Context Protocol over Streamable HTTP, without sessions. The API key determines
 * the workspace. See docs/mcp.md.
 */
export default createApp<McpBindings>()
  .use(refusePages)
  .post('/mcp', keyReader(), body(Message), async (c) => {
    const response = await answer(c, c.req.valid('json'))
    // A copy, so that the headers of all our responses are added.
    return c.newResponse(response.body, response)
  })
  .all('/mcp', (c) =>
    c.json(rpcError(SERVER_ERROR, 'Send messages with POST. This server opens no stream.'), 405, {
      Allow: 'POST',
    }),
  )
  .onError((error, c) => {
    const failure = toApiError(error)
    setErrorHeaders(c, failure)
    const { code, message } = failure
    return c.json(
      rpcError(RPC_CODES[code] ?? SERVER_ERROR, message, errorBody(c, failure).error),
      ERROR_STATUS[code],
    )
  })
