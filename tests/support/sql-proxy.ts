import { once } from 'node:events'
import { createServer, request as forward, type ServerResponse } from 'node:http'
import { listen } from '../../dev/runtime/ports.ts'

/** A request on its way to the SQL endpoint. */
export type Passing = {
  body: string
  outgoing: ServerResponse
  /** Forwards it. @returns the endpoint's response */
  ask: () => Promise<{ status: number; body: Buffer }>
}

/**
 * Starts a proxy between Workers and the SQL endpoint. `handle` decides what happens to each
 * request.
 */
export const startSqlProxy = async (
  sqlEndpoint: string,
  handle: (passing: Passing) => Promise<void>,
) => {
  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray())
    const ask = async () => {
      const onward = forward(sqlEndpoint, { method: incoming.method, headers: incoming.headers })
      onward.end(body)
      const [answer] = await once(onward, 'response')
      return { status: answer.statusCode, body: Buffer.concat(await answer.toArray()) }
    }
    await handle({ body: body.toString(), outgoing, ask })
  })
  const { url, stop } = await listen(server)
  return { url: `${url}/sql`, stop }
}
