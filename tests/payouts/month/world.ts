/**
 * A merchant whose months can be played: all Workers in this process, behind the router and over
 * HTTP, with a database, a Stripe and an inbox of their own, and one clock for all of them,
 * Postgres included.
 */

import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { v7 } from 'uuid'
import { afterAll, beforeAll, expect, inject, vi } from 'vitest'
import type { Zone } from '../../../cli/roles.ts'
import { startInbox } from '../../../dev/fakes/inbox.ts'
import { startStripe } from '../../../dev/fakes/stripe.ts'
import { listen } from '../../../dev/runtime/ports.ts'
import { startSqlEndpoint } from '../../../dev/runtime/sql-endpoint.ts'
import dashboard from '../../../functions/dashboard.tsx'
import importPartners from '../../../functions/import-partners.ts'
import manage from '../../../functions/manage.ts'
import portal from '../../../functions/portal.tsx'
import router from '../../../functions/router.ts'
import trackClick from '../../../functions/track/track-click.ts'
import trackLead from '../../../functions/track/track-lead.ts'
import trackSale from '../../../functions/track/track-sale.ts'
import { newId } from '../../../lib/db/ids.ts'
import {
  asZone,
  createDatabase,
  dropDatabase,
  openPool,
  TEMPLATE,
} from '../../support/databases.ts'
import { send } from '../../support/merchant.ts'
import { browse } from '../../support/pages.ts'
import { RESEND_API_KEY, SECRETS_KEY } from '../../support/secrets.ts'
import { uuid } from '../../support/uuid.ts'
import { MANAGER } from './merchant.ts'

/** Postgres' clock, which is found before its own. */
const CLOCK = `
  create schema clock;
  create table clock.hands (at timestamptz not null);
  insert into clock.hands values (now());
  create function clock.now() returns timestamptz stable language sql as 'select at from clock.hands';
  create function clock.clock_timestamp() returns timestamptz language sql as 'select at from clock.hands';
  create function clock.uuidv7() returns uuid language sql as
    'select pg_catalog.uuidv7(at - pg_catalog.clock_timestamp()) from clock.hands';
  grant usage on schema clock to public;
  grant select on clock.hands to public;
  grant execute on all functions in schema clock to public;
  do $$ declare name regprocedure; begin
    for name in select oid from pg_proc where prosecdef loop
      execute format('alter function %s set search_path = clock, pg_catalog, public', name);
    end loop;
  end $$;`

/** A database of our schema, whose time is set. */
const openDatabase = async () => {
  const name = `month_${newId().replaceAll('-', '')}`
  const server = inject('database').DATABASE_URL
  const url = await createDatabase(server, name, TEMPLATE)
  const before = openPool(url)
  await before.query(CLOCK)
  await before.query(`alter database ${name} set search_path = clock, pg_catalog, public`)
  // Only new connections have the path.
  await before.end()
  const pool = openPool(url)
  const endpoint = await startSqlEndpoint({ databaseUrl: url, keepPlans: true })
  return {
    env: { DATABASE_URL: url, SQL_ENDPOINT: endpoint.url },
    query: pool.query,
    stop: async () => {
      await pool.end()
      await endpoint.stop()
      await dropDatabase(server, name)
    },
  }
}

/** Whose cookie it is: people sign in elsewhere. */
const cookieOf = (email: string): string => `tributary.session=${email}`

const getSession = async (headers: Headers) => {
  const [, email] = /tributary\.session=([^;]+)/.exec(headers.get('Cookie') ?? '') ?? []
  return email
    ? { user: { id: email, email, name: '' }, signedInAt: new Date(), setCookie: [] }
    : null
}

type Worker = { fetch: (request: Request) => Promise<Response>; scheduled: () => Promise<void> }

type Entrypoint = new (ctx: object, env: object) => Worker & Record<string, unknown>

/**
 * A Worker that others call, with the methods of all its entrypoints: which Worker may call which
 * is wrangler.toml's. Only the Workers' own project has the types of the runtime's module.
 */
const startWorker = async (
  name: 'mailer' | 'payouts' | 'stripe-webhook',
  env: object,
): Promise<Worker> => {
  const { default: Main, ...others }: Record<string, Entrypoint> = await import(
    `../../../functions/${name}.ts`
  )
  if (!Main) throw new Error(`functions/${name}.ts exports no Worker.`)
  const self = { fetch: (url: string, init: RequestInit) => worker.fetch(new Request(url, init)) }
  const worker = new Main(CONTEXT, Object.create(env, { SELF: { value: self } }))
  for (const Other of Object.values(others)) {
    const other = new Other(CONTEXT, env)
    for (let type = Other.prototype; type !== Object.prototype; type = Object.getPrototypeOf(type))
      for (const method of Object.getOwnPropertyNames(type))
        if (!(method in worker)) worker[method] = (other[method] as () => unknown).bind(other)
  }
  return worker
}

type App = {
  fetch: (request: Request, env: object, ctx: typeof CONTEXT) => Response | Promise<Response>
}

/** What goes on after a response is done in its own time. */
const CONTEXT = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} }

