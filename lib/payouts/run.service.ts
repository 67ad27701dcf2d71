/** Runs payouts, for a manager's request and for the cron. */
import { connect } from '../db/connection.ts'
import { whatIsDue } from '../db/due.queries.ts'
import { describeError, log } from '../http/logging.ts'
import { lookAtShadowRuns } from '../shadow/upkeep.service.ts'
import { Unavailable } from '../unavailable.ts'
import { checkCountries, checkDailyAccounts, checkOwedAccounts } from './account-checks.service.ts'
import { beginRun, decideApproval } from './begin-run.queries.ts'
import { type Budget, hasLeft, newBudget, withDb } from './budget.service.ts'
import { continueCanceling } from './cancel.queries.ts'
import { type Claimed, claimPage, growPayout } from './claims.queries.ts'
import { balancesQuery, type RunScope } from './due.queries.ts'
import { keepCover } from './funds.queries.ts'
import { type Funds, readFunds, readMaximum, UNKNOWN } from './funds.service.ts'
import { NO_LIMITS, type RunLimits, totalsOf } from './limits.ts'
import { readPayoutSetup } from './methods.queries.ts'
import { notifyManagers } from './notices.service.ts'
import { beginScheduledRuns, listUnclaimedRuns, type OpenRun } from './open-runs.queries.ts'
import { runPayoutsQuery } from './payouts.queries.ts'
import type { RunResultResponse } from './payouts.responses.ts'
import type { PreviewChanged, PreviewRequest, Refused, RunRequest } from './payouts.rpc.ts'
import { createGate, reconcileDaily } from './reconcile.service.ts'
import { notifyUnconnected, remindPartners } from './reminders.service.ts'
import { checkResolved } from './resolution.service.ts'
import { runQuery, toRun } from './runs.queries.ts'
import { startRefusalOf } from './runs.ts'
import { type Gate, type PayoutEnv, sendPayouts } from './send.service.ts'
import { hasDueWork } from './work.queries.ts'

/** Partners per page. A page takes well under a second. */
const CLAIM_PAGE = 500
/** The time for a manager's request. The cron continues the run. */
const REQUEST_MS = 20_000
/** A run of the cron that has fewer left has worked as long as it could: for a page of transfers it needs more. */
const SPENT_FETCHES = 10
const MAX_OPEN_RUNS = 20
const DEFAULT_MS = 45_000
/** Two for authentication, two for an Idempotency-Key, the program, the set-up, the start of the run, and its results or another preview. */
const REQUEST_FETCHES = 8

const UNREAD_TRANSFERS = 'Stripe’s transfers are not compared with the payouts yet.'

/** What a run can pay, and what of that could not be read from Stripe. */
type Prepared = Funds & { unread: RunResultResponse['unread'] }

/** A preview without what cannot be read is better than none. */
const unless =
  <T>(isPreview: boolean, otherwise: T) =>
  (error: unknown): T => {
    if (isPreview && error instanceof Unavailable) return otherwise
    throw error
  }

type Preparation = {
  now: Date
  budget: Budget
  isPreview: boolean
  /** Leaves the accounts as they were read before, because what is read again is saved. */
  isReadOnly?: boolean
}

/**
 * What a run can pay, once the accounts that could not be paid have been read again.
 *
 * @throws {Unavailable} a run, and not a preview, cannot read the balance
 */
const prepare = async (
  env: PayoutEnv,
  scope: RunScope,
  { now, budget, isPreview, isReadOnly = false }: Preparation,
): Promise<Prepared> => {
  const areAccountsRead =
    scope.method !== 'stripe' ||
    (!isReadOnly &&
      (await checkOwedAccounts(env, scope, now, budget).then(
        ({ isComplete }) => isComplete,
        unless(isPreview, false),
      )))
  const funds = await readFunds(env, scope, budget).catch(unless(isPreview, UNKNOWN))
  const unread = [
    ...(areAccountsRead ? [] : ['accounts' as const]),
    ...(funds.isUnknown ? ['balance' as const] : []),
  ]
  return { ...funds, unread }
}

/** The run with what the balance covers, which is read once. @throws {Unavailable} Stripe did not answer */
const withCover = async (env: PayoutEnv, run: OpenRun, now: Date, budget: Budget): Promise<OpenRun> => {
  if (run.cover || run.method !== 'stripe') return run
  const { cover } = await prepare(env, run, { now, budget, isPreview: false })
  return { ...run, cover: await withDb(env, budget, (db) => keepCover(db, run.id, cover)) }
}

