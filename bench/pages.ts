/** Measures every page and list, with every filter, in a workspace with a year of data and in an empty one of the same database. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import pg from 'pg'
import { seeder } from '../dev/demo/seed.ts'
import { newId } from '../lib/db/ids.ts'
import { median } from './measure.ts'
import type { Bindings } from './merchant.ts'
import { addYear, type Size } from './pages-data.ts'
import { buildOwn, startBenchWorkers } from './workers.ts'

/** A page or list: its times in milliseconds, and their ratio. */
export type PageFigure = { name: string; ratio: number; fullMs: number; emptyMs: number }

/** Ten million events, as issue 14 has it. */
export const FULL_SIZE: Size = { events: 10_000_000, partners: 5_000 }

const MANAGER = 'manager@bench.example'
const ROUNDS = { warmUp: 2, measured: 9 }
const PERIODS = [30, 90, 365]
const COMMISSIONS = {
  status: ['held', 'pending', 'payable', 'processing', 'paid'],
  kind: ['sale', 'lead', 'opening_balance', 'adjustment', 'reversal'],
}
const PAYOUTS = ['processing', 'paid', 'failed', 'canceling', 'canceled', 'reversed', 'returned']

/** What the filters of a workspace are set to. */
type Place = {
  slug: string
  partnerId: string
  email: string
  runId: string
  payoutId: string
  programId: string
}

const lists = ({ partnerId, runId, payoutId, programId }: Place): [path: string, queries: string[]][] => [
  [
    'commissions',
    [
      ...COMMISSIONS.status.flatMap((status) => [
        `status=${status}`,
        `partnerId=${partnerId}&status=${status}`,
      ]),
      ...COMMISSIONS.kind.map((kind) => `kind=${kind}`),
      `partnerId=${partnerId}`,
      `payoutId=${payoutId}`,
      'customerExternalId=customer-500',
    ],
  ],
  [
    'events',
    [
      'kind=sale',
      'kind=lead',
      'attributed=true',
      'attributed=false',
      'overdue=true',
      'externalId=bench-77',
      `partnerId=${partnerId}`,
    ],
  ],
  ['customers', ['externalId=customer-77', 'email=customer-77@bench.example', `partnerId=${partnerId}`]],
  [
    'partners',
    [
      'status=approved',
      'status=banned',
      'query=bench-4',
      `programId=${programId}`,
      'email=partner-77@bench.example',
    ],
  ],
  ['mails', ['queued', 'retrying', 'sent', 'failed'].map((status) => `status=${status}`)],
  ['audit', []],
  ['members', []],
  ['api-keys', []],
  ['programs', []],
  ['invoices', [`partnerId=${partnerId}`]],
  ['payouts', [...PAYOUTS.map((status) => `status=${status}`), `runId=${runId}`, `partnerId=${partnerId}`]],
]

/** The pages of lists that are elsewhere than their list; null if a list has none. */
const PAGES: Record<string, string | null> = { payouts: 'payouts/all', invoices: null }

/** All pages and lists, by name. */
const pathsOf = (place: Place): Map<string, { worker: string; path: string; cookie: string }> => {
  const found = new Map<string, { worker: string; path: string; cookie: string }>()
  const add = (worker: string, name: string, path: string, cookie = MANAGER) =>
    found.set(`${worker} ${name}`, { worker, path, cookie })
  const nameOf = (query: string) => query.replace(/(partnerId|runId|payoutId|programId)=[^&]+/, '$1')
  for (const [list, queries] of lists(place)) {
    for (const query of ['', ...queries]) {
      const suffix = query && `?${query}`
      add('manage', `${list} ${nameOf(query)}`, `/api/workspaces/${place.slug}/${list}${suffix}`)
      const page = list in PAGES ? PAGES[list] : list
      if (page) add('dashboard', `${page} ${nameOf(query)}`, `/app/${place.slug}/${page}${suffix}`)
    }
  }
  for (const path of [
    'balances',
    'balances?owed=true',
    'payout-runs',
    `partners/${place.partnerId}/balances`,
  ])
    add('manage', path.replace(place.partnerId, ':id'), `/api/workspaces/${place.slug}/${path}`)
  for (const path of [
    '',
    '/payouts',
    '/payouts/owed',
    '/commissions/held',
    `/partners/${place.partnerId}`,
    `/payouts/runs/${place.runId}`,
  ])
    add('dashboard', path.replace(/[0-9a-f-]{36}/, ':id') || 'overview', `/app/${place.slug}${path}`)
  for (const days of PERIODS) add('portal', `overview of ${days} days`, `/portal?days=${days}`, place.email)
  for (const list of ['commissions', 'events', 'payouts']) add('portal', list, `/portal/${list}`, place.email)
  return found
}

