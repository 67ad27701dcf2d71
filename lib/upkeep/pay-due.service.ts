/** One run of the cron of payouts. */

import { checkBonuses } from '../bonuses/check.service.ts'
import { type Budget, hasLeft, newBudget, withDb } from '../db/budget.service.ts'
import { whatIsDue } from '../db/due.queries.ts'
import { describeError, log } from '../http/logging.ts'
import { checkCountries, checkDailyAccounts } from '../payouts/accounts/account-checks.service.ts'
import { continueCanceling } from '../payouts/corrections/cancel.queries.ts'
import { checkResolved } from '../payouts/corrections/resolution.service.ts'
import { notifyManagers } from '../payouts/notices/notices.service.ts'
import { remindPartners } from '../payouts/notices/reminders.service.ts'
import { claim } from '../payouts/runs/claim.service.ts'
import {
  beginScheduledRuns,
  listUnclaimedRuns,
  type OpenRun,
} from '../payouts/runs/open-runs.queries.ts'
import { createGate, reconcileDaily } from '../payouts/transfers/reconcile.service.ts'
import { type Gate, type PayoutEnv, sendPayouts } from '../payouts/transfers/send.service.ts'
import { lookAtShadowRuns } from '../shadow/upkeep.service.ts'
import { hasDueWork } from './due-work.queries.ts'
import { movePartners } from './move-partners.service.ts'

/**
 * A run of the cron that has fewer left has worked as long as it could: for a page of transfers it
 * needs more.
 */
const SPENT_FETCHES = 10
const MAX_OPEN_RUNS = 20
const DEFAULT_MS = 45_000

/**
 * Claims the balances of a run that was interrupted, or begun by a schedule, once the transfers of
 * its workspace are read.
 */
const claimIfReady = async (
  env: PayoutEnv,
  run: OpenRun,
  { now, budget, gate }: { now: Date; budget: Budget; gate: Gate },
): Promise<void> => {
  if (hasLeft(budget) && (await gate(run.workspaceId)).isReady) await claim(env, run, now, budget)
}

/**
 * Continues the canceling of runs and payouts that requests did not finish, as long as the budget
 * lasts.
 */
const cancelRest = async (env: PayoutEnv, now: Date, budget: Budget): Promise<number> => {
  let pages = 0
  while (hasLeft(budget) && (await withDb(env, budget, (db) => continueCanceling(db, now)))) pages++
  return pages
}

/** What a job did, or 0 if it fails: it must not stop payouts. */
const orLog = (job: string, done: Promise<number>): Promise<number> =>
  done.catch((error: Error) => {
    log('error', { job, ...describeError(error) })
    return 0
  })

/**
 * The cron: starts the runs that are due, continues those that are open, sends the payouts that are
 * due, checks bonuses, and moves partners into the groups of their tiers.
 *
 * @param ms how long it may take
 * @returns the number of runs, of payouts per outcome, of accounts read, of workspaces whose
 *   transfers were read, of transfers found, of reminders, of mails to managers, of bonuses that
 *   changed, and of pages of partners whose tiers were looked at, and whether more may be due; null
 *   if there was nothing to do
 */
export const payDue = async (env: PayoutEnv, now = new Date(), ms = DEFAULT_MS) => {
  const budget = newBudget(env, ms)
  const { work } = await withDb(env, budget, (db) => whatIsDue(db, { work: hasDueWork(now) }))
  if (!work) return null
  await withDb(env, budget, (db) => beginScheduledRuns(db, now))
  const runs = await withDb(env, budget, (db) => listUnclaimedRuns(db, MAX_OPEN_RUNS))
  const gate = createGate(env, now, budget)
  for (const run of runs) {
    // A run that fails does not stop the others, nor the sending.
    await claimIfReady(env, run, { now, budget, gate }).catch((error: Error) =>
      log('error', {
        job: 'payouts',
        workspaceId: run.workspaceId,
        runId: run.id,
        ...describeError(error),
      }),
    )
  }
  const tally = await sendPayouts(env, { workspaceId: null, now, budget, gate })
  const canceling = await cancelRest(env, now, budget)
  const accounts = await checkDailyAccounts(env, now, budget)
  await checkCountries(env, now, budget)
  const reconciled = await reconcileDaily(env, gate, now, budget)
  const found = await checkResolved(env, now, budget)
  const reminders = await remindPartners(env, now, budget)
  const notified = await notifyManagers(env, now, budget)
  const bonuses = await orLog('bonuses', checkBonuses(env, now, budget))
  const shadowRuns = await lookAtShadowRuns(env, now, budget)
  const tiers = await orLog('tiers', movePartners(env, now, budget))
  const did = {
    runs: runs.length,
    ...tally,
    canceling,
    accounts,
    reconciled,
    found,
    reminders,
    notified,
    bonuses,
    shadowRuns,
    tiers,
  }
  if (!Object.values(did).some(Boolean)) return null
  const isMore = budget.fetches < SPENT_FETCHES || !hasLeft(budget) || undefined
  return { ...did, isMore }
}
