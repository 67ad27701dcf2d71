/**
 * Sources that are read in a database of the test file's own, where nobody else reads what is due.
 */
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type OldProgram, oldProgram } from '../../dev/fakes/sources/program.ts'
import { type SourcesFake, startSources } from '../../dev/fakes/sources.ts'
import { connect } from '../../lib/db/connection.ts'
import { readDue } from '../../lib/imports/sources/run.service.ts'
import type { PlatformId, Purpose } from '../../lib/imports/sources/source.ts'
import { startSource } from '../../lib/imports/sources/start.service.ts'
import { startShadowRun } from '../../lib/shadow/mode.queries.ts'
import { asZone } from './databases.ts'
import { createMerchant } from './merchant.ts'
import { openOwnDatabase } from './own-database.ts'
import { SECRETS_KEY } from './secrets.ts'

type SourceRecord = {
  resource: string
  cursor: string | null
  progress: Record<string, { read: number; total: number | null; isDone: boolean }>
  failure: string | null
  failures: number
  ciphertext: string | null
  isDue: boolean
  isRead: boolean
  hasFailed: boolean
}

/** The database, empty for each test, and the fakes. Called once by a test file, at its top. */
export const useOwnSources = () => {
  let own: Awaited<ReturnType<typeof openOwnDatabase>>
  let fake: SourcesFake
  let tokens = 0

  beforeAll(async () => {
    ;[own, fake] = await Promise.all([openOwnDatabase('sources'), startSources()])
  })
  afterEach(() => own.empty())
  afterAll(async () => {
    await fake?.stop()
    await own?.stop()
  })

  const env = () => ({
    DATABASE_URL: asZone(own.database.DATABASE_URL, 'source'),
    SQL_ENDPOINT: own.database.SQL_ENDPOINT,
    SECRETS_KEY,
    SOURCES_URL: fake.url,
    MAX_FETCHES: '1000',
  })
  const query = <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
    own.pool.query<Row>(text, values)

  return {
    query,
    database: () => own.database,
    url: () => fake.url,
    /** A merchant whose manager has started to read a program. */
    start: async (
      program: OldProgram = oldProgram({ partners: 250, links: 400, customers: 350 }),
      platform: PlatformId = 'rewardful',
      options: Parameters<SourcesFake['addAccount']>[3] & { purpose?: Purpose } = {},
    ) => {
      const { purpose = 'import' } = options
      const merchant = await createMerchant({
        baseUrl: 'http://127.0.0.1:9',
        database: own.database,
      })
      await merchant.manager()
      const token = `secret_${tokens++}`
      const account = fake.addAccount(platform, token, program, options)
      const { workspace, programId } = merchant
      const actor = `manager@${workspace.slug}.example`
      if (purpose === 'shadow') {
        await startShadowRun(
          connect(own.database),
          { workspaceId: workspace.id, actor, now: new Date() },
          programId,
        )
      }
      /** Gives a token, by default the one of the account. */
      const give = (by = token, who = actor) =>
        startSource(
          env(),
          connect(env()),
          { workspaceId: workspace.id, actor: who, now: new Date() },
          { programId, purpose, platform, token: by, account: options.accountId ?? null },
        )
      const { id } = await give()
      account.requests.splice(0)
      return {
        merchant,
        account,
        token,
        give,
        id,
        actor,
        /** The source as it is stored; undefined if it is gone. */
        source: async () =>
          (
            await query<SourceRecord>(
              `select resource, cursor, progress, failure, failures, ciphertext, next_attempt_at <= now() as "isDue",
                      read_at is not null as "isRead", failed_at is not null as "hasFailed"
               from import_sources where id = $1`,
              [id],
            )
          )[0],
        /** The ids of the rows that were read. */
        rows: async () =>
          (
            await query<{ name: string }>(
              `select resource || ' ' || row_id as name from import_source_rows where source_id = $1 order by 1`,
              [id],
            )
          ).map(({ name }) => name),
        /** Makes it due, as the end of a lease or of a wait does. */
        expire: () =>
          query(
            `update import_sources set next_attempt_at = now() - interval '1 second' where id = $1`,
            [id],
          ),
      }
    },
    /** One run of the Worker, in this process. */
    read: (more: { MAX_FETCHES?: string } = {}, ms = 20_000) => readDue({ ...env(), ...more }, ms),
  }
}

/** The names of the rows that reading a program of Rewardful's yields. */
export const rowsIn = ({ partners, coupons, customers, rewards }: OldProgram): string[] =>
  [
    ...rewards.map(({ id }) => `rewards ${id}`),
    ...partners.map(({ id }) => `partners ${id}`),
    ...coupons.map(({ id }) => `coupons ${id}`),
    ...customers.filter(({ state }) => state !== 'visitor').map(({ id }) => `customers ${id}`),
  ].sort()

/** Checks that everything was read, and that the token is gone. */
export const expectRead = async (started: {
  source: () => Promise<SourceRecord | undefined>
  rows: () => Promise<string[]>
  account: { program: OldProgram }
}) => {
  expect(await started.source()).toMatchObject({
    isRead: true,
    hasFailed: false,
    ciphertext: null,
    failure: null,
  })
  expect((await started.rows()).sort()).toEqual(rowsIn(started.account.program))
}
