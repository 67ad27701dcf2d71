import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { applySchema } from '../../cli/schema.ts'
import { startInbox } from '../../dev/fakes/inbox.ts'
import { startSources } from '../../dev/fakes/sources.ts'
import { startStripe } from '../../dev/fakes/stripe.ts'
import { prepareFiles } from '../../dev/prepare.ts'
import { compileJsx, endBuilds } from '../../dev/runtime/bundles.ts'
import { startPostgres } from '../../dev/runtime/postgres.ts'
import { startSqlEndpoint } from '../../dev/runtime/sql-endpoint.ts'
import { ENDLESS_BUDGETS, ENDLESS_SIGN_INS, startWorkers } from '../../dev/runtime/workers.ts'
import type { DatabaseEnv } from '../../lib/db/neon.ts'
import { offerClient } from './client-project.ts'
import { copyCluster, createClusterToCopy, makeTestFolder } from './clusters.ts'
import { createDatabase, TEMPLATE } from './databases.ts'
import { checkLines, forbiddenIn } from './log-lines.ts'
import {
  AUTH_SECRET,
  RESEND_API_KEY,
  RESEND_BULK_WEBHOOK_SECRET,
  RESEND_WEBHOOK_SECRET,
  SECRETS_KEY,
} from './secrets.ts'
import { offerSystem } from './shared-system.ts'
import { UNNUDGED } from './workers.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the shared Workers. */
    baseUrl: string
    /** The inbox of the shared Workers: see dev/fakes/inbox.ts. */
    inboxUrl: string
    /**
     * The Stripe fake of the shared Workers: see dev/fakes/stripe.ts. Merchants are isolated by
     * their keys.
     */
    stripeUrl: string
    database: Required<DatabaseEnv>
    /** The folder of this run, for all data that tests write: see tests/support/clusters.ts. */
    folder: string
    /** A file with the code of all Workers: see tests/support/workers.ts. */
    bundles: string
    /**
     * Responds with the system of `npm start` that test files share: see
     * tests/support/shared-system.ts.
     */
    systemUrl: string
    /** Responds with the packed client: see tests/support/client-project.ts. */
    clientUrl: string
  }
}

/**
 * Indexes by which `violations` of tests/support/merchant.ts reads the rows of one workspace only.
 * Deployments verify all workspaces, which reads whole tables.
 */
const createIndexes = async (databaseUrl: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  for (const table of ['totals_by_period', 'totals_of_all_time', 'totals_by_value'])
    await client.query(`create index on ${table} (workspace_id)`)
  await client.end()
}

/** One Postgres and one set of Workers for all test files. Each test creates its own workspace. */
export default async ({ provide }: TestProject) => {
  const folder = await makeTestFolder()
  const [cluster, dataDir] = [join(folder, 'new'), join(folder, 'shared')]
  for (const one of [cluster, dataDir]) await mkdir(one, { mode: 0o755 })
  await createClusterToCopy(cluster)
  copyCluster(dataDir, cluster)
  const postgres = await startPostgres({ dataDir, durable: false })
  await applySchema(postgres.databaseUrl)
  // A copy has the schema sooner than a run of schema.sql.
  await createDatabase(postgres.databaseUrl, TEMPLATE, 'tributary')
  await createIndexes(postgres.databaseUrl)
  const endpoint = await startSqlEndpoint({
    databaseUrl: postgres.databaseUrl,
    keepPlans: true,
    // All test files share it.
    permits: 1_000,
  })
  const database = { DATABASE_URL: postgres.databaseUrl, SQL_ENDPOINT: endpoint.url }
  const inbox = await startInbox()
  const stripe = await startStripe()
  // Without an account, so that every token is refused. Tests that read one start their own.
  const sources = await startSources()
  const bundles = await prepareFiles()
  await compileJsx(join(folder, 'jsx'))
  await endBuilds()
  const bundlesFile = join(folder, 'bundles.json')
  await writeFile(bundlesFile, JSON.stringify(bundles))
  const settings = {
    ...database,
    AUTH_SECRET,
    SECRETS_KEY,
    RESEND_API_KEY,
    RESEND_URL: inbox.url,
    RESEND_WEBHOOK_SECRET,
    RESEND_BULK_WEBHOOK_SECRET,
    ...ENDLESS_SIGN_INS,
    ...ENDLESS_BUDGETS,
    STRIPE_URL: stripe.url,
    SOURCES_URL: sources.url,
    PUBLIC_URL: 'https://tributary.example',
    ALLOW_SIGNUP: 'true',
    ALLOW_LOCAL_WEBHOOKS: 'true',
  }
  const badLines: string[] = []
  const note = (line: string) => {
    if (forbiddenIn(line).length > 0) badLines.push(line)
  }
  const workers = await startWorkers(settings, bundles, undefined, note, UNNUDGED)
  const system = await offerSystem(await createDatabase(postgres.databaseUrl, 'npm_start'))
  const client = await offerClient(folder)

  provide('baseUrl', workers.url.origin)
  provide('inboxUrl', inbox.url)
  provide('stripeUrl', stripe.url)
  provide('database', database)
  provide('folder', folder)
  provide('bundles', bundlesFile)
  provide('systemUrl', system.url)
  provide('clientUrl', client.url)

  return async () => {
    await client.stop()
    await system.stop()
    await workers.stop()
    await inbox.stop()
    await stripe.stop()
    await sources.stop()
    await endpoint.stop()
    await postgres.stop()
    // Outside the folder when a strict umask keeps Postgres' user out of it.
    await rm(postgres.clusterDir, { recursive: true, force: true })
    await rm(folder, { recursive: true, force: true })
    checkLines(badLines)
  }
}
