import { randomUUID } from 'node:crypto'
import { Agent, createServer, request as forward, type ServerResponse } from 'node:http'
import type { ErrorResponse } from '../../lib/http/common.responses.ts'
import { ERROR_STATUS } from '../../lib/http/errors.ts'
import { HOST, type Listening, openPort } from './ports.ts'

/**
 * The public address: a fixed port in front of workerd, whose own port changes with every reload.
 */
export type PublicProxy = Listening & {
  /** Sets the target of requests. Until the first call, requests get 503. */
  pointTo: (target: URL) => void
  /** Sends requests for a path, and everything below it, to another target. */
  mount: (path: string, target: URL) => void
}

/** Responds as a Worker does that can't reach the database: a retry soon succeeds. */
const refuse = (outgoing: ServerResponse, host = HOST): void => {
  const error = {
    code: 'try_again',
    message: 'The Workers are starting. Retry the same request.',
    requestId: randomUUID(),
    docUrl: `http://${host}/docs/errors#try_again`,
  } as const
  outgoing
    .writeHead(ERROR_STATUS.try_again, { 'Retry-After': '1', 'Content-Type': 'application/json' })
    .end(JSON.stringify({ error } satisfies ErrorResponse))
}

/**
 * Opens the public port. Like Cloudflare, it sets CF-Connecting-IP itself and drops a CF-Ray header
 * sent by the client.
 */
export const startProxy = async (port: number): Promise<PublicProxy> => {
  let workers: URL | undefined
  const mounted = new Map<string, URL>()
  const agent = new Agent({ keepAlive: true })

  const targetOf = (url = ''): URL | undefined => {
    const [path = ''] = url.split('?')
    const [, target] =
      [...mounted].find(([mount]) => path === mount || path.startsWith(`${mount}/`)) ?? []
    return target ?? workers
  }

  const server = createServer((incoming, outgoing) => {
    const target = targetOf(incoming.url)
    if (!target) {
      refuse(outgoing, incoming.headers.host)
      return
    }
    // Cloudflare rejects request targets that are not paths, such as `OPTIONS *`.
    if (!incoming.url?.startsWith('/')) {
      outgoing.writeHead(400).end()
      return
    }
    const { 'cf-ray': _ray, ...headers } = incoming.headers
    const proxied = forward({
      agent,
      host: target.hostname,
      port: target.port,
      method: incoming.method,
      path: incoming.url,
      headers: { ...headers, 'cf-connecting-ip': incoming.socket.remoteAddress },
    })
    proxied.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    proxied.on('error', () => {
      if (outgoing.headersSent) outgoing.destroy()
      else refuse(outgoing, incoming.headers.host)
    })
    outgoing.on('close', () => proxied.destroy())
    incoming.pipe(proxied)
  })

  const { url, stop } = await openPort(server, port, 'PORT')
  return {
    url,
    pointTo: (next) => {
      workers = next
    },
    mount: (path, target) => void mounted.set(path, target),
    stop: async () => {
      await stop()
      agent.destroy()
    },
  }
}
