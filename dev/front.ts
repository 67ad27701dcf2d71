import { once } from 'node:events'
import type { Server } from 'node:http'
import { Agent, createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Everything listens on this machine alone. */
export const HOST = '127.0.0.1'

/**
 * Opens a port, or says plainly why it can't be had.
 *
 * @param variable the environment variable that chooses another port
 */
export const openPort = async (server: Server, port: number, variable: string): Promise<number> => {
  server.listen(port, HOST)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new Error(
        `Port ${port} is taken. Stop what is using it, or choose another: ${variable}=${port + 10} npm start`,
      )
    }
    if (code === 'EACCES')
      throw new Error(`Port ${port} needs privileges. Choose one above 1023 with ${variable}=...`)
    throw error
  }
  return (server.address() as AddressInfo).port
}

/** The public address: one port in front of workerd, whose own port changes with every reload. */
export type Front = {
  url: string
  /** Where requests go from now on. Until it is first called, they are answered 503. */
  pointTo: (target: URL) => void
  stop: () => Promise<void>
}

/** Opens the public port. As Cloudflare does, it says in CF-Connecting-IP who is calling, whatever the caller says. */
export const startFront = async (port: number): Promise<Front> => {
  let target: URL | undefined
  const agent = new Agent({ keepAlive: true })

  const server = createServer((incoming, outgoing) => {
    if (!target) {
      outgoing
        .writeHead(503, { 'Retry-After': '1', 'Content-Type': 'text/plain' })
        .end('Tributary is starting.\n')
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

  const opened = await openPort(server, port, 'PORT')
  return {
    url: `http://${HOST}:${opened}`,
    pointTo: (url) => {
      target = url
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      agent.destroy()
    },
  }
}
