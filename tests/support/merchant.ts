import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { expect, inject, vi } from 'vitest'
import type * as z from 'zod'
import { type Seeder, seeder } from '../../dev/demo/seed.ts'
import type { DatabaseEnv } from '../../lib/db/neon.ts'
import type { Role } from '../../lib/rules/roles/roles.ts'
import type { EventResponse } from '../../lib/tracking/events/events.responses.ts'
import { connectDirectly, openPool } from './databases.ts'
import { differencesOf, violationsOf } from './ledger.ts'
import { openSession } from './people.ts'

/** The parts of a response that tests check. A missing one fails the expectation. */
export type Answer = {
  status: number
  headers: Headers
  body: Record<string, unknown> & {
    eventId?: string | null
    attributed?: boolean
    clickId?: string
    expiresAt?: string
    error?: {
      code: string
      message: string
      details?: { path: string; message: string }[]
      requestId: string
      docUrl: string
    }
  }
}

type Explanation = z.input<typeof EventResponse>

/** The shape of every error: spec 7 leaves it open, docs/api.md gives it. */
export const errorShape = (code: string) => ({
  error: {
    code,
    message: expect.any(String),
    requestId: expect.any(String),
    docUrl: expect.stringMatching(new RegExp(`/docs/errors#${code}$`)),
  },
})

/** Sends a request as a merchant's backend would. A text body goes out as it is. */
export const send = async (
  url: string | URL,
  init: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> => {
  const { body, headers, method = body === undefined ? 'GET' : 'POST' } = init
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && {
      body:
        typeof body === 'string' || body instanceof Uint8Array
          ? (body as NonNullable<RequestInit['body']>)
          : JSON.stringify(body),
    }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') ? JSON.parse(text) : { text },
  }
}

/** Clicks of tools are not counted. */
const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36'

type Terms = Parameters<Seeder['addProgram']>[1]
type Group = Parameters<Seeder['addGroup']>[2]

type Options = {
  program?: Terms
  group?: Group
  /** Whether partners may be paid by bank transfer. */
  manualPayouts?: boolean
  baseUrl?: string
  database?: DatabaseEnv
}

/** Memoizes `work`. */
const once = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | undefined
  return () => {
    result ??= work()
    return result
  }
}

/** A merchant with a workspace of its own, one program, the partner "maya" and an API key. */
export const createMerchant = async (options: Options = {}) => {
  const baseUrl = options.baseUrl ?? inject('baseUrl')
  const seed = seeder(options.database ?? inject('database'), connectDirectly)
  const { manualPayouts = false } = options
  const workspace = await seed.addWorkspace({ manualPayouts })
  const apiKey = await seed.addApiKey(workspace.id)
  const programId = await seed.addProgram(workspace.id, options.program)
  const groupId = options.group ? await seed.addGroup(workspace.id, programId, options.group) : null
  const partnerId = await seed.addPartner(workspace.id, programId, { slug: 'maya', groupId })

  const authorization = { Authorization: `Bearer ${apiKey}` }
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    send(`${baseUrl}${path}`, { body, headers: { ...authorization, ...headers } })
  const get = (path: string) =>
    send(`${baseUrl}/api/workspaces/${workspace.slug}${path}`, { headers: authorization })

  const click = async (
    slug = 'maya',
    program = programId,
    visitor = workspace.id,
    url?: string,
    referrer?: string,
  ): Promise<string> => {
    const { body } = await send(`${baseUrl}/api/track/click`, {
      body: { programId: program, slug, url, referrer },
      // An address of its own, or all tests together would run into one visitor's limit.
      headers: { 'CF-Connecting-IP': visitor, 'User-Agent': BROWSER },
    })
    if (!body.clickId) throw new Error(`No click: ${JSON.stringify(body)}`)
    return body.clickId
  }
  const explain = async (eventId: string | null | undefined) =>
    (await get(`/events/${eventId}`)).body as unknown as Explanation

  /**
   * The cookie of a person of this merchant, whose session is opened when a test first asks for it.
   */
  const person = (name: string, role?: Role) =>
    once(async () => {
      const email = `${name}@${workspace.slug}.example`
      if (role) await seed.addMember(workspace.id, email, role)
      return openSession(email, options.database)
    })

  const manager = person('manager', 'manager')

  /** Calls paths of the workspace. */
  const withHeaders = (headers: Record<string, string>) => {
    const call = (method: string) => (path: string, body?: unknown) =>
      send(`${baseUrl}/api/workspaces/${workspace.slug}${path}`, { method, body, headers })
    return {
      get: call('GET'),
      post: call('POST'),
      put: call('PUT'),
      patch: call('PATCH'),
      delete: call('DELETE'),
    }
  }

  /** The same with someone's cookie, as the pages' scripts do. */
  const as = (cookie: string) => withHeaders({ Cookie: cookie, Origin: new URL(baseUrl).origin })

  return {
    seed,
    workspace,
    programId,
    /** The partner "maya". */
    partnerId,
    apiKey,
    /** The complete Cookie header of a manager, manager@<slug>.example. */
    manager,
    /** The same for a member, who has read access only. */
    member: person('member', 'member'),
    /** The same for a signed-in person who is not a member of the workspace. */
    stranger: person('stranger'),
    as,
    withHeaders,
    /** The same with a manager's cookie. */
    asManager: async () => as(await manager()),
    post,
    get,
    click,
    sale: (body: Record<string, unknown>, headers?: Record<string, string>) =>
      post(
        '/api/track/sale',
        { externalId: 'inv_1', customerExternalId: 'user_1', amountCents: 4_900, ...body },
        headers,
      ),
    lead: (body: Record<string, unknown>, headers?: Record<string, string>) =>
      post('/api/track/lead', { externalId: 'user_1', ...body }, headers),
    refund: (body: Record<string, unknown>, headers?: Record<string, string>) =>
      post('/api/track/refund', { externalId: 'ref_1', saleExternalId: 'inv_1', ...body }, headers),
    /** The event with its explanation, by its id. */
    explain,
    /** The same by the id under which it was reported, which also finds unattributed events. */
    explainReport: async (kind: 'sale' | 'lead' | 'refund', externalId: string) => {
      const { body } = await get(
        `/events?kind=${kind}&externalId=${encodeURIComponent(externalId)}`,
      )
      return (body as unknown as { data: Explanation[] }).data[0]
    },
  }
}
export type Merchant = Awaited<ReturnType<typeof createMerchant>>

