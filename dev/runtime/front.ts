import { Agent, createServer, request as forward } from 'node:http'
import { type Listening, openPort } from './ports.ts'

/** The public address: one port in front of workerd, whose own port changes with every reload. */
export type Front = Listening & {
  /** Where requests go from now on. Until it is first called, they are answered 503. */
  pointTo: (target: URL) => void
  /** Where requests for a path and all below it go instead. */
  mount: (path: string, target: URL) => void
}

/**
 * Opens the public port. As Cloudflare does, it says in CF-Connecting-IP who is calling, whatever the caller says,
 * and lets no CF-Ray through that the caller made up.
 */
export const startFront = async (port: number): Promise<Front> => {
  let workers: URL | undefined
  const mounted = new Map<string, URL>()
  const agent = new Agent({ keepAlive: true })

  const targetOf = (url = ''): URL | undefined => {
    const [path = ''] = url.split('?')
    const [, target] = [...mounted].find(([mount]) => path === mount || path.startsWith(`${mount}/`)) ?? []
    return target ?? workers
  }

  const server = createServer((incoming, outgoing) => {
    const target = targetOf(incoming.url)
    if (!target) {
      outgoing
        .writeHead(503, { 'Retry-After': '1', 'Content-Type': 'text/plain' })
        .end('Tributary is starting.\n')
      return
    }
    // Cloudflare lets nothing through that is not the address of a page, such as `OPTIONS *`.
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
      else outgoing.writeHead(503, { 'Retry-After': '1' }).end()
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