/** Claims balances for a run, page by page, as long as the budget lasts. */
const claim = async (env: PayoutEnv, open: OpenRun, now: Date, budget: Budget): Promise<void> => {
  const run = await withCover(env, open, now, budget)
  if (run.needsApproval === null && !(await withDb(env, budget, (db) => decideApproval(db, run, now)))) return
  let claimed: Claimed = 'more'
  while (claimed !== 'all' && hasLeft(budget)) {
    if (claimed === 'growing') await withDb(env, budget, (db) => growPayout(db, run, now))
    claimed = await withDb(env, budget, (db) => claimPage(db, run, { partners: CLAIM_PAGE }, now))
  }
  if (claimed === 'all' && run.method === 'stripe') await notifyUnconnected(env, run, now, budget)
}

/** Claims the balances of a run that was interrupted, or begun by a schedule, once the transfers of its workspace are read. */
const claimIfReady = async (
  env: PayoutEnv,
  run: OpenRun,
  { now, budget, gate }: { now: Date; budget: Budget; gate: Gate },
): Promise<void> => {
  if (hasLeft(budget) && (await gate(run.workspaceId)).isReady) await claim(env, run, now, budget)
}

/** What became of a run, in one fetch. */
const readResult = async (env: PayoutEnv, scope: RunScope, runId: string) => {
  const db = connect(env)
  const [payouts, balances, [row]] = await db.batch([
    runPayoutsQuery(db, scope.workspaceId, runId).compile(),
    balancesQuery(scope).compile(db),
    runQuery(db, scope.workspaceId, runId).compile(),
  ])
  return {
    payouts: payouts.map(withNumber),
    skipped: balances.flatMap(({ code, ...balance }) => (code ? [{ ...withNumber(balance), code }] : [])),
    status: row ? toRun(row).status : null,
  }
}

/** With the amount as a number, as the response has it. */
const withNumber = <Row extends { amountCents: bigint }>(row: Row) => ({
  ...row,
  amountCents: Number(row.amountCents),
})

const presentAvailable = ({ available }: Funds): RunResultResponse['available'] =>
  available && [...available].map(([currency, cents]) => ({ currency, amountCents: Number(cents) }))

/**
 * What a request asks for. A run with a maximum, or of which a sum is expected, pays nothing that is recorded after they are
 * checked, and a preview shows what a run with its time would pay.
 */
const limitedScope = (
  { limits, ...request }: Pick<RunScope, 'workspaceId' | 'programId' | 'method'> & { limits: RunLimits },
  now: Date,
  isBounded: boolean,
): RunScope => {
  const hasMaximum = Object.keys(limits.maxAmountCents).length > 0
  const previewedAt = limits.previewedAt ?? (isBounded || hasMaximum ? now : null)
  return { ...request, cutoffAt: limits.previewedAt ?? now, cover: null, limits: { ...limits, previewedAt } }
}

/** The run with what its maximum covers, of what the balance covers. */
const withMaximum = async (env: PayoutEnv, scope: RunScope, budget: Budget): Promise<RunScope> =>
  Object.keys(scope.limits?.maxAmountCents ?? {}).length > 0
    ? { ...scope, maximum: await readMaximum(env, scope, budget) }
    : scope

/** The result that a run would have now. */
const dryRunResult = async (
  env: PayoutEnv,
  begun: RunScope,
  budget: Budget,
  isReadOnly = false,
): Promise<RunResultResponse> => {
  const funds = await prepare(env, begun, { now: begun.cutoffAt, budget, isPreview: true, isReadOnly })
  const scope = await withMaximum(env, { ...begun, cover: funds.cover }, budget)
  const balances = (await balancesQuery(scope).execute(connect(env))).rows.map(withNumber)
  const payouts = balances.flatMap(({ code, ...balance }) =>
    code ? [] : [{ id: null, ...balance, status: 'payable' as const }],
  )
  return {
    runId: null,
    status: null,
    previewedAt: begun.limits?.previewedAt ?? begun.cutoffAt,
    totals: totalsOf(payouts),
    available: presentAvailable(funds),
    unread: funds.unread,
    payouts,
    skipped: balances.flatMap(({ code, ...balance }) => (code ? [{ ...balance, code }] : [])),
  }
}

