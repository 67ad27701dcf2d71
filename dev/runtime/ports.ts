import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Everything listens on this machine alone. */
export const HOST = '127.0.0.1'

/** A server that listens. Stopping it cuts its connections: whoever waits on one would wait for ever. */
export type Listening = { url: string; stop: () => Promise<void> }

/** Starts to listen, on any free port unless told which. */
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
 * Listens on a port that a user has chosen, or says plainly why it can't be had.
 *
 * @param variable the environment variable that chooses another port
 */
export const openPort = async (server: Server, port: number, variable: string): Promise<Listening> => {
  try {
    return await listen(server, port)
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
}
