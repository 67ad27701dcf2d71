import { createServer, type RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { HOST, openPort } from '../ports.ts'
import { createShop, type ShopConfig } from './app.ts'

/** The demo shop's server. */
export type Shop = {
  url: string
  /** Opens for customers. Until then, they are told that it is about to. */
  open: (config: ShopConfig) => void
  stop: () => Promise<void>
}

const closed: RequestListener = (_request, response) => {
  response
    .writeHead(503, { 'Retry-After': '1', 'Content-Type': 'text/plain' })
    .end('The demo shop is starting.\n')
}

/** Takes the shop's port; the shop itself opens once Tributary is there to report to. */
export const startShop = async (port: number): Promise<Shop> => {
  let listener = closed
  const server = createServer((request, response) => void listener(request, response))
  const opened = await openPort(server, port, 'SHOP_PORT')
  return {
    url: `http://${HOST}:${opened}`,
    open: (config) => {
      listener = getRequestListener(createShop(config).fetch)
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
