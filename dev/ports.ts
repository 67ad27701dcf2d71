import { once } from 'node:events'
import type { Server } from 'node:http'
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
