/** One run of the mailer: leases the mails that are due, sends them, and saves the results. */
import { type BudgetEnv, newBudget, withDb } from '../../db/budget.service.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import { sendPage } from '../mailings/send-page.service.ts'
import { type Accounts, openAccounts, takeUnsaved } from '../transport/accounts.ts'
import { MAX_BATCH, type Senders } from '../transport/transport.ts'
import type { Clock } from './clock.ts'
import {
  type LeasedMail,
  leaseMails,
  type MailResult,
  saveMailResults,
  stillWanted,
} from './queue.queries.ts'
import type { QuotaSettings } from './quota.ts'
import { LEASE_SECONDS, WINDOW_SECONDS } from './schedule.ts'

/** Mails that are sent one by one: few enough to be sent long before their lease ends. */
const MAX_PAGE = 40
/** Leasing a page, and saving its results. */
const FETCHES_PER_PAGE = 2
/** Fetches kept for retries of these. */
const SPARE_FETCHES = 3
/** How long a page is sent. */
const PAGE_MS = 45_000
/** A mail whose result is not saved is sent again, so saving is retried once, after a pause. */
const SAVE_ATTEMPTS = 2
const SAVE_PAUSE_SECONDS = 3

/** The number of mails per outcome. `code` is the transport's reason for a pause. */
export type Tally = {
  sent: number
  retried: number
  failed: number
  waiting: number
  code: string | undefined
  /** Whether more are due, for which the run had no time or fetches left. */
  isMore: true | undefined
}

export type SendEnv = BudgetEnv & QuotaSettings

const CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (seconds) => new Promise((resume) => setTimeout(resume, seconds * 1_000)),
}

const after = (time: number, seconds: number): Date => new Date(time + seconds * 1_000)

/**
 * Sends due mails in pages, within the budget.
 *
 * @param ms how long a run may take
 * @returns null if there were none
 * @throws {Unavailable} the mails are due again after their lease: transports with idempotency keys
 *   send none twice
 */
export const sendDue = async (
  env: SendEnv,
  senders: Senders,
  ms: number,
  clock: Clock = CLOCK,
): Promise<Tally | null> => {
  const budget = newBudget(env, ms)
  const endsAt = clock.now() + ms
  const most = senders.bulk.batch ? MAX_BATCH : MAX_PAGE
  const pageSize = (): number =>
    clock.now() < endsAt ? Math.min(most, budget.fetches - FETCHES_PER_PAGE - SPARE_FETCHES) : 0

  const readWanted = async (mails: LeasedMail[]): Promise<Set<string>> => {
    const ids = mails.map(({ id }) => id)
    try {
      return await withDb(env, budget, (db) => stillWanted(db, ids))
    } catch {
      // They were wanted when they were leased, so they are sent.
      return new Set(ids)
    }
  }

  /** @throws {Unavailable} after the second attempt */
  const save = async (results: MailResult[], accounts: Accounts): Promise<void> => {
    const notes = { personal: takeUnsaved(accounts.personal), bulk: takeUnsaved(accounts.bulk) }
    for (let round = 1; ; round++) {
      try {
        return await withDb(env, budget, (db) =>
          saveMailResults(db, results, notes, new Date(clock.now())),
        )
      } catch (error) {
        if (round === SAVE_ATTEMPTS || !(error instanceof Unavailable)) throw error
        await clock.sleep(SAVE_PAUSE_SECONDS)
      }
    }
  }

  const tally: Tally = { sent: 0, retried: 0, failed: 0, waiting: 0, code: undefined, isMore: true }
  let accounts: Accounts | undefined
  for (let limit = pageSize(); limit > 0 && tally.isMore; limit = pageSize()) {
    const now = clock.now()
    const lease = {
      now: new Date(now),
      leaseEnd: after(now, LEASE_SECONDS),
      windowStart: after(now, -WINDOW_SECONDS),
      canBatch: senders.bulk.batch !== undefined,
      limit,
    }
    const { mails, withheld, usages } = await withDb(env, budget, (db) => leaseMails(db, lease))
    accounts ??= openAccounts(usages, env, now)
    // A save that fails is repeated.
    const limits = {
      endsAt: Math.min(endsAt, now + PAGE_MS),
      fetches: budget.fetches - SAVE_ATTEMPTS,
    }
    const fetches = limits.fetches
    const results = await sendPage(mails, {
      senders,
      accounts,
      limits,
      clock,
      stillWanted: readWanted,
    })
    budget.fetches -= fetches - limits.fetches
    if (results.length) await save(results, accounts)

    const count = (outcome: MailResult['outcome']) =>
      results.filter((result) => result.outcome === outcome).length
    tally.sent += count('sent')
    tally.retried += count('retry')
    tally.failed += count('failed') + withheld
    tally.waiting += count('waiting')
    tally.code =
      results.find(({ outcome }) => outcome === 'waiting')?.error?.split(':')[0] ?? tally.code
    const isFull = mails.length + withheld >= limit || count('waiting') > 0
    const isPaused = results.some(({ outcome, error }) => outcome === 'waiting' && error)
    if (isPaused || !isFull) tally.isMore = undefined
  }
  const { sent, retried, failed, waiting } = tally
  return sent + retried + failed + waiting > 0 ? tally : null
}
