import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Nothing is reachable from other machines. */
export const HOST = '127.0.0.1'

/**
 * A listening server. `stop` closes its open connections too: clients would wait for ever on them.
 */
export type Listening = { url: string; stop: () => Promise<void> }

/** Listens on a port; by default on any free one. */
export const listen = async (server: Server, port = 0): Promise<Listening> => {
  server.listen(port, HOST)
  await once(server, 'listening')
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/**
 * Listens on a port that the user chose. Fails with an error that says what to do.
 *
 * @param variable the environment variable that sets the port
 */
export const openPort = async (
  server: Server,
  port: number,
  variable: string,
): Promise<Listening> => {
  try {
    return await listen(server, port)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new Error(
        `Port ${port} is in use. Stop the process that uses it, or choose another port: ${variable}=${port + 10} npm start`,
      )
    }
    if (code === 'EACCES')
      throw new Error(
        `Port ${port} requires root privileges. Choose one above 1023: ${variable}=...`,
      )
    throw error
  }
}
