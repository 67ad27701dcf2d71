/** Payout runs: what a manager asks for, and what the clock does. */
import { connect } from '../db/connection.ts'
import { mailPartners } from '../mail/outbox.queries.ts'
import { formatMoney } from '../money.ts'
import { ask, type Budget, hasLeft, newBudget } from './budget.service.ts'
import {
  beginRun,
  beginScheduledRuns,
  claimPage,
  listBalances,
  listUnclaimedRuns,
  listUnnotified,
  type OpenRun,
  type RunScope,
  type UnnotifiedPartner,
} from './claims.queries.ts'
import { listRunPayouts } from './payouts.queries.ts'
import type { RunResultResponse } from './payouts.responses.ts'
import type { Refused, RunRequest } from './payouts.rpc.ts'
import { latestOccurrence, PAYOUT_SCHEDULES } from './payouts.ts'
import { type PayoutEnv, sendPayouts } from './send.service.ts'
import { hasStripeKey } from './stripe-keys.queries.ts'

/** A page of partners is claimed in well under a second, and 10,000 partners are twenty pages. */
const CLAIM_PAGE = 500
/** Mails are written as many at a time as an import writes. */
const NOTIFY_PAGE = 500
/** A manager waits no longer; the clock goes on from there. */
const REQUEST_MS = 20_000
/** The next run of the clock begins a minute after this one did. */
const CRON_MS = 45_000
const MAX_OPEN_RUNS = 20
/** To let the manager in, find the program and the key, begin the run, and say in the end what has come of it. */
const REQUEST_FETCHES = 8

const connectDetails = (
  env: PayoutEnv,
  { partnerName, programName, amountCents, currency }: UnnotifiedPartner,
) => ({
  partnerName,
  programName,
  amount: formatMoney(amountCents, currency),
  portalUrl: new URL('/portal', env.PUBLIC_URL).href,
})

/** Tells the partners who have no account yet what waits for them, each once and for all. */
const notifyUnconnected = async (env: PayoutEnv, run: OpenRun, now: Date, budget: Budget): Promise<void> => {
  while (hasLeft(budget)) {
    const unnotified = await ask(env, budget, (db) => listUnnotified(db, run, NOTIFY_PAGE))
    if (unnotified.length === 0) return
    const mails = unnotified.map((partner) => ({
      partnerId: partner.partnerId,
      recipient: partner.email,
      details: connectDetails(env, partner),
    }))
    await ask(env, budget, (db) => mailPartners(db, run.workspaceId, 'connect_account', mails, now))
  }
}

/** Lets a run claim what is owed, page by page, as long as the budget lasts. */
const claim = async (env: PayoutEnv, run: OpenRun, now: Date, budget: Budget): Promise<void> => {
  let isClaimed = false
  while (!isClaimed && hasLeft(budget)) {
    isClaimed = await ask(env, budget, (db) => claimPage(db, run, CLAIM_PAGE, now))
  }
  if (isClaimed && run.method === 'stripe') await notifyUnconnected(env, run, now, budget)
}

const presentSkipped = async (env: PayoutEnv, scope: RunScope) =>
  (await listBalances(connect(env), scope)).flatMap(({ code, amountCents, ...balance }) =>
    code ? [{ ...balance, amountCents: Number(amountCents), code }] : [],
  )

/** What a run would come to now. */
const dryRunResult = async (env: PayoutEnv, scope: RunScope): Promise<RunResultResponse> => {
  const balances = await listBalances(connect(env), scope)
  const present = ({ partnerId, currency, amountCents }: (typeof balances)[number]) => ({
    partnerId,
    currency,
    amountCents: Number(amountCents),
  })
  return {
    runId: null,
    payouts: balances.flatMap((balance) =>
      balance.code ? [] : [{ id: null, ...present(balance), status: 'payable' }],
    ),
    skipped: balances.flatMap((balance) =>
      balance.code ? [{ ...present(balance), code: balance.code }] : [],
    ),
  }
}

const NO_KEY =
  'Tributary has no key of your Stripe account to pay from. Set one on the page Stripe, or pay by bank: method "manual".'

/**
 * Runs payouts for a manager: begins a run, and goes on with those of this workspace that were cut off. What does not
 * fit into one request, the clock does.
 *
 * @throws {Unavailable} asking again goes on; nobody is paid twice
 */
export const runPayouts = async (
  env: PayoutEnv,
  { workspaceId, programId, method, dryRun, actor }: RunRequest,
  now = new Date(),
): Promise<RunResultResponse | Refused> => {
  const scope: RunScope = { workspaceId, programId, method, cutoffAt: now }
  if (dryRun) return dryRunResult(env, scope)
  if (method === 'stripe' && !(await hasStripeKey(connect(env), workspaceId))) return { refused: NO_KEY }

  const budget = newBudget(env, REQUEST_MS)
  budget.fetches -= REQUEST_FETCHES
  const runId = await beginRun(connect(env), scope, actor)
  await claim(env, { ...scope, id: runId }, now, budget)
  if (method === 'stripe') await sendPayouts(env, { workspaceId, now, budget })

  const payouts = await listRunPayouts(connect(env), workspaceId, runId)
  return {
    runId,
    payouts: payouts.map((payout) => ({ ...payout, amountCents: Number(payout.amountCents) })),
    skipped: await presentSkipped(env, scope),
  }
}

/**
 * What the clock does: begins the runs that are due, goes on with those that are open, and sends what is due.
 *
 * @returns how many runs it went on with, and how many payouts went which way; null when there was nothing to do
 */
export const payDue = async (env: PayoutEnv, now = new Date()) => {
  const budget = newBudget(env, CRON_MS)
  const occurrences = PAYOUT_SCHEDULES.flatMap((schedule) => {
    const at = latestOccurrence(schedule, now)
    return at ? [{ schedule, at }] : []
  })
  await ask(env, budget, (db) => beginScheduledRuns(db, occurrences, now))
  const runs = await ask(env, budget, (db) => listUnclaimedRuns(db, MAX_OPEN_RUNS))
  for (const run of runs) {
    // One that can't go on holds up no other, and nothing that is to be sent.
    await claim(env, run, now, budget).catch((error: Error) =>
      console.log(JSON.stringify({ level: 'error', job: 'payouts', runId: run.id, error: error.message })),
    )
  }
  const tally = await sendPayouts(env, { workspaceId: null, now, budget })
  return runs.length || Object.values(tally).some(Boolean) ? { runs: runs.length, ...tally } : null
}