/** Starts the Workers, the fakes and the database. */
const startWorld = async () => {
  const database = await openDatabase()
  const stripe = await startStripe()
  const inbox = await startInbox()
  const env: Record<string, unknown> = {
    ...database.env,
    SECRETS_KEY,
    OWNER_EMAIL: MANAGER,
    EXPENSIVE_REQUESTS: '1000000',
    EXPENSIVE_AT_ONCE: '1000000',
    STRIPE_URL: stripe.url,
    MAX_FETCHES: '100000',
    MAIL_FROM: 'Tributary <tributary@example.com>',
    RESEND_API_KEY,
    RESEND_URL: inbox.url,
    RATE_LIMIT: { limit: async () => ({ success: true }) },
    FAILURE_LIMIT: { limit: async () => ({ success: true }) },
  }
  const inZone = (zone: Zone) => {
    const DATABASE_URL = asZone(database.env.DATABASE_URL, zone)
    return new Proxy(env, {
      get: (of, name) => (name === 'DATABASE_URL' ? DATABASE_URL : Reflect.get(of, name)),
    })
  }
  const at = (app: App, zone: Zone) => {
    const own = inZone(zone)
    return { fetch: (request: Request) => app.fetch(request, own, CONTEXT) }
  }
  const payouts = await startWorker('payouts', inZone('pay'))
  const mailer = await startWorker('mailer', inZone('mail'))
  Object.assign(env, {
    AUTH: { getSession },
    CRON_MINUTES: '30',
    WEBHOOKS: { nudge: async () => {} },
    OUTBOX: { nudge: async () => {} },
    PAYOUT_QUEUE: { nudge: async () => {} },
    PAYOUTS: payouts,
    STRIPE_WEBHOOK: await startWorker('stripe-webhook', inZone('pay')),
    TRACK_CLICK: at(trackClick, 'track'),
    TRACK_LEAD: at(trackLead, 'track'),
    TRACK_SALE: at(trackSale, 'track'),
    IMPORT_PARTNERS: at(importPartners, 'pages'),
    MANAGE: at(manage, 'pages'),
    DASHBOARD: at(dashboard, 'pages'),
    PORTAL: at(portal, 'pages'),
  })
  const { url, stop } = await listen(
    createServer(
      getRequestListener((request) => (router as unknown as App).fetch(request, env, CONTEXT)),
    ),
  )
  env.PUBLIC_URL = url
  return {
    url,
    database,
    stripe,
    inbox,
    payouts,
    mailer,
    stop: async () => {
      await stop()
      await Promise.all([stripe.stop(), inbox.stop()])
      await database.stop()
    },
  }
}

/**
 * The world of a test file, started before its tests. Its time is what `setClock` was last given.
 */
export const useWorld = () => {
  let world: Awaited<ReturnType<typeof startWorld>>
  beforeAll(async () => {
    vi.spyOn(console, 'log').mockReturnValue(undefined)
    // `v7()` never goes back: the files after this one, in the same process, would have ids of the
    // future.
    let seq = 0
    vi.spyOn(uuid, 'v7').mockImplementation(() => v7({ msecs: Date.now(), seq: seq++ }))
    world = await startWorld()
  })
  afterAll(async () => {
    vi.useRealTimers()
    vi.restoreAllMocks()
    await world?.stop()
  })

  const setClock = async (at: Date): Promise<void> => {
    vi.setSystemTime(at)
    await world.database.query('update clock.hands set at = $1', [at])
  }

  return {
    query: <Row extends Record<string, unknown>>(text: string, values?: unknown[]) =>
      world.database.query<Row>(text, values),
    stripe: () => world.stripe,
    inbox: () => world.inbox,
    url: () => world.url,
    now: () => new Date(),
    setClock,
    /** Lets time pass. Nothing happens at the same time. */
    wait: (minutes = 1) => setClock(new Date(Date.now() + minutes * 60_000)),
    /** What Cloudflare's clock starts each minute. Mails go out until none is left. */
    cron: async (): Promise<void> => {
      await world.payouts.scheduled()
      const isWaiting = async () =>
        (
          await world.database.query(
            'select from mails where sent_at is null and failed_at is null and next_attempt_at <= $1 limit 1',
            [new Date()],
          )
        ).length > 0
      while (await isWaiting()) await world.mailer.scheduled()
    },
    /** Calls the API as a member of a workspace, and expects a status. */
    calls: (email: string, slug: string) => {
      const call =
        (method: string) =>
        async <Body = Record<string, unknown>>(path: string, body?: unknown, expected = 200) => {
          const answer = await send(`${world.url}/api/workspaces${slug && `/${slug}`}${path}`, {
            method,
            body,
            headers: { Cookie: cookieOf(email), Origin: world.url },
          })
          expect({ path, ...answer, headers: null }).toMatchObject({ status: expected })
          return answer.body as Body
        }
      return { get: call('GET'), post: call('POST'), patch: call('PATCH'), put: call('PUT') }
    },
    /** Reports what happened in the shop, with an API key. */
    reports: (apiKey: string) => async (path: string, body: object) => {
      const headers = { Authorization: `Bearer ${apiKey}`, 'CF-Connecting-IP': newId() }
      const answer = await send(`${world.url}/api/track/${path}`, { body, headers })
      expect(answer).toMatchObject({ status: 200 })
      return answer.body
    },
    /** The pages under /app/<slug> or /portal, as somebody sees them. */
    pages: (email: string, part: string) => browse(cookieOf(email), world.url, part),
    /** A file that a page links to, with its type. */
    download: async (email: string, path: string): Promise<string> => {
      const answer = await fetch(`${world.url}${path}`, { headers: { Cookie: cookieOf(email) } })
      expect(answer.status).toBe(200)
      return answer.text()
    },
  }
}
export type World = ReturnType<typeof useWorld>

/** Works through a list, some at a time. */
export const inParallel = async <T>(
  list: T[],
  work: (one: T, index: number) => Promise<unknown>,
) => {
  const next = list.entries()
  const worker = async () => {
    for (const [index, one] of next) await work(one, index)
  }
  await Promise.all(Array.from({ length: 4 }, worker))
}
