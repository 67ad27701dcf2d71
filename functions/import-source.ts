import { WorkerEntrypoint } from 'cloudflare:workers'
import type { Context } from 'hono'
import { actOf, freshMember, member, type WorkspaceEnv } from '../lib/auth/access.ts'
import { readById } from '../lib/auth/rows.ts'
import { connect } from '../lib/db/connection.ts'
import { whatIsDue } from '../lib/db/due.queries.ts'
import { createApp } from '../lib/http/app.ts'
import { ApiError } from '../lib/http/errors.ts'
import { runJob } from '../lib/http/logging.ts'
import { answerCron, type CronEnv, callCron, isCron } from '../lib/http/rpc/cron.ts'
import { answerNudge, ROUND_MS, type SelfEnv } from '../lib/http/rpc/nudge.service.ts'
import type { NudgesService } from '../lib/http/rpc/nudges.rpc.ts'
import { body, query } from '../lib/http/validate.ts'
import { readDue, type SourceRunEnv } from '../lib/imports/sources/run.service.ts'
import {
  hasDueSources,
  hasOldSources,
  removeOldSources,
} from '../lib/imports/sources/source-queue.queries.ts'
import { sourceResponse } from '../lib/imports/sources/source-response.ts'
import {
  findSource,
  listSourceRows,
  listSources,
  removeSource,
} from '../lib/imports/sources/sources.queries.ts'
import type {
  ImportSourceListResponse,
  ImportSourceResponse,
  SourceRowsResponse,
} from '../lib/imports/sources/sources.responses.ts'
import { NewImportSource, SourceRowsQuery } from '../lib/imports/sources/sources.schemas.ts'
import { startSource } from '../lib/imports/sources/start.service.ts'

type Env = SourceRunEnv & CronEnv & SelfEnv
type AppEnv = WorkspaceEnv & { Bindings: Env }

const SOURCES = '/api/workspaces/:workspace/import-sources'

const sourceOf = (c: Context<AppEnv>) => readById(c, 'import source', findSource)

const goOn = (c: Pick<Context<AppEnv>, 'env' | 'executionCtx'>): void =>
  c.executionCtx.waitUntil(c.env.SELF.nudge().catch(() => {}))

/** /import-sources: reads another platform by its API, to import it. docs/imports.md. */
const app = createApp<Env>()
  .get(SOURCES, member(), async (c) => {
    const sources = await listSources(c.var.db, c.var.workspace.id)
    return c.json<ImportSourceListResponse>({ data: sources.map(sourceResponse) })
  })
  .post(SOURCES, freshMember(), body(NewImportSource), async (c) => {
    const {
      env,
      var: { db },
    } = c
    const started = await startSource(env, db, actOf(c), c.req.valid('json'))
    goOn(c)
    return c.json<ImportSourceResponse>(sourceResponse(started), 201)
  })
  .get(`${SOURCES}/:id`, member(), async (c) => {
    const source = await sourceOf(c)
    // Opening the page resumes a reading that no job continues.
    const isDue = !source.readAt && !source.failedAt && source.nextAttemptAt <= c.var.now
    if (isDue) goOn(c)
    return c.json<ImportSourceResponse>(sourceResponse(source))
  })
  .get(`${SOURCES}/:id/rows`, member(), query(SourceRowsQuery), async (c) => {
    const { id, readAt } = await sourceOf(c)
    if (!readAt)
      throw new ApiError(
        'conflict',
        'The source is still being read. GET it until its status is "ready".',
      )
    const { cursor = null, limit } = c.req.valid('query')
    const { rows, nextCursor } = await listSourceRows(c.var.db, c.var.workspace.id, id, {
      cursor,
      limit,
    })
    return c.json({ data: rows, nextCursor } as SourceRowsResponse)
  })
  .delete(`${SOURCES}/:id`, member(), async (c) => {
    await removeSource(c.var.db, actOf(c), await sourceOf(c))
    return c.body(null, 204)
  })

/** Reads what is due, and logs one line of JSON. @returns whether more is due soon */
const readSources = async (env: Env): Promise<boolean> => {
  const read = await runJob('import-source', () => readDue(env, ROUND_MS))
  return read?.isMore === true
}

/** The RPC that the Worker calls on itself. */
export class Nudges extends WorkerEntrypoint<Env> implements NudgesService {
  async nudge(round = 1) {
    answerNudge(this.ctx, this.env, round, () => readSources(this.env))
  }
}

/** Reads programs from other platforms. The only Worker that calls these platforms. */
export default class ImportSource extends Nudges {
  override fetch(request: Request) {
    return isCron(request) ? answerCron(() => this.#cron()) : app.fetch(request, this.env, this.ctx)
  }

  override scheduled() {
    return callCron(this.env)
  }

  /** Removes old readings, and resumes readings whose nudge was lost. */
  async #cron() {
    await runJob('import-source', async () => {
      const [db, now] = [connect(this.env), new Date()]
      const due = await whatIsDue(db, { sources: hasDueSources(now), old: hasOldSources(now) })
      if (due.sources) await this.env.SELF.nudge()
      return due.old ? { removed: await removeOldSources(db, now) } : null
    })
  }
}
