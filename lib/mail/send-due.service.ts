/** One run of the mailer: leases the mails that are due, sends them, and saves the results. */

import { languageOf } from '../languages/languages.ts'
import { type Budget, type BudgetEnv, hasLeft, newBudget, withDb } from '../payouts/budget.service.ts'
import { Unavailable } from '../unavailable.ts'
import { deliverableAddress } from './address.ts'
import { oneLine } from './content.ts'
import { mailKey } from './mail-key.ts'
import { isOfMerchant } from './mails.ts'
import {
  type LeasedMail,
  leaseMails,
  type MailResult,
  saveMailResults,
  stillWanted,
} from './queue.queries.ts'
import { LEASE_SECONDS, nextDelay, WINDOW_SECONDS } from './schedule.ts'
import { type Stream, streamOf } from './streams.ts'
import { outboxContent } from './templates.tsx'
import type { Outcome, Transport } from './transport.ts'
import { unsubscribeHeaders, unsubscribeUrl } from './unsubscribe.ts'

/** Few enough to be sent long before their lease ends. */
const MAX_PAGE = 40
/** Leasing a page, and saving its results. */
const FETCHES_PER_PAGE = 2
/** For retries of these. */
const SPARE_FETCHES = 3
/** How often a page looks who was banned or has unsubscribed since it was leased, as far as the spare fetches allow. */
const CHECKS_PER_PAGE = 3
/** How long a page is sent. */
const PAGE_MS = 45_000
const SEND_TIMEOUT_MS = 10_000
/** The longest wait that a transport may ask for. For a longer one, the run ends. */
const MAX_WAIT_SECONDS = 5
/** A mail whose result is not saved is sent again, so saving is retried once, after a pause. */
const SAVE_ATTEMPTS = 2
const SAVE_PAUSE_MS = 3_000
/** Error messages may quote a whole mail. */
const MAX_ERROR_LENGTH = 500

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

/** The transport of each stream. */
type Transports = Record<Stream, Transport>

const after = (time: number, seconds: number): Date => new Date(time + seconds * 1_000)
const sleep = (seconds: number): Promise<void> => new Promise((resume) => setTimeout(resume, seconds * 1_000))

/** Where the recipient of a mail ends such mails; undefined for those that nothing ends. */
const unsubscribeUrlOf = async ({ details, subscriberId, unsubscribeKey }: LeasedMail) =>
  unsubscribeKey && subscriberId
    ? unsubscribeUrl(unsubscribeKey, subscriberId, String(details.portalUrl ?? details.url))
    : undefined

/** Whose mail it is, and where replies go, if somebody there has confirmed it. */
const merchantOf = ({ workspaceName, brand }: LeasedMail) => {
  const replyTo = deliverableAddress(brand?.replyTo ?? '')
  return { ...(workspaceName && { merchant: workspaceName }), ...(replyTo && { replyTo }) }
}

/** Sends a mail. One without a valid address or content is refused. */
const trySend = async (mail: LeasedMail, transport: Transport): Promise<Outcome> => {
  const to = deliverableAddress(mail.recipient)
  if (!to) return { kind: 'refused', code: 'invalid_address', message: 'This is not an email address.' }
  try {
    const unsubscribeUrl = await unsubscribeUrlOf(mail)
    const content = outboxContent({ ...mail, unsubscribeUrl, language: languageOf(mail.language) })
    const headers = unsubscribeUrl && { headers: unsubscribeHeaders(unsubscribeUrl) }
    const merchant = isOfMerchant(mail.kind) && merchantOf(mail)
    return await transport(
      { id: mailKey(mail.id, mail.keyVersion), to, ...merchant, ...content, ...headers },
      { timeoutMs: SEND_TIMEOUT_MS },
    )
  } catch (error) {
    // The details do not fit the template: a retry would fail in the same way.
    return { kind: 'refused', code: 'invalid_details', message: (error as Error).message }
  }
}

/** A reason in one line, without characters that Postgres cannot store. */
const reason = ({ code, message }: { code: string; message: string }): string =>
  oneLine(`${code}: ${message}`).toWellFormed().slice(0, MAX_ERROR_LENGTH).toWellFormed()

/** The result to save for a mail. Without an outcome there was no time to send it. */
const resultFor = (
  { id, attempts, keyVersion, firstAttemptAt }: LeasedMail,
  outcome: Outcome | undefined,
): MailResult => {
  const now = Date.now()
  const result = { id, attempts, keyVersion, nextAttemptAt: null, error: null }
  if (!outcome) return { ...result, outcome: 'waiting', nextAttemptAt: new Date(now) }
  if (outcome.kind === 'sent') return { ...result, outcome: 'sent' }
  const error = reason(outcome)
  if (outcome.kind === 'refused') return { ...result, outcome: 'failed', error }
  if (outcome.kind === 'paused') {
    return { ...result, outcome: 'waiting', nextAttemptAt: after(now, outcome.seconds), error }
  }
  const pause = nextDelay(attempts, Math.random())
  const nextAttemptAt = pause === null ? null : after(now, pause)
  const isTooLate = !nextAttemptAt || nextAttemptAt > after(firstAttemptAt.getTime(), WINDOW_SECONDS)
  return isTooLate
    ? { ...result, outcome: 'failed', error }
    : { ...result, outcome: 'retry', nextAttemptAt, error }
}

