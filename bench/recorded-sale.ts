/** Records the statements of a real sale, and derives those of further sales. */
import { v7 } from 'uuid'
import { startSqlProxy } from '../tests/support/sql-proxy.ts'

type Statement = { query: string; params: unknown[] }
export type RecordedSale = { read: Statement; write: Statement[] }

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/
/** The bench's invoice and customer ids, also within JSON. */
const OUR_ID = /bench-[\w-]+/g

/** A proxy for the SQL endpoint that records and counts requests. */
export const startRecorder = async (sqlEndpoint: string) => {
  const bodies: (Statement | { queries: Statement[] })[] = []
  const proxy = await startSqlProxy(sqlEndpoint, async ({ body, outgoing, ask }) => {
    bodies.push(JSON.parse(body))
    const answer = await ask()
    outgoing.writeHead(answer.status).end(answer.body)
  })
  return {
    ...proxy,
    /** The requests since the last call. */
    take: () => bodies.splice(0),
  }
}

/** Finds a sale's two fetches among the recorded ones. */
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
 * The parameters of a further sale. Ids that differ between two recorded sales are replaced consistently by new ones;
 * everything else (workspace, partner, reward, times, steps) stays the same.
 */
export const oneMoreSale = (a: RecordedSale, b: RecordedSale): { read: unknown[]; write: unknown[][] } => {
  const made = new Map<string, string>()
  const make = (value: unknown, other: unknown): unknown => {
    if (value === other || typeof value !== 'string') return value
    if (UUID.test(value)) return made.get(value) ?? made.set(value, v7()).get(value)
    return value.replace(OUR_ID, (id) => {
      const fresh = made.get(id) ?? crypto.randomUUID()
      made.set(id, fresh)
      return fresh
    })
  }
  const renew = (left: Statement, right: Statement | undefined) =>
    left.params.map((value, index) => make(value, right?.params[index]))
  return {
    read: renew(a.read, b.read),
    write: a.write.map((statement, index) => renew(statement, b.write[index])),
  }
}
