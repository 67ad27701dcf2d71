/** Sends a page of leased mails: one by one, or, where many are bulk mail, by one request. */
import { languageOf } from '../../languages/languages.ts'
import { isOfMerchant } from '../mails.ts'
import type { Clock } from '../outbox/clock.ts'
import { mailKey } from '../outbox/mail-key.ts'
import type { LeasedMail, MailResult } from '../outbox/queue.queries.ts'
import { nextDelay, WINDOW_SECONDS } from '../outbox/schedule.ts'
import { streamOf } from '../outbox/streams.ts'
import { oneLine } from '../texts/rendered-mail.ts'
import { outboxContent } from '../texts/templates.tsx'
import {
  type Account,
  type Accounts,
  isKnown,
  noteAnswer,
  roomLeft,
} from '../transport/accounts.ts'
import { deliverableAddress } from '../transport/address.ts'
import type { Mail, Outcome, Paused, Senders } from '../transport/transport.ts'
import { unsubscribeHeaders, unsubscribeUrl } from './unsubscribe.ts'

const SEND_TIMEOUT_MS = 10_000
/** The longest wait that a transport may ask for. Longer ones end its account's run. */
const MAX_WAIT_SECONDS = 5
/** Error messages may quote a whole mail. */
const MAX_ERROR_LENGTH = 500
/** How often a page checks for bans and opt-outs since its lease, as far as the fetches allow. */
const CHECKS_PER_PAGE = 3
/** How long mails wait for the quota that is kept for sign-in links. */
const RESERVE_SECONDS = 3_600

/** What a page may use. */
type Limits = { endsAt: number; fetches: number }

const after = (time: number, seconds: number): Date => new Date(time + seconds * 1_000)

const RESERVED: Paused = {
  kind: 'paused',
  code: 'quota_reserve',
  message: 'The rest of the mail provider’s quota is kept for sign-in links.',
  seconds: RESERVE_SECONDS,
}

/** The link that unsubscribes the recipient; undefined for mails that nobody can end. */
const unsubscribeUrlOf = async ({ details, subscriberId, unsubscribeKey }: LeasedMail) =>
  unsubscribeKey && subscriberId
    ? unsubscribeUrl(unsubscribeKey, subscriberId, String(details.portalUrl ?? details.url))
    : undefined

/** The merchant that a mail names as its sender, and the confirmed address for replies. */
const merchantOf = ({ workspaceName, brand }: LeasedMail) => {
  const replyTo = deliverableAddress(brand?.replyTo ?? '')
  return { ...(workspaceName && { merchant: workspaceName }), ...(replyTo && { replyTo }) }
}

/** Renders a mail, or returns why it cannot be sent. */
const prepare = async (mail: LeasedMail): Promise<Mail | Outcome> => {
  const to = deliverableAddress(mail.recipient)
  if (!to)
    return { kind: 'refused', code: 'invalid_address', message: 'This is not an email address.' }
  try {
    const url = await unsubscribeUrlOf(mail)
    const content = outboxContent({
      ...mail,
      unsubscribeUrl: url,
      language: languageOf(mail.language),
    })
    return {
      id: mailKey(mail.id, mail.keyVersion),
      to,
      ...(isOfMerchant(mail.kind) && merchantOf(mail)),
      ...content,
      ...(url && { headers: unsubscribeHeaders(url) }),
    }
  } catch (error) {
    // The details do not fit the template: a retry would fail in the same way.
    return { kind: 'refused', code: 'invalid_details', message: (error as Error).message }
  }
}

/** A reason in one line, without characters that Postgres cannot store. */
const reason = ({ code, message }: { code: string; message: string }): string =>
  oneLine(`${code}: ${message}`).toWellFormed().slice(0, MAX_ERROR_LENGTH).toWellFormed()

/**
 * The result to save for a mail. Without an outcome there was no time to send it.
 *
 * @param random from 0 to below 1: the same for all mails of a batch, which are due together again
 * @param batchId the batch that is repeated as it is, because its outcome is unknown
 */
const resultFor = (
  { id, attempts, keyVersion, firstAttemptAt }: LeasedMail,
  outcome: Outcome | undefined,
  { now, random, batchId }: { now: number; random: number; batchId: string | null },
): MailResult => {
  const isRepeat = attempts > 1
  const result = {
    id,
    attempts,
    keyVersion,
    nextAttemptAt: null,
    error: null,
    batchId: isRepeat ? batchId : null,
  }
  if (!outcome) return { ...result, outcome: 'waiting', nextAttemptAt: new Date(now) }
  if (outcome.kind === 'sent') return { ...result, outcome: 'sent' }
  const error = reason(outcome)
  if (outcome.kind === 'refused') return { ...result, outcome: 'failed', error }
  if (outcome.kind === 'paused') {
    return { ...result, outcome: 'waiting', nextAttemptAt: after(now, outcome.seconds), error }
  }
  const pause = nextDelay(attempts, random)
  const nextAttemptAt = pause === null ? null : after(now, pause)
  const isTooLate =
    !nextAttemptAt || nextAttemptAt > after(firstAttemptAt.getTime(), WINDOW_SECONDS)
  return isTooLate
    ? { ...result, outcome: 'failed', error }
    : { ...result, outcome: 'retry', nextAttemptAt, error, batchId }
}

