import { createServer, type RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { type Listening, openPort } from '../../runtime/ports.ts'
import { createShop } from './app.ts'
import type { ShopConfig } from './config.ts'

/** The demo shop's server. */
export type Shop = Listening & {
  /** Opens the shop. Until then, requests get 503. */
  open: (config: ShopConfig) => void
}

const closed: RequestListener = (_request, response) => {
  response
    .writeHead(503, { 'Retry-After': '1', 'Content-Type': 'text/plain' })
    .end('The demo shop is starting.\n')
}

/** Listens on the shop's port. The shop opens once Tributary is running. */
export const startShop = async (port: number): Promise<Shop> => {
  let listener = closed
  const server = createServer((request, response) => void listener(request, response))
  const listening = await openPort(server, port, 'SHOP_PORT')
  return {
    ...listening,
    open: (config) => {
      listener = getRequestListener(createShop(config).fetch)
    },
  }
}
