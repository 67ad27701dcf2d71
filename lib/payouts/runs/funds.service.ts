/** Reads the merchant's Stripe balance, before a run claims what it covers. */

import { type Budget, withDb } from '../../db/budget.service.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import { type Available, type Cover, coverOf } from '../../tenancy/settings/funds.ts'
import type { RunScope } from '../balances/due.queries.ts'
import { type Connect, connectWith } from '../stripe/connect.service.ts'
import { ConnectError } from '../stripe/failures.service.ts'
import type { PayoutEnv } from '../transfers/send.service.ts'
import { readCapped, readDues } from './funds.queries.ts'

/** What is available at Stripe; null if the key is rejected, or may not read the balance. */
const readAvailable = async (stripe: Connect, budget: Budget): Promise<Available | null> => {
  budget.fetches--
  try {
    return await stripe.available()
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    if (error.failure.kind === 'locked_out' || error.failure.kind === 'refused') return null
    throw new Unavailable('Stripe did not report the balance.', { cause: error })
  }
}

/** The available balance, null if it was not read, and the partners' balances that it covers. */
export type Funds = {
  available: Available | null
  cover: Cover
  /** Whether something is due, but it is unknown what the balance covers. */
  isUnknown: boolean
}

/** Everything is covered: by bank, or if nothing is due. */
const UNLIMITED: Funds = { available: null, cover: {}, isUnknown: false }

/** The balance is unknown, so nothing is left out. */
export const UNKNOWN: Funds = { ...UNLIMITED, isUnknown: true }

/**
 * What the Stripe balance covers of a run. Everything, if no key may read the balance: Stripe then
 * decides which payouts it sends.
 *
 * The database is read first. A payout that is sent in between counts twice, so a balance may wait
 * for the next run, but is never claimed without money for it.
 *
 * @throws {Unavailable} Stripe did not answer
 */
export const readFunds = async (
  env: PayoutEnv,
  scope: RunScope,
  budget: Budget,
): Promise<Funds> => {
  if (scope.method !== 'stripe') return UNLIMITED
  const { encryptedKey, order, waiting, due } = await withDb(env, budget, (db) =>
    readDues(db, scope),
  )
  if (due.length === 0) return UNLIMITED
  const stripe = await connectWith(env, scope.workspaceId, encryptedKey)
  const available = stripe && (await readAvailable(stripe, budget))
  if (!available) return UNKNOWN
  return { available, cover: coverOf(due, { available, waiting, order }), isUnknown: false }
}

/** The covered balances that fit into the maximum of a run, in the workspace's order. */
export const readMaximum = async (
  env: PayoutEnv,
  scope: RunScope,
  budget: Budget,
): Promise<Cover> => {
  const { order, due } = await withDb(env, budget, (db) => readCapped(db, scope))
  const maximum = new Map(
    Object.entries(scope.limits?.maxAmountCents ?? {}).map(([currency, cents]) => [
      currency,
      BigInt(cents),
    ]),
  )
  const limited = due.filter(({ currency }) => maximum.has(currency))
  return coverOf(limited, { available: maximum, waiting: [], order })
}
