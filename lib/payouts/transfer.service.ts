/** One payout's way to Stripe: its transfer is looked for, made, and looked for again before a refusal is believed. */
import type { DatabaseEnv } from '../db/connection.ts'
import { ask, type Budget } from './budget.service.ts'
import { keyState } from './payouts.ts'
import type { Connect, TransferOutcome } from './stripe/connect.service.ts'
import { ConnectError } from './stripe/failures.service.ts'
import { type DuePayout, renewKey } from './transfers.queries.ts'

/** What became of a try. No outcome: it was left for later, and speaks against no other payout. */
export type AttemptResult = { outcome: TransferOutcome | null; keyVersion: number }

/** Looks for the transfer of a payout. */
const find = async (stripe: Connect, payoutId: string, budget: Budget): Promise<TransferOutcome | null> => {
  budget.fetches--
  try {
    const transfer = await stripe.findTransfer(payoutId)
    return transfer && { kind: 'sent', transferId: transfer.id }
  } catch (error) {
    if (error instanceof ConnectError && error.failure.kind === 'locked_out') return error.failure
    return {
      kind: 'unclear',
      message: `Stripe could not be asked for the transfer: ${(error as Error).message}`,
    }
  }
}

/**
 * Makes the transfer of a payout, or finds it. What may have been tried before is looked for first, whatever Stripe
 * remembers of its key. A key that Stripe may have forgotten is never used again: if there is no transfer, there is
 * another attempt. Before a refusal is believed for good, the transfer is looked for too: what has failed was never sent.
 *
 * @param now the time as it is now, not as it was when the run began
 */
export const tryTransfer = async (
  env: DatabaseEnv,
  stripe: Connect,
  payout: DuePayout,
  { now, budget }: { now: Date; budget: Budget },
): Promise<AttemptResult> => {
  const { id, workspaceId, partnerId, stripeAccountId, amountCents, currency } = payout
  let { keyVersion } = payout
  if (payout.isKeyUsed) {
    const found = await find(stripe, id, budget)
    if (found) return { outcome: found, keyVersion }
    const key = keyState(payout.keyUsedAt, now)
    if (key === 'expiring') return { outcome: null, keyVersion }
    if (key === 'forgotten') {
      const isOurs = await ask(env, budget, (db) => renewKey(db, payout, now))
      if (!isOurs) return { outcome: null, keyVersion }
      keyVersion += 1
    }
  }
  budget.fetches--
  const outcome = await stripe.createTransfer({
    payoutId: id,
    keyVersion,
    account: stripeAccountId,
    amountCents,
    currency,
    metadata: { payout_id: id, workspace_id: workspaceId, partner_id: partnerId },
  })
  if (outcome.kind !== 'refused') return { outcome, keyVersion }
  return { outcome: (await find(stripe, id, budget)) ?? outcome, keyVersion }
}
