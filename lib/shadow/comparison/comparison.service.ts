/** Compares what has changed, step by step, within the time: after an upload, and by cron. */
import type { Db } from '../../db/connection.ts'
import { firstIdAt } from '../../db/ids.ts'
import {
  findStale,
  listChangedSales,
  listUploaded,
  type Resolved,
  takeStale,
} from '../changes.queries.ts'
import { leaseRun, releaseRun, type ShadowRun } from './compared-run.queries.ts'
import { type HereRow, loadBuckets, saveComparisons, type ThereRow } from './comparison.queries.ts'
import { compareSales } from './comparison.ts'

/** Commissions, or sales of ours, per step, which takes five round trips and less than a second. */
const STEP = 500
/**
 * The time for which sales of ours are compared again: a transaction may commit an id that is older
 * than one that was read before.
 */
const LATE_MS = 60_000

const toHere = ({ bucket, ...row }: HereRow) => ({ ...row, customer: bucket })
const toThere = ({ bucket, state, ...row }: ThereRow) => ({
  ...row,
  customer: bucket,
  isVoided: state === 'voided',
  isCustomerKnown: !bucket.startsWith('row:'),
})

/** What a step works on. @property isMore whether as much was found as a step takes */
type Work = {
  buckets: string[]
  resolved: Resolved[]
  after: string | null
  waitingAfter: string | null
  isMore: boolean
}

/** The newest of ids, which are in order of time. */
const lastOf = (ids: string[]): string | undefined => ids.toSorted().at(-1)

/** Uploads first, then new sales, then sales of others that uploads affect: see takeStale. */
const findWork = async (db: Db, run: ShadowRun, now: Date): Promise<Work> => {
  const uploaded = await listUploaded(db, run, STEP)
  if (uploaded.length > 0) {
    const waitingAfter = lastOf(uploaded.map(({ id }) => id)) ?? null
    return { buckets: [], resolved: uploaded, after: null, waitingAfter, isMore: true }
  }
  const from = run.comparedAfter ?? firstIdAt(run.startedAt)
  const sales = await listChangedSales(db, run, from, STEP)
  const full = (['event', 'commission'] as const).flatMap((kind) => {
    const of = sales.filter((sale) => sale.kind === kind)
    return of.length === STEP ? [of.at(-1)?.by ?? ''] : []
  })
  const isMore = full.length > 0
  // A full list says nothing of what follows its last id, so the other one is cut there.
  const end = full.sort()[0]
  const within = sales.filter(({ by }) => end === undefined || by <= end)
  const newest = end ?? lastOf(within.map(({ by }) => by))
  const settled = firstIdAt(new Date(now.getTime() - LATE_MS))
  const after =
    newest === undefined || isMore || newest < settled
      ? (newest ?? null)
      : settled > from
        ? settled
        : null
  const stale =
    within.length > 0 ? await findStale(db, run, within, LATE_MS) : { buckets: [], resolved: [] }
  const overtaken = isMore ? [] : await takeStale(db, run, STEP)
  return {
    buckets: [...stale.buckets, ...overtaken],
    resolved: stale.resolved,
    after,
    waitingAfter: null,
    isMore: isMore || overtaken.length > 0,
  }
}

/** Compares one page. @returns whether there is more to compare */
const compareStep = async (db: Db, run: ShadowRun, now: Date): Promise<boolean> => {
  const { resolved, after, waitingAfter, isMore, ...work } = await findWork(db, run, now)
  const moved = resolved.flatMap(({ bucket, former }) =>
    former === null ? [bucket] : [bucket, former],
  )
  const buckets = [...new Set([...work.buckets, ...moved])]
  const { here, there, newestAt } = await loadBuckets(db, run, buckets, resolved)
  const found = compareSales(here.map(toHere), there.map(toThere), newestAt)
  await saveComparisons(db, run, { buckets, resolved, found, after, waitingAfter })
  return isMore
}

/**
 * Compares the changes of a program in shadow mode, unless another comparison holds its lease.
 *
 * @param owner names this comparison
 * @param goesOn whether there is time for another step
 * @returns whether more is to be compared, by this or the other comparison
 */
export const compareRun = async (
  db: Db,
  { workspaceId, programId, now }: { workspaceId: string; programId: string; now: Date },
  owner: string,
  goesOn: () => boolean,
): Promise<boolean> => {
  for (;;) {
    const run = await leaseRun(db, workspaceId, programId, owner)
    if (!run) return true
    const isMore = await compareStep(db, run, now)
    if (!isMore || !goesOn()) {
      await releaseRun(db, run)
      return isMore
    }
  }
}