/** How long the transport asks to wait. */
const secondsToWait = (outcome: Outcome): number => {
  if (outcome.kind === 'sent') return outcome.waitSeconds
  return outcome.kind === 'paused' ? outcome.seconds : 0
}

/** @returns undefined if no time or fetches are left */
const attempt = async (
  account: Account,
  mails: number,
  limits: Limits,
  clock: Clock,
  request: () => Promise<Outcome>,
): Promise<Outcome | undefined> => {
  for (;;) {
    if (account.pause) return account.pause
    if (roomLeft(account, clock.now()) < mails) return RESERVED
    if (limits.fetches <= 0 || clock.now() >= limits.endsAt) return undefined
    limits.fetches--
    const outcome = await request()
    noteAnswer(account, outcome, mails, clock.now())
    if (outcome.kind === 'paused' && outcome.seconds > MAX_WAIT_SECONDS) account.pause = outcome
    if (account.pause) return outcome
    await clock.sleep(Math.min(secondsToWait(outcome), MAX_WAIT_SECONDS))
    if (outcome.kind !== 'paused') return outcome
  }
}

/** The mails of each batch, in an order that a repeat has too, and those that go one by one. */
const grouped = (mails: LeasedMail[]) => {
  const batches = Map.groupBy(
    mails.filter(({ batchId }) => batchId !== null).sort((a, b) => (a.id < b.id ? -1 : 1)),
    ({ batchId }) => batchId ?? '',
  )
  return { batches, singles: mails.filter(({ batchId }) => batchId === null) }
}

type Page = {
  senders: Senders
  accounts: Accounts
  limits: Limits
  clock: Clock
  /** The ids of mails that are still to be sent; all of them if the database does not answer. */
  stillWanted: (mails: LeasedMail[]) => Promise<Set<string>>
}

/**
 * Sends leased mails until their accounts pause or the limits are reached. Unwanted mails are left
 * to the next lease, which saves the reason.
 *
 * A batch with an unknown outcome is repeated unchanged, under the same key. Of a refused batch,
 * nothing was accepted: its mails are sent one by one, and only the refused mail fails.
 */
export const sendPage = async (
  mails: LeasedMail[],
  { senders, accounts, limits, clock, stillWanted }: Page,
): Promise<MailResult[]> => {
  const results: MailResult[] = []
  const save = (
    mail: LeasedMail,
    outcome?: Outcome,
    random = Math.random(),
    batchId: string | null = null,
  ): void => {
    results.push(resultFor(mail, outcome, { now: clock.now(), random, batchId }))
  }

  const sendOne = async (mail: LeasedMail): Promise<void> => {
    const { transport, account } = senders[streamOf(mail.kind)]
    const ready = await prepare(mail)
    if ('kind' in ready) return save(mail, ready)
    const send = () => transport(ready, { timeoutMs: SEND_TIMEOUT_MS })
    save(mail, await attempt(accounts[account], 1, limits, clock, send))
  }

  const sendOneByOne = async (all: LeasedMail[]): Promise<void> => {
    const checkEvery = Math.ceil(all.length / (CHECKS_PER_PAGE + 1))
    let wanted = new Set(all.map(({ id }) => id))
    for (const [index, mail] of all.entries()) {
      const rest = all.slice(index)
      if (index > 0 && index % checkEvery === 0 && limits.fetches > rest.length)
        wanted = await stillWanted(rest)
      if (wanted.has(mail.id)) await sendOne(mail)
      else save(mail)
    }
  }

  /** @returns the mails that are to be sent one by one */
  const sendBatch = async (batchId: string, members: LeasedMail[]): Promise<LeasedMail[]> => {
    const { batch, account: name } = senders.bulk
    const account = accounts[name]
    const isRepeat = members.some(({ attempts }) => attempts > 1)
    const isTooMany = roomLeft(account, clock.now()) < members.length
    if (!batch || (isTooMany && !isRepeat)) return members
    const prepared = await Promise.all(
      members.map(async (mail) => ({ mail, ready: await prepare(mail) })),
    )
    const sendable = prepared.flatMap(({ mail, ready }) =>
      'kind' in ready ? [] : [{ mail, ready }],
    )
    for (const { mail, ready } of prepared) if ('kind' in ready) save(mail, ready)
    if (sendable.length === 0) return []
    const all = sendable.map(({ ready }) => ready)
    const send = () => batch(batchId, all, { timeoutMs: SEND_TIMEOUT_MS })
    const outcome = await attempt(account, all.length, limits, clock, send)
    if (outcome?.kind === 'refused') return sendable.map(({ mail }) => mail)
    const random = Math.random()
    for (const { mail } of sendable) save(mail, outcome, random, batchId)
    return []
  }

  const { batches, singles } = grouped(mails)
  await sendOneByOne(singles)
  for (const [batchId, [first, ...others]] of batches) {
    if (!first) continue
    // The first answer says what the quota is.
    const isAsking = first.attempts === 1 && !isKnown(accounts[senders.bulk.account])
    if (isAsking) await sendOne(first)
    await sendOneByOne(await sendBatch(batchId, isAsking ? others : [first, ...others]))
  }
  return results
}