/**
 * The result that a run would have now, for those who may only read: the same as that of a dry run, which reads the accounts
 * that could not be paid from Stripe again, and saves what it read.
 */
export const previewPayouts = (
  env: PayoutEnv,
  request: PreviewRequest,
  now = new Date(),
): Promise<RunResultResponse> => {
  const budget = newBudget(env, REQUEST_MS)
  budget.fetches -= REQUEST_FETCHES
  return dryRunResult(env, limitedScope({ ...request, limits: NO_LIMITS }, now, true), budget, true)
}

/**
 * Runs payouts for a manager: starts a run, and continues the workspace's interrupted ones. The cron does what does not
 * fit into one request.
 *
 * @throws {Unavailable} Stripe did not report the balance or all transfers, and no run began; or the database did not answer, and another
 *         request continues the run. Nobody is paid twice.
 */
export const runPayouts = async (
  env: PayoutEnv,
  { workspaceId, programId, method, dryRun, actor, firstId, limits = NO_LIMITS, expected = null }: RunRequest,
  now = new Date(),
): Promise<RunResultResponse | Refused | PreviewChanged> => {
  const begun = limitedScope({ workspaceId, programId, method, limits }, now, dryRun || expected !== null)
  const budget = newBudget(env, REQUEST_MS)
  budget.fetches -= REQUEST_FETCHES
  if (dryRun) return dryRunResult(env, begun, budget)
  const refused = startRefusalOf(method, await readPayoutSetup(connect(env), workspaceId))
  if (refused) return { refused }

  // Before the run begins: if Stripe does not answer, nothing has happened.
  const gate = createGate(env, now, budget)
  if (!(await gate(workspaceId)).isReady) throw new Unavailable(UNREAD_TRANSFERS)
  const funds = await prepare(env, begun, { now, budget, isPreview: false })
  const scope = await withMaximum(env, { ...begun, cover: funds.cover }, budget)
  const run = await beginRun(connect(env), scope, { actor, now, firstId }, expected)
  if (!run) {
    const again = limitedScope(
      { workspaceId, programId, method, limits: { ...limits, previewedAt: null } },
      now,
      true,
    )
    return { changed: await dryRunResult(env, again, budget) }
  }
  const { id: runId, needsApproval } = run
  if (!needsApproval) {
    const isLimited = expected !== null || Object.keys(limits.maxAmountCents).length > 0
    await claim(env, { ...scope, id: runId, isLimited, needsApproval }, now, budget)
    if (method === 'stripe') await sendPayouts(env, { workspaceId, now, budget, gate })
  }

  const { payouts, skipped, status } = await readResult(env, scope, runId)
  return {
    runId,
    status,
    previewedAt: scope.limits?.previewedAt ?? null,
    totals: totalsOf(payouts),
    available: presentAvailable(funds),
    unread: funds.unread,
    payouts,
    skipped,
  }
}

/** Continues the canceling of runs and payouts that requests did not finish, as long as the budget lasts. */
const cancelRest = async (env: PayoutEnv, now: Date, budget: Budget): Promise<number> => {
  let pages = 0
  while (hasLeft(budget) && (await withDb(env, budget, (db) => continueCanceling(db, now)))) pages++
  return pages
}

/**
 * The cron: starts the runs that are due, continues those that are open, and sends the payouts that are due.
 *
 * @param ms how long it may take
 * @returns the number of runs, of payouts per outcome, of accounts read, of workspaces whose
 *          transfers were read, of transfers found, of reminders, and of mails to managers, and
 *          whether more may be due; null if there was nothing to do
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
      log('error', { job: 'payouts', workspaceId: run.workspaceId, runId: run.id, ...describeError(error) }),
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
  const shadowRuns = await lookAtShadowRuns(env, now, budget)
  const did = {
    runs: runs.length,
    ...tally,
    canceling,
    accounts,
    reconciled,
    found,
    reminders,
    notified,
    shadowRuns,
  }
  if (!Object.values(did).some(Boolean)) return null
  const isMore = budget.fetches < SPENT_FETCHES || !hasLeft(budget) || undefined
  return { ...did, isMore }
}
