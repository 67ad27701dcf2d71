import type { ServerResponse } from 'node:http'
import { startSqlProxy } from './sql-proxy.ts'

/** Failures between a Worker and its database. */
export const FAULTS = [
  /** The connection is cut before the statement arrives. */
  'cut_before',
  /** The statement runs and commits, and the connection is cut before the answer. */
  'cut_after',
  /** The statement runs and commits, and half of the answer arrives. */
  'half',
  /** The statement runs and commits, and a proxy answers with a page of its own. */
  'garbage',
  /** The statement runs and commits, and an empty JSON object comes back. */
  'empty',
  /** The statement never arrives, and no response comes. */
  'silence',
  /** The statement runs and commits, and no response comes. */
  'silence_after',
  /** The compute could not be woken. */
  'wake_500',
  /** Postgres is being restarted. */
  'shutdown_57P01',
  /** The connection to Postgres was lost. */
  'lost_connection',
  /** An earlier try that timed out commits just before this one. */
  'own_twin',
] as const
export type Fault = (typeof FAULTS)[number]

/** What others do before the statement arrives. */
export type Meanwhile = () => Promise<void>

const ANSWERS: Partial<Record<Fault, [status: number, body: string]>> = {
  wake_500: [500, '{"message":"Could not wake up the compute"}'],
  shutdown_57P01: [
    400,
    '{"message":"terminating connection due to administrator command","code":"57P01"}',
  ],
  own_twin: [400, '{"message":"duplicate key","code":"23505","constraint":"events_pkey"}'],
  lost_connection: [400, '{"message":"connection closed","code":""}'],
}

/**
 * The last use of an API key is written after the response, and not at each call: see
 * lib/auth/keys/key-use.queries.ts.
 */
const isBackground = (body: string): boolean => body.includes('note_key_use')

/**
 * A proxy between the Workers and the SQL endpoint, which counts the fetches of each tenant and
 * fails planned ones. A tenant is identified by any text in its statements, such as its workspace's
 * id.
 */
export const startFaultyDatabase = async (sqlEndpoint: string) => {
  const plans = new Map<string, { fetches: number; faults: (Fault | Meanwhile | null)[] }>()

  const proxy = await startSqlProxy(sqlEndpoint, async ({ body, outgoing, ask }) => {
    const plan = isBackground(body)
      ? undefined
      : [...plans].find(([key]) => key.split('|').some((part) => body.includes(part)))?.[1]
    if (plan) plan.fetches++
    const planned = plan?.faults.shift() ?? null
    if (typeof planned === 'function') await planned()
    const fault = typeof planned === 'function' ? null : planned

    const canned = fault && ANSWERS[fault]
    if (canned) return void outgoing.writeHead(canned[0]).end(canned[1])
    if (fault === 'cut_before') return void outgoing.destroy()
    if (fault === 'silence') return

    const answer = await ask()
    answerWith(outgoing, fault, answer.status, answer.body)
  })

  return {
    ...proxy,
    /** Plans faults for a tenant's next fetches, in order; null lets one pass. Resets its count. */
    plan: (tenant: string[], faults: (Fault | Meanwhile | null)[]) =>
      plans.set(tenant.join('|'), { fetches: 0, faults: [...faults] }),
    fetches: (tenant: string[]) => plans.get(tenant.join('|'))?.fetches,
    /** The number of planned faults that have not happened yet. */
    left: (tenant: string[]) => plans.get(tenant.join('|'))?.faults.length,
  }
}

const answerWith = (
  outgoing: ServerResponse,
  fault: Fault | null,
  status: number,
  body: Buffer,
): void => {
  switch (fault) {
    case 'cut_after':
      return void outgoing.destroy()
    case 'half':
      outgoing.writeHead(status, { 'Content-Length': body.length })
      outgoing.write(body.subarray(0, body.length >> 1), () => outgoing.destroy())
      return
    case 'garbage':
      return void outgoing.writeHead(200).end('<html>One moment, please</html>')
    case 'empty':
      return void outgoing.writeHead(200).end('{}')
    case 'silence_after':
      return
    default:
      outgoing.writeHead(status).end(body)
  }
}