/**
 * The connections of the test files of this process to the shared database, with the statements
 * that they have planned.
 */
let shared: ReturnType<typeof openPool> | undefined

/**
 * The one connection of this process that verifies ledgers and rebuilds totals: to plan the view of
 * all violations takes longer than most tests, and the first temporary table of a connection makes
 * all others plan their statements again.
 */
let verifying: ReturnType<typeof openPool> | undefined

/** Of one workspace among those of all tests, few rows of each table are read. */
const FEW_ROWS = ['enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off']

/** Direct access to the shared database. Called once by a test file, at its top. */
export const useDatabase = () => {
  shared ??= openPool(inject('database').DATABASE_URL)
  verifying ??= openPool(inject('database').DATABASE_URL, 1, FEW_ROWS)
  const [pool, verifier] = [shared, verifying]
  const { query } = pool
  return {
    query,
    /** What is wrong with the ledger of a workspace. */
    violations: (workspaceId: string) => violationsOf(verifier.query, workspaceId),
    /** What its ledger has otherwise than what was received and returned. */
    differences: (workspaceId: string) => differencesOf(query, workspaceId),
    /**
     * Waits for what a program's first visit writes after its response, so that tests that count
     * fetches don't count it.
     */
    firstVisitNoted: (programId: string) =>
      vi.waitFor(
        async () =>
          expect(
            await query('select from last_visits where program_id = $1', [programId]),
          ).toHaveLength(1),
        { timeout: 60_000 },
      ),
    /** The audit log of a merchant's workspace, oldest first. */
    audit: ({ workspace }: { workspace: { id: string } }) =>
      query<{
        actor: string
        action: string
        subject_id: string | null
        details: Record<string, unknown>
      }>(
        'select actor, action, subject_id, details from audit_entries where workspace_id = $1 order by id',
        [workspace.id],
      ),
    /** The number of rewards of a merchant's programs and groups, replaced ones included. */
    rewards: async ({ workspace }: Merchant) =>
      (await query('select from rewards where workspace_id = $1', [workspace.id])).length,
    /** The numbers of a merchant's events, customers and commissions. */
    counts: async ({ workspace }: Merchant) => {
      const [row] = await query<{ events: number; customers: number; commissions: number }>(
        `select (select count(*) from events where workspace_id = $1)::int as events,
                (select count(*) from customers where workspace_id = $1)::int as customers,
                (select count(*) from commissions where workspace_id = $1)::int as commissions`,
        [workspace.id],
      )
      return row
    },
    /**
     * Runs a statement in a transaction that is committed once somebody waits for it.
     *
     * @returns what `meanwhile` does
     * @throws when it ends without having waited
     */
    whileUncommitted: <T>(
      statement: string,
      values: unknown[],
      meanwhile: () => Promise<T>,
    ): Promise<T> =>
      pool.onConnection(async (client) => {
        await client.query('begin')
        await client.query(statement, values)
        let isOver = false
        const result = meanwhile().finally(() => {
          isOver = true
        })
        const isAwaited = async () => {
          // In a transaction, the list of connections stays as it was first read.
          await client.query('select pg_stat_clear_snapshot()')
          const { rowCount } = await client.query(
            'select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid)) limit 1',
          )
          return rowCount === 1
        }
        while (!(await isAwaited())) {
          if (isOver) throw new Error(`Nothing waited for: ${statement}`, { cause: await result })
          await pause(2)
        }
        await client.query('commit')
        return result
      }),
    /**
     * Saves what `first` sends only once `second` waits for it, or was answered: until then,
     * `first` waits for the statement, whose transaction is rolled back.
     */
    whileSaving: <First, Second>(
      statement: string,
      values: unknown[],
      first: () => Promise<First>,
      second: () => Promise<Second>,
    ): Promise<[First, Second]> =>
      pool.onConnection(async (client) => {
        await client.query('begin')
        await client.query(statement, values)
        /** How many connections wait for this one, and how many wait for those. */
        const countWaiting = async () => {
          await client.query('select pg_stat_clear_snapshot()')
          const { rows } = await client.query<{ waiting: number; behind: number }>(
            `with waits as (select pid, pg_blocking_pids(pid) as on_pids from pg_stat_activity),
                  first as (select pid from waits where pg_backend_pid() = any (on_pids))
             select (select count(*) from first)::int as waiting,
                    (select count(*) from waits w join first f on f.pid = any (w.on_pids))::int as behind`,
          )
          return rows[0] ?? { waiting: 0, behind: 0 }
        }
        const saved = first()
        while ((await countWaiting()).waiting === 0) await pause(2)
        let isAnswered = false
        const answer = second().finally(() => {
          isAnswered = true
        })
        while (!isAnswered && (await countWaiting()).behind === 0) await pause(2)
        await client.query('rollback')
        return Promise.all([saved, answer])
      }),
    /**
     * Holds one of the advisory locks of lib/db/locks.queries.ts, so that a batch that takes it
     * waits.
     */
    whileLocked: <T>(name: string, work: () => Promise<T>, seed = 0): Promise<T> =>
      pool.onConnection(async (client) => {
        await client.query('begin')
        await client.query('select pg_advisory_xact_lock(hashtextextended($1, $2))', [name, seed])
        const result = await work()
        await client.query('commit')
        return result
      }),
    /**
     * Makes the clicks of a merchant so far two days older, so that payments of the past may follow
     * them.
     */
    ageClicks: ({ workspace }: Pick<Merchant, 'workspace'>) =>
      pool.query(
        `update clicks set created_at = created_at - interval '2 days', expires_at = expires_at - interval '2 days'
         where workspace_id = $1`,
        [workspace.id],
      ),
    /** Moves the dates of a merchant's clicks, referrals, events and commissions into the past. */
    age: ({ workspace }: Merchant, interval: string): Promise<void> =>
      verifier.onConnection(async (client) => {
        // For rebuild_totals: updates without triggers leave totals as they are.
        await client.query("select pg_advisory_lock(hashtextextended('fold_totals', 0))")
        while (!(await moveDates(client, workspace.id, interval)));
        await client.query("select pg_advisory_unlock(hashtextextended('fold_totals', 0))")
      }),
  }
}

