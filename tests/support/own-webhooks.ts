/**
 * Webhooks in a database of the test file's own, where nobody else sends what is queued, nor with
 * other settings.
 */
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest'
import { listen } from '../../dev/runtime/ports.ts'
import manage from '../../functions/manage.ts'
import trackClick from '../../functions/track/track-click.ts'
import trackLead from '../../functions/track/track-lead.ts'
import { sendDue } from '../../lib/webhooks/deliveries/send-due.service.ts'
import { asZone } from './databases.ts'
import { webhooksHere } from './in-process.ts'
import { checkLines } from './log-lines.ts'
import { createMerchant } from './merchant.ts'
import { openOwnDatabase } from './own-database.ts'
import { SECRETS_KEY } from './secrets.ts'

/** What is done after a response is not waited for. */
const CONTEXT = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} }

/**
 * The database, empty for each test, and the apps of managers and reports over it. Called once by a
 * test file, at its top.
 */
export const useOwnWebhooks = () => {
  let own: Awaited<ReturnType<typeof openOwnDatabase>>
  let apps: Awaited<ReturnType<typeof listen>>

  /** Whose cookie it is: `openSession` adds sessions, which the auth Worker would look up. */
  const getSession = async (headers: Headers) => {
    const [, token] = /tributary\.session=([0-9a-f-]+)/.exec(headers.get('Cookie') ?? '') ?? []
    const [user] = await own.pool.query<{ id: string; email: string; name: string }>(
      'select u.id, u.email, u.name from sign_in.sessions s join sign_in.users u on u.id = s.user_id where s.token = $1',
      [token],
    )
    return user ? { user, signedInAt: new Date(), setCookie: [] } : null
  }

  const answer = (request: Request) => {
    const { pathname } = new URL(request.url)
    const [app, zone] =
      pathname === '/api/track/click'
        ? ([trackClick, 'track'] as const)
        : pathname === '/api/track/lead'
          ? ([trackLead, 'track'] as const)
          : ([manage, 'pages'] as const)
    const unlimited = { limit: async () => ({ success: true }) }
    const env = {
      ...own.database,
      DATABASE_URL: asZone(own.database.DATABASE_URL, zone),
      AUTH: { getSession },
      WEBHOOKS: webhooksHere,
      OUTBOX: { nudge: async () => {} },
      PAYOUT_QUEUE: { nudge: async () => {} },
      RATE_LIMIT: unlimited,
      FAILURE_LIMIT: unlimited,
    }
    return app.fetch(request, env, CONTEXT)
  }

  beforeAll(async () => {
    own = await openOwnDatabase('webhooks')
    apps = await listen(createServer(getRequestListener(answer)))
  })
  beforeEach(
    () => void vi.spyOn(console, 'log').mockImplementation((line) => checkLines([String(line)])),
  )
  afterEach(() => own.empty())
  afterAll(async () => {
    await apps?.stop()
    await own?.stop()
  })

  return {
    query: <Row extends Record<string, unknown>>(text: string, values?: unknown[]) =>
      own.pool.query<Row>(text, values),
    createMerchant: () => createMerchant({ baseUrl: apps.url, database: own.database }),
    /** One run of the webhooks Worker, in this process. */
    sendDue: (env: { MAX_FETCHES?: string } = {}) => {
      return sendDue(
        {
          DATABASE_URL: asZone(own.database.DATABASE_URL, 'hooks'),
          SQL_ENDPOINT: own.database.SQL_ENDPOINT,
          SECRETS_KEY,
          PUBLIC_URL: 'https://tributary.example',
          MAX_FETCHES: '1000',
          ALLOW_LOCAL_WEBHOOKS: 'true',
          ...env,
        },
        { ms: 30_000 },
      )
    },
  }
}
