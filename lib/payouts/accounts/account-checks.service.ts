/** Reads accounts that could not be paid from Stripe again: an event may have been missed. */

import { type Budget, hasLeft, withDb } from '../../db/budget.service.ts'
import type { Db } from '../../db/connection.ts'
import type { RunScope } from '../balances/due.queries.ts'
import { type Connect, connectWith } from '../stripe/connect.service.ts'
import { ConnectError } from '../stripe/failures.service.ts'
import { readTransferCountries } from '../transfers/keys.service.ts'
import { leaseKeys, saveTransferCountries } from '../transfers/stripe-keys.queries.ts'
import {
  type AccountReading,
  leaseDailyAccounts,
  leaseOwedAccounts,
  retryAccounts,
  saveReadings,
  type UnreadAccount,
} from './account-checks.queries.ts'
import type { OnboardingEnv } from './onboarding.service.ts'

/** A Worker can have six open connections. */
const MAX_CONCURRENT = 5
const MAX_PAGE = 50
/** Leasing a page, saving what was read, and what was not. */
const FETCHES_PER_PAGE = 3

/** Half of a run's budget, so that the run can still claim and send. */
const halfOf = ({ fetches, endsAt }: Budget): Budget => ({
  fetches: Math.floor(fetches / 2),
  endsAt: Date.now() + (endsAt - Date.now()) / 2,
})

/** Clients for the workspaces of a page, each created once; null if its key cannot be decrypted. */
const clientsFor = async (
  env: OnboardingEnv,
  page: UnreadAccount[],
): Promise<Map<string, Connect | null>> => {
  const keys = new Map(page.map(({ workspaceId, encryptedKey }) => [workspaceId, encryptedKey]))
  const clients = [...keys].map(
    async ([workspaceId, encrypted]) =>
      [workspaceId, await connectWith(env, workspaceId, encrypted)] as const,
  )
  return new Map(await Promise.all(clients))
}

/** Reads a page of accounts. A failure other than a refusal ends the reading of the workspace. */
const readPage = async (env: OnboardingEnv, page: UnreadAccount[], budget: Budget) => {
  const clients = await clientsFor(env, page)
  const readings: AccountReading[] = []
  const missed: UnreadAccount[] = []
  let isComplete = true
  const read = async (account: UnreadAccount): Promise<void> => {
    const { workspaceId, stripeAccountId, askedAt } = account
    const stripe = clients.get(workspaceId)
    if (!stripe || !hasLeft(budget)) {
      isComplete = false
      return void missed.push(account)
    }
    budget.fetches--
    try {
      const state = await stripe.readAccount(stripeAccountId)
      readings.push({ workspaceId, stripeAccountId, ...state, askedAt })
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error
      if (error.failure.kind !== 'refused') {
        isComplete = false
        clients.set(workspaceId, null)
      }
      missed.push(account)
    }
  }
  for (let at = 0; at < page.length; at += MAX_CONCURRENT) {
    await Promise.all(page.slice(at, at + MAX_CONCURRENT).map(read))
  }
  return { readings, missed, isComplete }
}

/** How many accounts were read, and whether Stripe was asked for all of those that are due. */
type Reading = { count: number; isComplete: boolean }

/** Reads accounts in pages, while half of the budget lasts and Stripe answers. */
const readAgain = async (
  env: OnboardingEnv,
  lease: (db: Db, limit: number) => Promise<UnreadAccount[]>,
  { now, budget }: { now: Date; budget: Budget },
): Promise<Reading> => {
  const own = halfOf(budget)
  const before = own.fetches
  const total = { count: 0, isComplete: false }
  for (;;) {
    const limit = Math.min(MAX_PAGE, own.fetches - FETCHES_PER_PAGE)
    if (limit < 1 || !hasLeft(own)) break
    const page = await withDb(env, own, (db) => lease(db, limit))
    const { readings, missed, isComplete } = await readPage(env, page, own)
    if (readings.length) await withDb(env, own, (db) => saveReadings(db, readings))
    if (missed.length) await withDb(env, own, (db) => retryAccounts(db, missed, now))
    total.count += readings.length
    total.isComplete = isComplete && page.length < limit
    if (missed.length || page.length < limit) break
  }
  budget.fetches -= before - own.fetches
  return total
}

/**
 * Reads the accounts that cannot be paid of partners whom a run owes something. Each is asked for
 * once per run; those that do not fit into the budget remain as they were read last.
 */
export const checkOwedAccounts = (env: OnboardingEnv, scope: RunScope, now: Date, budget: Budget) =>
  readAgain(env, (db, limit) => leaseOwedAccounts(db, scope, { now, limit }), { now, budget })

/** Reads accounts that cannot be paid, each once a day. @returns how many */
export const checkDailyAccounts = async (
  env: OnboardingEnv,
  now: Date,
  budget: Budget,
): Promise<number> =>
  (await readAgain(env, (db, limit) => leaseDailyAccounts(db, { now, limit }), { now, budget }))
    .count

/** The limit per run of the cron. */
const MAX_KEYS = 5
/** The account, its countries, and saving them. */
const FETCHES_PER_KEY = 3

/** Reads where accounts may transfer, once a day. After a failure, the old countries stay. */
export const checkCountries = async (
  env: OnboardingEnv,
  now: Date,
  budget: Budget,
): Promise<void> => {
  const limit = Math.min(MAX_KEYS, Math.floor((budget.fetches - 1) / FETCHES_PER_KEY))
  if (limit < 1 || !hasLeft(budget)) return
  const keys = await withDb(env, budget, (db) => leaseKeys(db, 'countries_read_at', now, limit))
  for (const key of keys) {
    const stripe = await connectWith(env, key.workspaceId, key.ciphertext)
    if (!stripe || !hasLeft(budget)) continue
    budget.fetches -= FETCHES_PER_KEY - 1
    const countries = await readTransferCountries(stripe)
    if (countries) await withDb(env, budget, (db) => saveTransferCountries(db, key, countries))
  }
}
