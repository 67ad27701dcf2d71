/** Records the statements of a real sale, and derives those of further sales. */
import { v7 } from 'uuid'
import { startSqlProxy } from '../tests/support/sql-proxy.ts'

type Statement = { query: string; params: unknown[] }
/** One fetch to the database: a statement, or a batch of them. */
type Fetch = Statement | { queries: Statement[] }

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/
/** A UUID anywhere in a text. */
const UUIDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
/** The bench's invoice and customer ids, also within JSON. */
const OUR_ID = /bench-[\w-]+/g

/** A proxy for the SQL endpoint that records and counts requests. */
export const startRecorder = async (sqlEndpoint: string) => {
  const bodies: Fetch[] = []
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

const statementsOf = (fetch: Fetch): Statement[] => ('queries' in fetch ? fetch.queries : [fetch])

/** The SQL of each fetch, for the bare Worker. */
export const textsOf = (sale: Fetch[]): (string | string[])[] =>
  sale.map((fetch) => ('queries' in fetch ? fetch.queries.map(({ query }) => query) : fetch.query))

/**
 * The parameters of a further sale, by fetch and statement. Ids that differ between two recorded
 * sales are replaced consistently by new ones, also within JSON; everything else (workspace,
 * partner, reward, times, steps) stays the same.
 */
export const oneMoreSale = (a: Fetch[], b: Fetch[]): unknown[][][] => {
  const kept = new Set(JSON.stringify(b).match(UUIDS))
  const made = new Map<string, string>()
  const renew = (id: string, fresh: () => string): string => {
    const known = made.get(id) ?? fresh()
    made.set(id, known)
    return known
  }
  const make = (value: unknown, other: unknown): unknown => {
    if (value === other || typeof value !== 'string') return value
    if (UUID.test(value)) return renew(value, v7)
    return value
      .replace(UUIDS, (id) => (kept.has(id) ? id : renew(id, v7)))
      .replace(OUR_ID, (id) => renew(id, () => `bench-${crypto.randomUUID()}`))
  }
  return a.map((fetch, n) => {
    const others = statementsOf(b[n] ?? { queries: [] })
    return statementsOf(fetch).map(({ params }, index) =>
      params.map((value, at) => make(value, others[index]?.params[at])),
    )
  })
}
