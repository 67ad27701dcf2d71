/** What a run can pay, and claiming it. */

import { type Budget, hasLeft, withDb } from '../../db/budget.service.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import { checkOwedAccounts } from '../accounts/account-checks.service.ts'
import type { RunScope } from '../balances/due.queries.ts'
import { notifyUnconnected } from '../notices/reminders.service.ts'
import type { RunResultResponse } from '../payouts.responses.ts'
import type { PayoutEnv } from '../transfers/send.service.ts'
import { decideApproval } from './begin-run.queries.ts'
import { type Claimed, claimPage, growPayout } from './claims.queries.ts'
import { keepCover } from './funds.queries.ts'
import { type Funds, readFunds, UNKNOWN } from './funds.service.ts'
import type { OpenRun } from './open-runs.queries.ts'

/** Partners per page. A page takes well under a second. */
const CLAIM_PAGE = 500

/** The funds of a run, and what could not be read from Stripe. */
type Prepared = Funds & { unread: RunResultResponse['unread'] }

/** A preview continues without what cannot be read. */
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
  /** Reads no account again, because the result would be saved. */
  isReadOnly?: boolean
}

/**
 * What a run can pay, after accounts that could not be paid were read again. @throws {Unavailable}
 * a run, and not a preview, cannot read the balance
 */
export const prepare = async (
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

/** The run with its funds, which are read once. @throws {Unavailable} Stripe did not answer */
const withCover = async (
  env: PayoutEnv,
  run: OpenRun,
  now: Date,
  budget: Budget,
): Promise<OpenRun> => {
  if (run.cover || run.method !== 'stripe') return run
  const { cover } = await prepare(env, run, { now, budget, isPreview: false })
  return { ...run, cover: await withDb(env, budget, (db) => keepCover(db, run.id, cover)) }
}

/** Claims balances for a run, page by page, as long as the budget lasts. */
export const claim = async (
  env: PayoutEnv,
  open: OpenRun,
  now: Date,
  budget: Budget,
): Promise<void> => {
  const covered = await withCover(env, open, now, budget)
  const decided =
    covered.needsApproval === null
      ? await withDb(env, budget, (db) => decideApproval(db, covered, now))
      : undefined
  if (decided?.needsApproval) return
  const run = { ...covered, ...decided }
  let claimed: Claimed = 'more'
  while (claimed !== 'all' && hasLeft(budget)) {
    if (claimed === 'growing') await withDb(env, budget, (db) => growPayout(db, run, now))
    claimed = await withDb(env, budget, (db) => claimPage(db, run, { partners: CLAIM_PAGE }, now))
  }
  if (claimed === 'all' && run.method === 'stripe') await notifyUnconnected(env, run, now, budget)
}
