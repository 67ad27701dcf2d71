/** One run of the import-source Worker: reads pages of due sources, and saves each. */

import { type Budget, type BudgetEnv, hasLeft, newBudget, withDb } from '../../db/budget.service.ts'
import type { DatabaseEnv } from '../../db/neon.ts'
import { decryptSecret } from '../../platform/secrets.ts'
import { failureCode } from './failures.ts'
import { listsOf } from './platforms/platform.ts'
import { PLATFORMS } from './platforms/platforms.ts'
import { isEndless, keptOf, NOTHING_READ, type Place, placeAfter, refusedPage } from './progress.ts'
import { type PageResult, readPage, type SourcesEnv } from './read-page.service.ts'
import {
  delayAfterFailure,
  delayAfterRefusal,
  isListRefused,
  LEASE_SECONDS,
  MAX_READING_SECONDS,
} from './schedule.ts'
import { DISPENSABLE, type Resource, sealContext } from './source.ts'
import {
  type LeasedSource,
  leaseSource,
  nextDueAt,
  releaseSource,
  saveFailure,
  savePage,
} from './source-queue.queries.ts'

export type SourceRunEnv = DatabaseEnv &
  BudgetEnv &
  SourcesEnv & {
    SECRETS_KEY: string
  }

/** Pages of one source before the next source's turn. */
const PAGES_PER_TURN = 10
/** Reading and saving a page: two fetches, and one to end the lease. */
const FETCHES_PER_PAGE = 3
/** The longest wait for a platform's limit. After a longer one, a nudge or the cron continues. */
const LONGEST_WAIT_MS = 35_000

const later = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1_000)

/** For the log line of a run. */
export type ReadTally = {
  pages: number
  rows: number
  limited: number
  failed: number
  isMore?: boolean
}

type Reading = { env: SourceRunEnv; budget: Budget; tally: ReadTally }

/** Fails a source for good, and deletes its token. */
const giveUp = (source: LeasedSource, failure: string, { env, budget, tally }: Reading) => {
  tally.failed++
  return withDb(env, budget, (db) =>
    saveFailure(db, source, {
      failure,
      failures: source.failures + 1,
      nextAttemptAt: null,
      now: new Date(),
    }),
  )
}

/** Saves a failure and the time of the retry. */
const noteFailure = async (
  source: LeasedSource,
  result: Exclude<PageResult, { outcome: 'page' | 'limited' }>,
  reading: Reading,
): Promise<void> => {
  const { env, budget, tally } = reading
  const failures = source.failures + 1
  const delay =
    result.outcome === 'refused'
      ? delayAfterRefusal(result.status, failures, Math.random())
      : delayAfterFailure(failures, Math.random())
  const failure = failureCode(result)
  if (delay === null) return giveUp(source, failure, reading)
  tally.failed++
  const now = new Date()
  await withDb(env, budget, (db) =>
    saveFailure(db, source, { failure, failures, nextAttemptAt: later(now, delay), now }),
  )
}

/** Why a source has ended before a request; null if it has not. */
const endOf = (
  { createdAt, isAllowed, purpose, isInShadow }: LeasedSource,
  now: Date,
): string | null => {
  if (!isAllowed) return 'manager_removed'
  if (purpose === 'shadow' && !isInShadow) return 'not_in_shadow'
  return later(createdAt, MAX_READING_SECONDS) <= now ? 'too_long' : null
}

/** Whether a list is refused for good, and the import can do without it. */
const isDispensable = (
  result: Exclude<PageResult, { outcome: 'page' | 'limited' }>,
  resource: Resource,
  { failures }: LeasedSource,
): boolean =>
  result.outcome === 'refused' &&
  isListRefused(result.status, failures + 1) &&
  DISPENSABLE.includes(resource)

/** Reads the pages of one turn. */
const readTurn = async (source: LeasedSource, reading: Reading): Promise<void> => {
  const { env, budget, tally } = reading
  const platform = PLATFORMS[source.platform]
  const lists = listsOf(platform, source.purpose)
  const end = endOf(source, new Date())
  if (end) return giveUp(source, end, reading)
  const token = await decryptSecret(
    env.SECRETS_KEY,
    sealContext(source.workspaceId),
    source.ciphertext,
  )
  if (token === null) return giveUp(source, 'token_unreadable', reading)

  const credentials = { token, account: source.account }
  let place: Place = { resource: source.resource, cursor: source.cursor }
  const progress = { ...source.progress }
  for (
    let pages = 0;
    pages < PAGES_PER_TURN && budget.fetches >= FETCHES_PER_PAGE && hasLeft(budget);
    pages++
  ) {
    budget.fetches--
    const result = await readPage(env, platform, credentials, place.resource, place.cursor)
    if (result.outcome === 'limited') {
      tally.limited++
      return withDb(env, budget, (db) =>
        releaseSource(db, source, later(new Date(), result.waitSeconds)),
      )
    }
    if (result.outcome !== 'page' && !isDispensable(result, place.resource, source))
      return noteFailure(source, result, reading)

    const { page, waitSeconds } =
      result.outcome === 'page' ? result : { page: refusedPage(place.resource), waitSeconds: 0 }
    const before = progress[place.resource] ?? NOTHING_READ
    if (isEndless(before)) return giveUp(source, 'endless', reading)
    const next = placeAfter(platform, lists, place, page, before)
    const now = new Date()
    const saved = await withDb(env, budget, (db) =>
      savePage(db, source, {
        resource: place.resource,
        ...keptOf(platform, source.purpose, page.rows),
        before,
        total: page.total,
        next,
        nextAttemptAt: later(now, waitSeconds || LEASE_SECONDS),
        now,
      }),
    )
    // The source was removed, or another run has leased it.
    if (!saved) return
    tally.pages++
    tally.rows += page.rows.length
    source.failures = 0
    progress[place.resource] = saved
    if (next === null || waitSeconds > 0) return
    place = next
  }
  await withDb(env, budget, (db) => releaseSource(db, source, new Date()))
}

/**
 * Reads pages of due sources, which take turns, within the budget. Waits if a platform asks to.
 *
 * @param ms how long a run may take, without the ten seconds of its last request
 * @returns null if nothing was due
 * @throws {Unavailable} what was read is saved, and the rest is due after its lease
 */
export const readDue = async (env: SourceRunEnv, ms: number): Promise<ReadTally | null> => {
  const reading: Reading = {
    env,
    budget: newBudget(env, ms),
    tally: { pages: 0, rows: 0, limited: 0, failed: 0 },
  }
  const { budget, tally } = reading
  let isMore = true
  while (hasLeft(budget) && budget.fetches > FETCHES_PER_PAGE) {
    const now = new Date()
    const source = await withDb(env, budget, (db) =>
      leaseSource(db, { now, leaseEnd: later(now, LEASE_SECONDS) }),
    )
    if (source) {
      await readTurn(source, reading)
      continue
    }
    const dueAt = await withDb(env, budget, nextDueAt)
    const wait = dueAt ? Math.max(dueAt.getTime() - Date.now(), 0) : null
    isMore = wait !== null && wait <= LONGEST_WAIT_MS
    if (!isMore || wait === null) break
    await new Promise((resume) =>
      setTimeout(resume, Math.min(wait + 1, Math.max(budget.endsAt - Date.now(), 0))),
    )
  }
  if (!isMore && Object.values(tally).every((count) => count === 0)) return null
  return { ...tally, isMore }
}
