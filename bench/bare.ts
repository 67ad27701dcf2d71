import { neon, neonConfig } from '@neondatabase/serverless'

/** `STATEMENTS` is the SQL of each fetch: of one statement, or of the several of a batch. */
type Env = { DATABASE_URL: string; SQL_ENDPOINT: string; STATEMENTS: string }
/** The parameters of each statement of each fetch. */
type SaleParameters = unknown[][][]

/**
 * The least work that saves a sale: the same statements with the same driver and precomputed
 * parameters.
 */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    neonConfig.fetchEndpoint = env.SQL_ENDPOINT
    const parameters = (await request.json()) as SaleParameters
    const client = neon(env.DATABASE_URL, { fullResults: true })
    const fetches = JSON.parse(env.STATEMENTS) as (string | string[])[]
    for (const [n, text] of fetches.entries()) {
      const values = parameters[n] ?? []
      if (typeof text === 'string') await client.query(text, values[0])
      else {
        const statements = text.map((statement, index) => client.query(statement, values[index]))
        await client.transaction(statements, { isolationLevel: 'ReadCommitted' })
      }
    }
    return Response.json({ saved: true })
  },
}
