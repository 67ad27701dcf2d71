/** Runs payouts, for a manager's request and for the cron. */
import { connect } from '../db/connection.ts'
import { Unavailable } from '../unavailable.ts'
import { checkDailyAccounts, checkOwedAccounts } from './account-checks.service.ts'
import { type Budget, hasLeft, newBudget, withDb } from './budget.service.ts'
import {
  beginRun,
  beginScheduledRuns,
  claimPage,
  listBalances,
  listUnclaimedRuns,
  type OpenRun,
  type RunScope,
} from './claims.queries.ts'
import { keepCover } from './funds.queries.ts'
import { type Funds, readFunds, UNKNOWN } from './funds.service.ts'
import { readPayoutSetup } from './methods.queries.ts'
import { listRunPayouts } from './payouts.queries.ts'
import type { RunResultResponse } from './payouts.responses.ts'
import type { Refused, RunRequest } from './payouts.rpc.ts'
import { notifyUnconnected, remindPartners } from './reminders.service.ts'
import { startRefusalOf } from './runs.ts'
import { type PayoutEnv, sendPayouts } from './send.service.ts'

/** Partners per page. A page takes well under a second. */
const CLAIM_PAGE = 500
/** The time for a manager's request. The cron continues the run. */
const REQUEST_MS = 20_000
/** The next cron starts a minute after this one. */
const CRON_MS = 45_000
const MAX_OPEN_RUNS = 20
/** For authentication, the program, the set-up, the start of the run, and its results. */
const REQUEST_FETCHES = 8

/** What a run can pay, once the accounts that could not be paid have been read again. @throws {Unavailable} */
const prepare = async (env: PayoutEnv, scope: RunScope, now: Date, budget: Budget): Promise<Funds> => {
  if (scope.method === 'stripe') await checkOwedAccounts(env, scope, now, budget)
  return readFunds(env, scope, budget)
}

/** The run with what the balance covers, which is read once. @throws {Unavailable} Stripe did not answer */
const withCover = async (env: PayoutEnv, run: OpenRun, now: Date, budget: Budget): Promise<OpenRun> => {
  if (run.cover || run.method !== 'stripe') return run
  const { cover } = await prepare(env, run, now, budget)
  return { ...run, cover: await withDb(env, budget, (db) => keepCover(db, run.id, cover)) }
}

/** Claims balances for a run, page by page, as long as the budget lasts. */
const claim = async (env: PayoutEnv, open: OpenRun, now: Date, budget: Budget): Promise<void> => {
  const run = await withCover(env, open, now, budget)
  let isClaimed = false
  while (!isClaimed && hasLeft(budget)) {
    isClaimed = await withDb(env, budget, (db) => claimPage(db, run, CLAIM_PAGE, now))
  }
  if (isClaimed && run.method === 'stripe') await notifyUnconnected(env, run, now, budget)
}

const presentSkipped = async (env: PayoutEnv, scope: RunScope) =>
  (await listBalances(connect(env), scope)).flatMap(({ code, amountCents, ...balance }) =>
    code ? [{ ...balance, amountCents: Number(amountCents), code }] : [],
  )

const presentAvailable = ({ available }: Funds): RunResultResponse['available'] =>
  available && [...available].map(([currency, cents]) => ({ currency, amountCents: Number(cents) }))

/** The result that a run would have now. */
const dryRunResult = async (env: PayoutEnv, begun: RunScope, budget: Budget): Promise<RunResultResponse> => {
  // A preview without the balance is better than none.
  const funds = await prepare(env, begun, begun.cutoffAt, budget).catch((error: unknown) => {
    if (error instanceof Unavailable) return UNKNOWN
    throw error
  })
  const scope = { ...begun, cover: funds.cover }
  const balances = await listBalances(connect(env), scope)
  const present = ({ partnerId, currency, amountCents }: (typeof balances)[number]) => ({
    partnerId,
    currency,
    amountCents: Number(amountCents),
  })
  return {
    runId: null,
    available: presentAvailable(funds),
    payouts: balances.flatMap((balance) =>
      balance.code ? [] : [{ id: null, ...present(balance), status: 'payable' }],
    ),
    skipped: balances.flatMap((balance) =>
      balance.code ? [{ ...present(balance), code: balance.code }] : [],
    ),
  }
}

/**
 * Runs payouts for a manager: starts a run, and continues the workspace's interrupted ones. The cron does what does not
 * fit into one request.
 *
 * @throws {Unavailable} Stripe did not tell the balance, and no run began; or the database did not answer, and another
 *         request continues the run. Nobody is paid twice.
 */
export const runPayouts = async (
  env: PayoutEnv,
  { workspaceId, programId, method, dryRun, actor }: RunRequest,
  now = new Date(),
): Promise<RunResultResponse | Refused> => {
  const begun: RunScope = { workspaceId, programId, method, cutoffAt: now, cover: null }
  const budget = newBudget(env, REQUEST_MS)
  budget.fetches -= REQUEST_FETCHES
  if (dryRun) return dryRunResult(env, begun, budget)
  const refused = startRefusalOf(method, await readPayoutSetup(connect(env), workspaceId))
  if (refused) return { refused }

  // Before the run begins: if Stripe does not answer, nothing has happened.
  const funds = await prepare(env, begun, now, budget)
  const scope = { ...begun, cover: funds.cover }
  const runId = await beginRun(connect(env), scope, actor)
  await claim(env, { ...scope, id: runId }, now, budget)
  if (method === 'stripe') await sendPayouts(env, { workspaceId, now, budget })

  const payouts = await listRunPayouts(connect(env), workspaceId, runId)
  return {
    runId,
    available: presentAvailable(funds),
    payouts: payouts.map((payout) => ({ ...payout, amountCents: Number(payout.amountCents) })),
    skipped: await presentSkipped(env, scope),
  }
}

/**
 * The cron: starts the runs that are due, continues those that are open, and sends the payouts that are due.
 *
 * @returns the number of runs, of payouts per outcome, of accounts read and of reminders; null if there was nothing to do
 */
export const payDue = async (env: PayoutEnv, now = new Date()) => {
  const budget = newBudget(env, CRON_MS)
  await withDb(env, budget, (db) => beginScheduledRuns(db, now))
  const runs = await withDb(env, budget, (db) => listUnclaimedRuns(db, MAX_OPEN_RUNS))
  for (const run of runs) {
    // A run that fails does not stop the others, nor the sending.
    await claim(env, run, now, budget).catch((error: Error) =>
      console.log(JSON.stringify({ level: 'error', job: 'payouts', runId: run.id, error: error.message })),
    )
  }
  const tally = await sendPayouts(env, { workspaceId: null, now, budget })
  const accounts = await checkDailyAccounts(env, now, budget)
  const reminders = await remindPartners(env, now, budget)
  const did = { runs: runs.length, ...tally, accounts, reminders }
  return Object.values(did).some(Boolean) ? did : null
}
