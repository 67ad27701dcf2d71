/** Looks for transfers of payouts about which a manager decided while Stripe was unreachable. */

import { type Budget, hasLeft, withDb } from '../../db/budget.service.ts'
import { connectWith } from '../stripe/connect.service.ts'
import { orIfFailed } from '../stripe/failures.service.ts'
import { alarm, type PayoutEnv } from '../transfers/send.service.ts'
import { leaseResolved, noteFoundTransfer } from './resolution.queries.ts'

const MAX_PAYOUTS = 10
/** Looking it up, and saving it. */
const FETCHES_PER_PAYOUT = 2

/** Looks each of them up once a day. @returns how many transfers were found */
export const checkResolved = async (env: PayoutEnv, now: Date, budget: Budget): Promise<number> => {
  const limit = Math.min(MAX_PAYOUTS, Math.floor((budget.fetches - 1) / FETCHES_PER_PAYOUT))
  if (limit < 1 || !hasLeft(budget)) return 0
  let count = 0
  for (const payout of await withDb(env, budget, (db) => leaseResolved(db, now, limit))) {
    const stripe = await connectWith(env, payout.workspaceId, payout.encryptedKey)
    if (!stripe || !hasLeft(budget)) continue
    budget.fetches--
    const transfer = await orIfFailed(stripe.findTransfer(payout.id), null)
    if (!transfer) continue
    alarm(await withDb(env, budget, (db) => noteFoundTransfer(db, payout, transfer, now)))
    count++
  }
  return count
}
