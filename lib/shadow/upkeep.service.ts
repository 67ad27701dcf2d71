/** Compares shadow runs by cron, and mails managers their weekly totals. */

import { type Budget, type BudgetEnv, hasLeft, withDb } from '../db/budget.service.ts'
import { newId } from '../db/ids.ts'
import { describeError, log } from '../http/logging.ts'
import type { ShadowWeekDetails } from '../mail/outbox/details.ts'
import { formatMoney } from '../values/money.ts'
import { compareRun } from './comparison/comparison.service.ts'
import { type OutcomeSum, readShadowState } from './comparison/results.queries.ts'
import { type DueShadowRun, mailShadowWeek, takeShadowRuns, WEEK_MS } from './upkeep.queries.ts'

/** Runs that one cron compares. */
const MAX_RUNS = 10
/** Fetches kept for the tasks after this one. */
const RESERVED_FETCHES = 15

const day = (at: Date): string => at.toISOString().slice(0, 10)

/** The sums by outcome, each with its amounts in all currencies. */
const inWords = (sums: OutcomeSum[]): ShadowWeekDetails['sums'] =>
  [...Map.groupBy(sums, ({ outcome }) => outcome)].map(([outcome, of]) => ({
    outcome,
    sales: of.reduce((total, { sales }) => total + sales, 0),
    here: of.map(({ hereCents, currency }) => formatMoney(hereCents, currency)).join(' and '),
    there: of.map(({ thereCents, currency }) => formatMoney(thereCents, currency)).join(' and '),
  }))

type Env = BudgetEnv & { PUBLIC_URL: string }

const mail = async (env: Env, run: DueShadowRun, now: Date, budget: Budget): Promise<void> => {
  const { workspaceId, programId, programName, workspaceName, slug } = run
  const days = {
    from: day(new Date(now.getTime() - WEEK_MS)),
    to: day(new Date(now.getTime() - WEEK_MS / 7)),
  }
  const read = await withDb(env, budget, (db) => readShadowState(db, workspaceId, programId, days))
  const details: ShadowWeekDetails = {
    workspaceName,
    programName,
    ...days,
    sums: inWords(read?.sums ?? []),
    url: new URL(
      `/app/${slug}/programs/${programId}/shadow?from=${days.from}&to=${days.to}`,
      env.PUBLIC_URL,
    ).href,
  }
  await withDb(env, budget, (db) => mailShadowWeek(db, run, details, now))
}

const lookAt = async (env: Env, run: DueShadowRun, now: Date, budget: Budget): Promise<void> => {
  const goesOn = () => hasLeft(budget) && budget.fetches > RESERVED_FETCHES
  let isMore = true
  while (isMore && goesOn()) {
    isMore = await withDb(env, budget, (db) =>
      compareRun(db, { ...run, now }, newId(), () => false),
    )
  }
  if (run.isMailDue && hasLeft(budget)) await mail(env, run, now, budget)
}

/** Compares the shadow runs that are due. @returns how many */
export const lookAtShadowRuns = async (env: Env, now: Date, budget: Budget): Promise<number> => {
  if (!hasLeft(budget) || budget.fetches <= RESERVED_FETCHES) return 0
  const runs = await withDb(env, budget, (db) => takeShadowRuns(db, now, MAX_RUNS))
  for (const run of runs) {
    // One that fails does not stop the others.
    await lookAt(env, run, now, budget).catch((error: Error) =>
      log('error', { job: 'shadow runs', workspaceId: run.workspaceId, ...describeError(error) }),
    )
  }
  return runs.length
}
