/** Sends a payout: looks its transfer up, creates it, and looks again before a final refusal. */

import { type Budget, withDb } from '../../db/budget.service.ts'
import type { DatabaseEnv } from '../../db/neon.ts'
import { keyState } from '../payouts.ts'
import type { Connect } from '../stripe/connect.service.ts'
import { ConnectError } from '../stripe/failures.service.ts'
import type { TransferOutcome } from '../stripe/transfers.service.ts'
import { type DuePayout, listStopped, renewKey } from './transfers.queries.ts'

/** The outcome of an attempt, and the version of the key that it used. */
export type AttemptResult = {
  outcome:
    | TransferOutcome
    /**
     * Not attempted: the key expires soon, another Worker has replaced it, it was canceled, or the
     * workspace's transfers are not read yet. Does not affect other payouts.
     */
    | { kind: 'postponed' }
    /** The payout is canceled: there is no transfer, and its key cannot act any more. */
    | { kind: 'canceled' }
  keyVersion: number
  /** Whether the look-up failed although the key has expired; null without a look-up. */
  isUnreachable: boolean | null
}

type LookUp = TransferOutcome | { kind: 'not_found' }

/** Looks for the transfer of a payout. */
const find = async (stripe: Connect, payoutId: string, budget: Budget): Promise<LookUp> => {
  budget.fetches--
  try {
    const transfer = await stripe.findTransfer(payoutId)
    return transfer ? { kind: 'sent', ...transfer } : { kind: 'not_found' }
  } catch (error) {
    if (error instanceof ConnectError && error.failure.kind === 'locked_out') return error.failure
    return {
      kind: 'unclear',
      message: `The transfer could not be looked up at Stripe: ${(error as Error).message}`,
    }
  }
}

/**
 * Creates the transfer of a payout, or finds it. If any key was used before, the transfer is looked
 * up first. If Stripe has forgotten the key, it gets a new version. A refusal is final only after a
 * second look-up: a failed payout was never sent. A `canceling` payout is only looked up, and is
 * canceled once its key has expired, because no request can then be in flight.
 *
 * @param now the current time, not that of the start of the run
 * @param isReady whether a new transfer may be requested: see reconcile.service.ts
 */
export const tryTransfer = async (
  env: DatabaseEnv,
  stripe: Connect,
  payout: DuePayout,
  { now, budget, isReady }: { now: Date; budget: Budget; isReady: boolean },
): Promise<AttemptResult> => {
  const { id, workspaceId, partnerId, programId, runId, stripeAccountId, amountCents, currency } =
    payout
  let { keyVersion } = payout
  const end = (
    outcome: AttemptResult['outcome'],
    isUnreachable: boolean | null = payout.mayBeSent ? false : null,
  ): AttemptResult => ({ outcome, keyVersion, isUnreachable })
  if (payout.mayBeSent) {
    const found = await find(stripe, id, budget)
    const key = keyState(payout.keyUsedAt, now)
    if (found.kind === 'sent') return end(found)
    if (found.kind !== 'not_found') return end(found, key === 'forgotten' || null)
    if (payout.isCanceling) return end({ kind: key === 'forgotten' ? 'canceled' : 'postponed' })
    if (key === 'expiring' || !isReady) return end({ kind: 'postponed' })
    if (key === 'forgotten') {
      const isOurs = await withDb(env, budget, (db) => renewKey(db, payout, now))
      if (!isOurs) return end({ kind: 'postponed' })
      keyVersion += 1
    } else if ((await withDb(env, budget, (db) => listStopped(db, [id]))).has(id)) {
      // It was canceled during the look-up.
      return end({ kind: 'postponed' })
    }
  }
  if (!isReady) return end({ kind: 'postponed' })
  budget.fetches--
  const outcome = await stripe.createTransfer({
    payoutId: id,
    keyVersion,
    account: stripeAccountId,
    amountCents,
    currency,
    metadata: {
      payout_id: id,
      workspace_id: workspaceId,
      run_id: runId,
      program_id: programId,
      partner_id: partnerId,
      cutoff_at: payout.cutoffAt.toISOString(),
    },
  })
  if (outcome.kind !== 'refused') return end(outcome)
  const found = await find(stripe, id, budget)
  return end(found.kind === 'not_found' ? outcome : found)
}