const agent = new Agent({ keepAlive: true })

/** @returns how long a page takes, in milliseconds; the second call of a pair measures the other workspace */
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

/** An empty workspace has one partner, and nothing happened in it but one canceled run. */
const addPlace = async (bindings: Bindings, client: pg.Client, slug: string) => {
  const seed = seeder(bindings)
  const { id: workspaceId } = await seed.addWorkspace({ slug })
  const programId = await seed.addProgram(workspaceId)
  await seed.addMember(workspaceId, MANAGER)
  const email = `${slug}-partner@bench.example`
  const partnerId = await seed.addPartner(workspaceId, programId, { slug: `${slug}-only`, email })
  const [runId, payoutId] = [newId(), newId()]
  await client.query(
    `insert into payout_runs (id, workspace_id, program_id, method, cutoff_at, created_by, created_at, claimed_at, canceled_at)
     values ($1, $2, $3, 'stripe', now(), 'bench', now(), now(), now())`,
    [runId, workspaceId, programId],
  )
  return { workspaceId, slug, programId, partnerId, email, runId, payoutId }
}

/** The largest partner of a filled workspace, and one of its payouts. */
const findLargest = async (client: pg.Client, workspaceId: string) => {
  const { rows } = await client.query<{ partnerId: string; email: string; runId: string; payoutId: string }>(
    `select p.id as "partnerId", p.email, po.run_id as "runId", po.id as "payoutId"
     from partners p join payouts po on po.partner_id = p.id
     where p.workspace_id = $1 and p.slug_key = 'bench-1' and po.paid_at is not null order by po.id limit 1`,
    [workspaceId],
  )
  if (!rows[0]) throw new Error('The largest partner has no payout.')
  return rows[0]
}

/**
 * Fills a workspace of a database with the schema, and measures all pages and lists in it and in an empty one.
 *
 * @param scripts  the bundles of the Workers, by name
 * @returns the slowest first, by ratio
 */
export const measurePages = async (
  scripts: ReadonlyMap<string, string>,
  bindings: Bindings,
  size: Size,
  onProgress: (text: string) => void,
): Promise<PageFigure[]> => {
  const client = new pg.Client({ connectionString: bindings.DATABASE_URL })
  await client.connect()
  const empty = await addPlace(bindings, client, 'empty')
  const begun = await addPlace(bindings, client, 'full')
  await addYear(bindings.DATABASE_URL, begun, size, onProgress)
  const full: Place = { ...begun, ...(await findLargest(client, begun.workspaceId)) }
  // The stand-in of the auth Worker knows members only.
  await seeder(bindings).addMember(empty.workspaceId, full.email, 'member')
  await seeder(bindings).addMember(empty.workspaceId, empty.email, 'member')
  await client.end()
  const started = await startBenchWorkers([
    { name: 'auth', script: await buildOwn('./auth.ts'), bindings },
    ...['dashboard', 'manage', 'portal'].map((name) => ({
      name,
      script: scripts.get(name) ?? '',
      bindings,
      services: { AUTH: 'auth' },
      limit: 'memory' as const,
    })),
  ])
  try {
    const figures: PageFigure[] = []
    const others = pathsOf(empty)
    for (const [name, { worker, path, cookie }] of pathsOf(full)) {
      const other = others.get(name)
      if (!other) throw new Error(`The empty workspace has no ${name}.`)
      const base = started.urls.get(worker)
      const times: [full: number, empty: number][] = []
      for (let round = -ROUNDS.warmUp; round < ROUNDS.measured; round++) {
        const fullMs = await get(new URL(path, base), cookie)
        const emptyMs = await get(new URL(other.path, base), other.cookie)
        if (round >= 0) times.push([fullMs, emptyMs])
      }
      const [fullMs, emptyMs] = [median(times.map(([ms]) => ms)), median(times.map(([, ms]) => ms))]
      figures.push({ name: name.trim(), ratio: fullMs / emptyMs, fullMs, emptyMs })
    }
    return figures.sort((a, b) => b.ratio - a.ratio)
  } finally {
    agent.destroy()
    await started.stop()
  }
}
