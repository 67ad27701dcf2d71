import { neon, neonConfig } from '@neondatabase/serverless'

type Env = { DATABASE_URL: string; SQL_ENDPOINT: string }

/** The least that any Worker with a database does: one fetch, of `select 1`. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    await request.arrayBuffer()
    neonConfig.fetchEndpoint = env.SQL_ENDPOINT
    return Response.json(await neon(env.DATABASE_URL).query('select 1 as one'))
  },
}
