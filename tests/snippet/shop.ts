import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildDebugger } from '../../dev/runtime/build-snippet.ts'

/** A response of the tracking API: a status, invalid JSON, a closed connection, or none. */
export type Answer = 200 | 400 | 404 | 429 | 500 | 'not json' | 'closed' | 'silent'

/** The body of a click. */
type Click = {
  programId: string
  slugs: string[]
  url: string
  referrer: string
  age: number
  clickId?: string
}

/** A click expires long after any test. Whole seconds, like a cookie's expiry. */
export const expiresAt = new Date(Math.ceil(Date.now() / 1000) * 1000 + 90 * 24 * 60 * 60 * 1000)

/** Seconds. */
export const MAX_AGE = 90 * 24 * 60 * 60

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const close = (server: Server) =>
  new Promise<unknown>((resolve) => {
    server.close(resolve)
    server.closeAllConnections()
  })

/** A fake tracking API that records requests and responds as configured. */
export const startTracking = async (script: () => string) => {
  const tracking = {
    port: 0,
    answer: 200 as Answer,
    /** The click ID that the next responses give, if it is not the click's own. */
    stands: undefined as string | undefined,
    clicks: [] as Click[],
    contentTypes: [] as (string | undefined)[],
    preflights: 0,
    /** The ID of the n-th click since reset(), from 1. */
    id: (n: number) => `clk_${n}`,
    slugs: () => tracking.clicks.map(({ slugs }) => slugs.join()),
    reset: () =>
      Object.assign(tracking, {
        answer: 200,
        stands: undefined,
        clicks: [],
        contentTypes: [],
        preflights: 0,
      }),
    stop: () => close(server),
  }
  const server = createServer(async (request, response) => {
    if (request.url === '/debug.js') {
      response.writeHead(200, {
        'Content-Type': 'text/javascript',
        'Access-Control-Allow-Origin': '*',
      })
      return response.end(await buildDebugger())
    }
    if (request.url?.startsWith('/via.')) {
      // A module script is fetched with CORS.
      response.writeHead(200, {
        'Content-Type': 'text/javascript',
        'Access-Control-Allow-Origin': '*',
      })
      return response.end(script())
    }
    if (request.method === 'OPTIONS') tracking.preflights++
    if (request.method !== 'POST' || request.url !== '/api/track/click')
      return response.writeHead(405).end()
    const { answer } = tracking
    const chunks = await request.setEncoding('utf8').toArray()
    tracking.clicks.push(JSON.parse(chunks.join('')))
    tracking.contentTypes.push(request.headers['content-type'])
    const clickId = tracking.stands ?? tracking.id(tracking.clicks.length)

    if (answer === 'silent') return
    if (answer === 'closed') return request.socket.destroy()
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.statusCode = typeof answer === 'number' ? answer : 200
    if (answer === 'not json') return response.end('<h1>Welcome to our Wi-Fi</h1>')
    response.end(
      JSON.stringify(
        answer === 200
          ? { clickId, expiresAt, maxAge: MAX_AGE }
          : { error: { code: `is_${answer}` } },
      ),
    )
  })
  tracking.port = await listen(server)
  return tracking
}

/** A merchant's site: every path and host name serves `html`. */
export const startShop = async () => {
  const shop = {
    port: 0,
    html: '',
    headers: {} as Record<string, string>,
    stop: () => close(server),
  }
  const server = createServer((_request, response) => {
    response
      .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...shop.headers })
      .end(shop.html)
  })
  shop.port = await listen(server)
  return shop
}