/**
 * @returns false if another transaction changed a row meanwhile, as what a request writes after its
 *   response does
 */
const moveDates = async (
  client: pg.PoolClient,
  workspaceId: string,
  interval: string,
): Promise<boolean> => {
  const move = (table: string, columns: string[]) =>
    client.query(
      `update ${table} set ${columns.map((column) => `${column} = ${column} - $2::interval`)} where workspace_id = $1`,
      [workspaceId, interval],
    )
  await client.query('begin isolation level repeatable read')
  try {
    // commissions refuse updates otherwise
    await client.query('set local session_replication_role = replica')
    await move('clicks', ['created_at', 'expires_at'])
    await move('referrals', ['referred_at', 'clicked_at'])
    await move('events', ['occurred_at', 'report_occurred_at'])
    await move('commissions', ['created_at', 'payable_at'])
    await client.query(
      `update commissions c set earned_on = utc_day(e.occurred_at) from events e where e.id = c.event_id and c.workspace_id = $1`,
      [workspaceId],
    )
    await client.query('select rebuild_totals($1)', [workspaceId])
    await client.query('commit')
    return true
  } catch (error) {
    if (!['40001', '40P01'].includes((error as pg.DatabaseError).code ?? '')) throw error
    await client.query('rollback')
    return false
  }
}

/** The codes of an explanation's steps, in order. */
export const codes = (explanation: Pick<Explanation, 'steps'> | undefined): string[] | undefined =>
  explanation?.steps.map((step) => step.code)
