import { WorkerEntrypoint } from 'cloudflare:workers'
import { neon, neonConfig } from '@neondatabase/serverless'
import type { AuthService } from '../lib/auth/session.ts'

type Env = { DATABASE_URL: string; SQL_ENDPOINT: string }

/** Budgets are of a user's id, which is a UUID. */
const USER_ID = '00000000-0000-7000-8000-000000000001'

/**
 * Stands in for the auth Worker: the cookie names the user. Makes one fetch to the database, as a
 * real session does.
 */
export default class BenchAuth extends WorkerEntrypoint<Env> {
  async getSession(headers: Headers): ReturnType<AuthService['getSession']> {
    neonConfig.fetchEndpoint = this.env.SQL_ENDPOINT
    const email = headers.get('Cookie') ?? ''
    const rows = await neon(this.env.DATABASE_URL).query(
      'select email from members where email = $1',
      [email],
    )
    return rows.length > 0
      ? {
          user: { id: USER_ID, email, name: email },
          passkeyAt: null,
          signedInAt: new Date(),
          setCookie: [],
        }
      : null
  }
}
