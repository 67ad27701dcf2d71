/** Compares what has changed, step by step, as long as there is time: after an upload, and by cron. */
import type { Db } from '../db/connection.ts'
import { firstIdOf as firstIdAt } from '../tracking/past.queries.ts'
import {
  type HereRow,
  leaseRun,
  listChangedSales,
  loadBuckets,
  releaseRun,
  type ShadowRun,
  saveComparisons,
  type ThereRow,
  takeSales,
  takeStale,
  takeUploaded,
} from './comparison.queries.ts'
import { compareSales } from './comparison.ts'

/** Commissions per step, which takes four round trips and less than a second. */
const STEP = 500
/** Sales of ours per step: each may have many commissions. */
const SALES_STEP = 200
/** Sales of ours are compared again for so long: a transaction may commit an id that is older than one that was seen. */
const LATE_MS = 60_000

const toHere = ({ bucket, ...row }: HereRow) => ({ ...row, customer: bucket })
const toThere = ({ bucket, state, ...row }: ThereRow) => ({
  ...row,
  customer: bucket,
  isVoided: state === 'voided',
  isCustomerKnown: !bucket.startsWith('row:'),
})

/** What a step works on. @property isMore whether as much was found as a step takes */
type Work = { buckets: string[]; after: string | null; isMore: boolean }

/** What was uploaded, else what is new here, else what is not newer any more than what was uploaded. */
const findWork = async (db: Db, run: ShadowRun, now: Date): Promise<Work> => {
  const uploaded = await takeUploaded(db, run, STEP)
  if (uploaded.count > 0) return { buckets: uploaded.buckets, after: null, isMore: true }
  const from = run.comparedAfter ?? firstIdAt(run.startedAt)
  const sales = await listChangedSales(db, run, from, SALES_STEP)
  const full = (['event', 'commission'] as const).flatMap((kind) => {
    const of = sales.filter((sale) => sale.kind === kind)
    return of.length === SALES_STEP ? [of.at(-1)?.by ?? ''] : []
  })
  const isMore = full.length > 0
  // Beyond the last id of a full list, the other list is not known to be whole.
  const end = full.sort()[0]
  const within = sales.filter(({ by }) => end === undefined || by <= end)
  const newest =
    end ??
    within
      .map(({ by }) => by)
      .sort()
      .at(-1)
  const settled = firstIdAt(new Date(now.getTime() - LATE_MS))
  const after =
    newest === undefined || isMore || newest < settled ? (newest ?? null) : settled > from ? settled : null
  const ids = [...new Set(within.map(({ id }) => id))]
  const buckets = ids.length > 0 ? await takeSales(db, run, ids) : []
  const stale = isMore ? [] : await takeStale(db, run, STEP)
  return { buckets: [...new Set([...buckets, ...stale])], after, isMore: isMore || stale.length > 0 }
}

/** One step. @returns whether there is more to compare */
const compareStep = async (db: Db, run: ShadowRun, now: Date): Promise<boolean> => {
  const { buckets, after, isMore } = await findWork(db, run, now)
  const { here, there, newestAt } = await loadBuckets(db, run, buckets)
  const found = compareSales(here.map(toHere), there.map(toThere), newestAt)
  await saveComparisons(db, run, buckets, found, after)
  return isMore
}

/**
 * Compares what has changed in a program in shadow mode, if nobody else is at it.
 *
 * @param owner names this comparison
 * @param goesOn whether there is time for another step
 * @returns whether more is to be compared, by this or by who is at it
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
      await releaseRun(db, run, owner)
      return isMore
    }
  }
}