/** How long the transport asks to wait. */
const secondsToWait = (outcome: Outcome): number => {
  if (outcome.kind === 'sent') return outcome.waitSeconds
  return outcome.kind === 'paused' ? outcome.seconds : 0
}

/** The ids of mails that are still to be sent, as far as it can be found out. */
const readWanted = async (env: BudgetEnv, budget: Budget, mails: LeasedMail[]): Promise<Set<string>> => {
  const ids = mails.map(({ id }) => id)
  try {
    return await withDb(env, budget, (db) => stillWanted(db, ids))
  } catch {
    // They were wanted when they were leased. Their results are saved with retries.
    return new Set(ids)
  }
}

/**
 * Sends mails one after the other, at the transport's pace, until the transport pauses or the run's limits are reached. One that is no
 * longer wanted is left to the next lease, which says why.
 */
const sendAll = async (env: BudgetEnv, mails: LeasedMail[], transports: Transports, budget: Budget) => {
  const results: MailResult[] = []
  const endsAt = Math.min(budget.endsAt, Date.now() + PAGE_MS)
  let sends = mails.length
  let pause: Extract<Outcome, { kind: 'paused' }> | undefined
  let wanted = new Set(mails.map(({ id }) => id))
  const checkEvery = Math.ceil(mails.length / (CHECKS_PER_PAGE + 1))

  for (const [index, mail] of mails.entries()) {
    const rest = mails.slice(index)
    if (index > 0 && index % checkEvery === 0 && !pause && budget.fetches > rest.length + 1)
      wanted = await readWanted(env, budget, rest)
    let outcome: Outcome | undefined = pause
    while (!pause && wanted.has(mail.id) && sends > 0 && Date.now() < endsAt) {
      sends--
      budget.fetches--
      outcome = await trySend(mail, transports[streamOf(mail.kind)])
      if (outcome.kind === 'paused' && outcome.seconds > MAX_WAIT_SECONDS) pause = outcome
      else await sleep(Math.min(secondsToWait(outcome), MAX_WAIT_SECONDS))
      if (outcome.kind !== 'paused') break
    }
    results.push(resultFor(mail, outcome))
  }
  return { results, pause }
}

/** Saves the results. @throws {Unavailable} after the second attempt */
const saveResults = async (env: BudgetEnv, results: MailResult[], budget: Budget): Promise<void> => {
  for (let round = 1; ; round++) {
    try {
      return await withDb(env, budget, (db) => saveMailResults(db, results, new Date()))
    } catch (error) {
      if (round === SAVE_ATTEMPTS || !(error instanceof Unavailable)) throw error
      await sleep(SAVE_PAUSE_MS / 1_000)
    }
  }
}

/** How many mails the rest of a budget allows. */
const pageSize = (budget: Budget): number =>
  hasLeft(budget) ? Math.min(MAX_PAGE, budget.fetches - FETCHES_PER_PAGE - SPARE_FETCHES) : 0

/**
 * Sends the mails that are due, in pages, as long as the budget lasts.
 *
 * @param ms how long a run may take
 * @returns null if there were none
 * @throws {Unavailable} the mails are due again after their lease; a transport with idempotency keys sends none twice
 */
export const sendDue = async (env: BudgetEnv, transports: Transports, ms: number): Promise<Tally | null> => {
  const budget = newBudget(env, ms)
  const tally: Tally = { sent: 0, retried: 0, failed: 0, waiting: 0, code: undefined, isMore: true }
  for (let limit = pageSize(budget); limit > 0 && tally.isMore; limit = pageSize(budget)) {
    const now = Date.now()
    const lease = {
      now: new Date(now),
      leaseEnd: after(now, LEASE_SECONDS),
      windowStart: after(now, -WINDOW_SECONDS),
      limit,
    }
    const { mails, withheld } = await withDb(env, budget, (db) => leaseMails(db, lease))
    const { results, pause } = await sendAll(env, mails, transports, budget)
    if (results.length) await saveResults(env, results, budget)

    const count = (outcome: MailResult['outcome']) =>
      results.filter((result) => result.outcome === outcome).length
    tally.sent += count('sent')
    tally.retried += count('retry')
    tally.failed += count('failed') + withheld
    tally.waiting += count('waiting')
    tally.code = pause?.code
    const isFull = mails.length + withheld === limit || count('waiting') > 0
    if (pause || !isFull) tally.isMore = undefined
  }
  const { sent, retried, failed, waiting } = tally
  return sent + retried + failed + waiting > 0 ? tally : null
}
