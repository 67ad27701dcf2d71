/**
 * Measures every page and list, with every filter, in a workspace with a year of data, in one whose
 * lists have a page of rows, and in an empty one of the same database. The second is what pages are
 * judged by: rows take time to show, however few others there are. Filling takes longer than
 * measuring: `BENCH_PAGES_URL` names a database that was filled before.
 */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import pg from 'pg'
import { seeder } from '../dev/demo/seed.ts'
import { ENDLESS_BUDGETS } from '../dev/runtime/workers.ts'
import { newId } from '../lib/db/ids.ts'
import { median } from './measure.ts'
import type { Bindings } from './merchant.ts'
import { addYear, foldAll, type Size } from './pages-data.ts'
import { MANAGER, type Place, requestsOf } from './pages-list.ts'
import { buildOwn, startBenchWorkers } from './workers.ts'

/**
 * A page or list: its times in milliseconds, and the first over that with a page of rows, and over
 * that of an empty workspace.
 */
export type PageFigure = {
  name: string
  overRows: number
  overEmpty: number
  fullMs: number
  smallMs: number
  emptyMs: number
}

/** Ten million events, as issue 14 has it. */
export const FULL_SIZE: Size = { events: 10_000_000, partners: 5_000, prefix: 'bench' }

/**
 * As many rows as a page shows, over a year: what a page takes more than this one grows with the
 * data.
 */
const SMALL_SIZE: Size = { events: 1_000, partners: 100, prefix: 'small' }

const ROUNDS = { warmUp: 2, measured: 9 }

const agent = new Agent({ keepAlive: true })

/** @returns how long a page takes, in milliseconds */
const get = async (url: URL, cookie: string): Promise<number> => {
  const start = performance.now()
  const call = request(url, { agent, headers: { Cookie: cookie } })
  call.end()
  const [answer]: IncomingMessage[] = await once(call, 'response')
  const parts = await answer?.toArray()
  const ms = performance.now() - start
  if (answer?.statusCode !== 200)
    throw new Error(
      `${url} answered ${answer?.statusCode}: ${Buffer.concat(parts ?? [])
        .toString()
        .slice(0, 500)}`,
    )
  return ms
}

/**
 * A workspace with one partner. An empty one has a canceled run too, so that the page of a run can
 * be measured.
 */
const addPlace = async (bindings: Bindings, client: pg.Client, slug: string) => {
  const seed = seeder(bindings)
  const { id: workspaceId } = await seed.addWorkspace({ slug })
  const programId = await seed.addProgram(workspaceId)
  await seed.addMember(workspaceId, MANAGER)
  await seed.addPartner(workspaceId, programId, {
    slug: `${slug}-only`,
    email: `${slug}-partner@bench.example`,
  })
  await client.query(
    'update workspaces set manual_payouts = true, paypal_payouts = true, self_billing = true where id = $1',
    [workspaceId],
  )
  await client.query(
    `insert into payout_runs (id, workspace_id, program_id, method, cutoff_at, created_by, created_at, claimed_at, canceled_at)
     select $1, $2, $3, 'stripe', now(), 'bench', now(), now(), now() where $4 = 'empty'`,
    [newId(), workspaceId, programId, slug],
  )
  return { workspaceId, programId }
}

const connected = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Adds an empty workspace, a small one and a filled one to a database with the schema. */
export const fillPages = (
  bindings: Bindings,
  size: Size,
  onProgress: (text: string) => void,
): Promise<void> =>
  connected(bindings.DATABASE_URL, async (client) => {
    await addPlace(bindings, client, 'empty')
    await addYear(
      bindings.DATABASE_URL,
      await addPlace(bindings, client, 'small'),
      SMALL_SIZE,
      () => {},
    )
    await addYear(bindings.DATABASE_URL, await addPlace(bindings, client, 'full'), size, onProgress)
  })

/** The largest partner of a workspace, with one of its payouts, or what an empty one has. */
const findPlace = async (client: pg.Client, slug: string): Promise<Place> => {
  const { rows } = await client.query<Place>(
    `select w.id as "workspaceId", w.slug, p.id as "partnerId", p.email, p.program_id as "programId",
            coalesce(po.run_id, (select id from payout_runs where workspace_id = w.id limit 1)) as "runId",
            coalesce(po.id, $2) as "payoutId"
     from workspaces w join partners p on p.workspace_id = w.id and p.slug_key in ('bench-1', 'empty-only')
     left join payouts po on po.partner_id = p.id and po.paid_at is not null
     where w.slug = $1 order by po.id limit 1`,
    [slug, newId()],
  )
  if (!rows[0]) throw new Error(`The database has no workspace "${slug}".`)
  return rows[0]
}

/**
 * Measures all pages and lists in the three workspaces.
 *
 * @param scripts  the bundles of the Workers, by name
 * @param isChosen limits them by name
 * @returns first those that take longest over a page of rows
 */
export const measurePages = async (
  scripts: ReadonlyMap<string, string>,
  bindings: Bindings,
  isChosen: (name: string) => boolean = () => true,
): Promise<PageFigure[]> => {
  const [full, small, empty] = await connected(bindings.DATABASE_URL, async (client) => {
    // As the cron would have: what has become payable since the database was filled is counted.
    await foldAll(client)
    const places = [
      await findPlace(client, 'full'),
      await findPlace(client, 'small'),
      await findPlace(client, 'empty'),
    ] as const
    // The stand-in of the auth Worker knows members only.
    for (const { slug, email } of places)
      await client.query(
        `insert into members (id, workspace_id, email, role, created_at)
         select $1, id, $2, 'member', now() from workspaces where slug = $3 on conflict do nothing`,
        [newId(), email, slug],
      )
    return places
  })
  const started = await startBenchWorkers([
    { name: 'auth', script: await buildOwn('./auth.ts'), bindings },
    ...['dashboard', 'manage', 'portal'].map((name) => ({
      name,
      script: scripts.get(name) ?? '',
      bindings: { ...bindings, ...ENDLESS_BUDGETS },
      zone: 'pages' as const,
      services: { AUTH: 'auth' },
      limit: 'memory' as const,
    })),
  ])
  try {
    const figures: PageFigure[] = []
    const [smallOnes, emptyOnes] = [requestsOf(small), requestsOf(empty)]
    for (const [name, ofFull] of requestsOf(full)) {
      if (!isChosen(name)) continue
      const [ofSmall, ofEmpty] = [smallOnes.get(name), emptyOnes.get(name)]
      if (!ofSmall || !ofEmpty) throw new Error(`Another workspace has no ${name}.`)
      const places = [ofFull, ofSmall, ofEmpty].map((request) => ({
        request,
        times: [] as number[],
      }))
      const base = started.urls.get(ofFull.worker)
      for (let round = -ROUNDS.warmUp; round < ROUNDS.measured; round++) {
        for (const { request, times } of places) {
          const ms = await get(new URL(request.path, base), request.cookie)
          if (round >= 0) times.push(ms)
        }
      }
      const [fullMs = 0, smallMs = 0, emptyMs = 0] = places.map(({ times }) => median(times))
      figures.push({
        name,
        overRows: fullMs / smallMs,
        overEmpty: fullMs / emptyMs,
        fullMs,
        smallMs,
        emptyMs,
      })
    }
    return figures.sort((a, b) => b.overRows - a.overRows)
  } finally {
    agent.destroy()
    await started.stop()
  }
}
