/** Runs payouts for a manager's request, or previews a run. pay-due.service.ts does the rest. */

import { type Budget, newBudget } from '../../db/budget.service.ts'
import { connect } from '../../db/connection.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import { balancesQuery, type RunScope } from '../balances/due.queries.ts'
import { readPayoutSetup } from '../details/methods.queries.ts'
import { runPayoutsQuery } from '../payouts.queries.ts'
import type { RunResultResponse } from '../payouts.responses.ts'
import type { PreviewChanged, PreviewRequest, Refused, RunRequest } from '../payouts.rpc.ts'
import { createGate } from '../transfers/reconcile.service.ts'
import { type PayoutEnv, sendPayouts } from '../transfers/send.service.ts'
import { beginRun } from './begin-run.queries.ts'
import { claim, prepare } from './claim.service.ts'
import { type Funds, readMaximum } from './funds.service.ts'
import { NO_LIMITS, type RunLimits, totalsOf } from './limits.ts'
import { runQuery, toRun } from './runs.queries.ts'
import { startRefusalOf } from './runs.ts'

/** The time for a manager's request. The cron continues the run. */
const REQUEST_MS = 20_000
/**
 * Two for authentication, two for an Idempotency-Key, the program, the set-up, the start of the
 * run, and its results or another preview.
 */
const REQUEST_FETCHES = 8

const UNREAD_TRANSFERS = 'Stripe’s transfers are not compared with the payouts yet.'

/** Reads the result of a run, in one fetch. */
const readResult = async (env: PayoutEnv, scope: RunScope, runId: string) => {
  const db = connect(env)
  const [payouts, balances, [row]] = await db.batch([
    runPayoutsQuery(db, scope.workspaceId, runId).compile(),
    balancesQuery(scope).compile(db),
    runQuery(db, scope.workspaceId, runId).compile(),
  ])
  return {
    payouts: payouts.map(withNumber),
    skipped: balances.flatMap(({ code, ...balance }) =>
      code ? [{ ...withNumber(balance), code }] : [],
    ),
    status: row ? toRun(row).status : null,
  }
}

const withNumber = <Row extends { amountCents: bigint }>(row: Row) => ({
  ...row,
  amountCents: Number(row.amountCents),
})

const presentAvailable = ({ available }: Funds): RunResultResponse['available'] =>
  available && [...available].map(([currency, cents]) => ({ currency, amountCents: Number(cents) }))

/**
 * What a request asks for. A run with a maximum, or of which a sum is expected, pays nothing that
 * is recorded after they are checked, and a preview shows what a run with its time would pay.
 */
const limitedScope = (
  {
    limits,
    ...request
  }: Pick<RunScope, 'workspaceId' | 'programId' | 'method'> & { limits: RunLimits },
  now: Date,
  isBounded: boolean,
): RunScope => {
  const hasMaximum = Object.keys(limits.maxAmountCents).length > 0
  const previewedAt = limits.previewedAt ?? (isBounded || hasMaximum ? now : null)
  return {
    ...request,
    cutoffAt: limits.previewedAt ?? now,
    cover: null,
    limits: { ...limits, previewedAt },
  }
}

/** Adds the cover of the run's maximum to the scope. */
const withMaximum = async (env: PayoutEnv, scope: RunScope, budget: Budget): Promise<RunScope> =>
  Object.keys(scope.limits?.maxAmountCents ?? {}).length > 0
    ? { ...scope, maximum: await readMaximum(env, scope, budget) }
    : scope

const dryRunResult = async (
  env: PayoutEnv,
  begun: RunScope,
  budget: Budget,
  isReadOnly = false,
): Promise<RunResultResponse> => {
  const funds = await prepare(env, begun, {
    now: begun.cutoffAt,
    budget,
    isPreview: true,
    isReadOnly,
  })
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
 * The result that a run would have now, for those who may only read: the same as that of a dry run,
 * which reads the accounts that could not be paid from Stripe again, and saves what it read.
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
 * Starts a run for a manager, and continues the workspace's interrupted ones. The cron does the
 * rest.
 *
 * @throws {Unavailable} no run began, because Stripe did not report the balance or all transfers;
 *   or the database did not answer, and another request continues the run. Nobody is paid twice.
 */
export const runPayouts = async (
  env: PayoutEnv,
  {
    workspaceId,
    programId,
    method,
    dryRun,
    actor,
    firstId,
    limits = NO_LIMITS,
    expected = null,
  }: RunRequest,
  now = new Date(),
): Promise<RunResultResponse | Refused | PreviewChanged> => {
  const begun = limitedScope(
    { workspaceId, programId, method, limits },
    now,
    dryRun || expected !== null,
  )
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
  const { id: runId, needsApproval, isLimited } = run
  if (!needsApproval) {
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
