/** The statements of one sale as they really go out, and how to make them those of another sale. */

import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { v7 } from 'uuid'
import { HOST } from '../dev/ports.ts'

type Statement = { query: string; params: unknown[] }
export type RecordedSale = { read: Statement; write: Statement[] }

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/
/** What the bench names its invoices and customers by. */
const OUR_ID = /^bench-/

/** A stop on the way to the SQL endpoint that keeps what passes. It also counts fetches. */
export const startRecorder = async (sqlEndpoint: string) => {
  const bodies: (Statement | { queries: Statement[] })[] = []
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    bodies.push(JSON.parse(body.toString()))
    const onward = forward(sqlEndpoint, { method: 'POST', headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    onward.end(body)
  })
  server.listen(0, HOST)
  await once(server, 'listening')
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/sql`,
    /** What went through since the last call. */
    take: () => bodies.splice(0),
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Reads a sale's two fetches out of what was recorded. */
export const toSale = (
  bodies: ReturnType<Awaited<ReturnType<typeof startRecorder>>['take']>,
): RecordedSale => {
  const [read, write] = bodies
  if (bodies.length !== 2 || !read || !write || 'queries' in read || !('queries' in write)) {
    throw new Error(`A first sale is one read and one batch, but ${bodies.length} fetches went out.`)
  }
  return { read, write: write.queries }
}

/**
 * The parameters of one more sale. Ids that differ between two recorded sales are what makes a sale itself, and
 * are made new, the same one for the same one; the rest (workspace, partner, reward, times, steps) stays.
 */
export const oneMoreSale = (a: RecordedSale, b: RecordedSale): { read: unknown[]; write: unknown[][] } => {
  const made = new Map<string, string>()
  const make = (value: unknown, other: unknown): unknown => {
    if (value === other || typeof value !== 'string') return value
    if (UUID.test(value)) return made.get(value) ?? made.set(value, v7()).get(value)
    if (OUR_ID.test(value)) return made.get(value) ?? made.set(value, crypto.randomUUID()).get(value)
    return value
  }
  const renew = (left: Statement, right: Statement | undefined) =>
    left.params.map((value, index) => make(value, right?.params[index]))
  return {
    read: renew(a.read, b.read),
    write: a.write.map((statement, index) => renew(statement, b.write[index])),
  }
}
