/** Times an import of 100,000 partners, against a bare insert of the same rows. */
import pg from 'pg'
import { seeder } from '../dev/demo/seed.ts'
import { connect } from '../lib/db/connection.ts'
import { newId } from '../lib/db/ids.ts'
import { slugKey } from '../lib/values/slugs.ts'
import { watchBackends } from './backend-cpu.ts'
import { median, postText } from './measure.ts'
import type { Bindings } from './merchant.ts'
import { startRecorder } from './recorded-sale.ts'
import { buildOwn, startBenchWorkers } from './workers.ts'

const PARTNERS = 100_000
/** The limit of one call. */
const ROWS_PER_CALL = 500
const MANAGER = 'manager@bench.example'

type Row = ReturnType<typeof makeRow>

const makeRow = (_: unknown, index: number) => ({
  email: `partner-${index}@bench.example`,
  name: `Partner Number ${index}`,
  slug: `Partner-${index}`,
  couponId: `coupon-${index}`,
  couponLabel: `CODE${index}`,
  openingBalanceCents: 1_000 + index,
})

/** A separate workspace per measurement, so that none sees another's rows. */
const addProgram = async (bindings: Bindings) => {
  const seed = seeder(bindings)
  const { id: workspaceId } = await seed.addWorkspace()
  const programId = await seed.addProgram(workspaceId)
  await connect(bindings)
    .insertInto('members')
    .values({ id: newId(), workspace_id: workspaceId, email: MANAGER, role: 'manager' })
    .execute()
  return { workspaceId, programId }
}

const time = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Imports all rows in sequential calls. @returns milliseconds */
const importAll = async (
  url: URL | undefined,
  bindings: Bindings,
  rows: object[],
  options: object,
) => {
  const { workspaceId, programId } = await addProgram(bindings)
  const endpoint = new URL(`/api/workspaces/${workspaceId}/partners/import`, url)
  const calls = Array.from({ length: Math.ceil(rows.length / ROWS_PER_CALL) }, (_, n) => {
    const some = rows.slice(n * ROWS_PER_CALL, (n + 1) * ROWS_PER_CALL)
    return { count: some.length, text: JSON.stringify({ programId, options, rows: some }) }
  })
  return time(async () => {
    for (const { count, text } of calls) {
      const { body } = await postText(endpoint, text, { Cookie: MANAGER })
      const { created } = body.summary as { created: number }
      if (created !== count) throw new Error(`Only ${created} of ${count} were created.`)
    }
  })
}

/** Inserts all partners in one statement. @returns milliseconds */
const insertAll = async (client: pg.Client, bindings: Bindings, rows: Row[]) => {
  const { workspaceId, programId } = await addProgram(bindings)
  const json = JSON.stringify(
    rows.map(({ email, name, slug }) => ({
      id: newId(),
      email,
      name,
      slug,
      slug_key: slugKey(slug),
    })),
  )
  return time(() =>
    client.query(
      `insert into partners (id, workspace_id, program_id, email, name, slug, slug_key)
       select id, $1, $2, email, name, slug, slug_key
       from jsonb_to_recordset($3::jsonb) as p (id uuid, email text, name text, slug text, slug_key text)`,
      [workspaceId, programId, json],
    ),
  )
}

const startImports = async (script: string, bindings: Bindings) => {
  const { urls, stop } = await startBenchWorkers([
    { name: 'auth', script: await buildOwn('./auth.ts'), bindings },
    {
      name: 'import-partners',
      script,
      bindings,
      zone: 'pages',
      limit: 'memory',
      services: { AUTH: 'auth' },
    },
  ])
  return { url: urls.get('import-partners'), stop }
}

/**
 * Counts the fetches of one call, including the session's.
 * @returns the counts by number of rows
 */
export const countImportFetches = async (
  script: string,
  bindings: Bindings,
  rowCounts: number[],
) => {
  const recorder = await startRecorder(bindings.SQL_ENDPOINT)
  const { url, stop } = await startImports(script, { ...bindings, SQL_ENDPOINT: recorder.url })
  try {
    const counts = new Map<number, number>()
    for (const count of rowCounts) {
      await importAll(url, bindings, Array.from({ length: count }, makeRow), {
        sendWelcomeEmail: true,
        importOpeningBalances: true,
      })
      counts.set(count, recorder.take().length)
    }
    return counts
  } finally {
    await stop()
    await recorder.stop()
  }
}

/**
 * Measures imports and bare inserts in alternating rounds, in one database. Imports with everything
 * come after them: what they leave to be written and vacuumed takes seconds of whatever is measured
 * next.
 *
 * @param script the import-partners Worker
 * @returns the median milliseconds of each, and those of Postgres' CPU: 0 where there is no /proc
 */
export const measureImports = async (
  script: string,
  bindings: Bindings,
  rounds: { partners: number; everything: number },
  onProgress: (text: string) => void,
) => {
  const { url, stop } = await startImports(script, bindings)
  const client = new pg.Client({ connectionString: bindings.DATABASE_URL })
  await client.connect()
  const backends = await watchBackends(bindings.DATABASE_URL)
  /** Measures once what is written before is on the disk. */
  const settled = async (work: () => Promise<number>) => {
    await client.query('checkpoint')
    const before = backends?.snapshot()
    const ms = await work()
    return { ms, cpuMs: backends && before ? backends.between(before, backends.snapshot()) : 0 }
  }
  type Taken = Awaited<ReturnType<typeof settled>>
  try {
    const rows = Array.from({ length: PARTNERS }, makeRow)
    const partnersAlone = rows.map(({ email, name, slug }) => ({ email, name, slug }))
    const taken = { bare: [] as Taken[], partners: [] as Taken[], everything: [] as Taken[] }
    // Warm-up: code that runs for the first time is slow.
    await importAll(url, bindings, partnersAlone.slice(0, 10 * ROWS_PER_CALL), {})
    for (let round = 1; round <= rounds.partners; round++) {
      onProgress(`round ${round} of ${rounds.partners}`)
      taken.bare.push(await settled(() => insertAll(client, bindings, rows)))
      taken.partners.push(await settled(() => importAll(url, bindings, partnersAlone, {})))
    }
    for (let round = 1; round <= rounds.everything; round++) {
      onProgress(`round ${round} of ${rounds.everything} with coupons, opening balances and mails`)
      const options = { sendWelcomeEmail: true, importOpeningBalances: true }
      taken.everything.push(await settled(() => importAll(url, bindings, rows, options)))
    }
    const medianOf = (all: Taken[]) => ({
      ms: median(all.map(({ ms }) => ms)),
      cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
    })
    return {
      bare: medianOf(taken.bare),
      partners: medianOf(taken.partners),
      everything: medianOf(taken.everything),
    }
  } finally {
    await client.end()
    await stop()
  }
}
