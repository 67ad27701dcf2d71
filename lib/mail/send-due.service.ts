/** One run of the mailer: takes what is due, sends it, and writes down what became of it. */
import { connect, type DatabaseEnv } from '../db/connection.ts'
import { Unavailable } from '../unavailable.ts'
import { deliverableAddress } from './address.ts'
import { oneLine } from './content.ts'
import { type LeasedMail, leaseMails, type MailResult, saveMailResults } from './outbox.queries.ts'
import { LEASE_SECONDS, nextPause, WINDOW_SECONDS } from './schedule.ts'
import { outboxContent } from './templates.tsx'
import type { Outcome, Transport } from './transport.service.ts'

/**
 * Cloudflare's free plan allows 50 fetches a run: 3 to take the mails, 40 to send them, 6 to write down what became
 * of them. One a minute makes that 2,400 mails an hour.
 */
const MAX_SENDS = 40
/** The next run begins a minute after this one did. */
const RUN_MS = 45_000
const SEND_TIMEOUT_MS = 10_000
/** A transport that asks for no more than this is waited for; for longer, the run ends. */
const MAX_WAIT_SECONDS = 5
/** What was sent and isn't written down is sent again, so the database gets a second chance after a pause. */
const MARK_ROUNDS = 2
const MARK_PAUSE_MS = 3_000
/** Transports may quote a whole mail. */
const MAX_ERROR_LENGTH = 500

/** How many mails went which way. `code` is what a transport gave as its reason to pause. */
export type Tally = {
  sent: number
  retried: number
  failed: number
  waiting: number
  code: string | undefined
}

const after = (time: number, seconds: number): Date => new Date(time + seconds * 1_000)
const sleep = (seconds: number): Promise<void> => new Promise((resume) => setTimeout(resume, seconds * 1_000))

/** Sends a mail, unless nobody ever could. */
const trySend = async (mail: LeasedMail, transport: Transport): Promise<Outcome> => {
  const to = deliverableAddress(mail.recipient)
  if (!to) return { kind: 'refused', code: 'invalid_address', message: 'This is not an e-mail address.' }
  try {
    return await transport({ id: mail.id, to, ...outboxContent(mail) }, { timeoutMs: SEND_TIMEOUT_MS })
  } catch (error) {
    // Only a mail whose details are not those of its kind: another try would find the same ones.
    return { kind: 'refused', code: 'invalid_details', message: (error as Error).message }
  }
}

/** A reason in one line, without what Postgres can't hold. */
const reason = ({ code, message }: { code: string; message: string }): string =>
  oneLine(`${code}: ${message}`).toWellFormed().slice(0, MAX_ERROR_LENGTH).toWellFormed()

/** What to write down for a mail: the outcome of its try, or that there was no time for one. */
const resultFor = (
  { id, attempts, firstAttemptAt }: LeasedMail,
  outcome: Outcome | undefined,
): MailResult => {
  const now = Date.now()
  const result = { id, attempts, nextAttemptAt: null, error: null }
  if (!outcome) return { ...result, outcome: 'waiting', nextAttemptAt: new Date(now) }
  if (outcome.kind === 'sent') return { ...result, outcome: 'sent' }
  const error = reason(outcome)
  if (outcome.kind === 'refused') return { ...result, outcome: 'failed', error }
  if (outcome.kind === 'paused') {
    return { ...result, outcome: 'waiting', nextAttemptAt: after(now, outcome.seconds), error }
  }
  const pause = nextPause(attempts, Math.random())
  const nextAttemptAt = pause === null ? null : after(now, pause)
  const isTooLate = !nextAttemptAt || nextAttemptAt > after(firstAttemptAt.getTime(), WINDOW_SECONDS)
  return isTooLate
    ? { ...result, outcome: 'failed', error }
    : { ...result, outcome: 'retry', nextAttemptAt, error }
}

/** How long the transport wants to be left alone. */
const secondsToWait = (outcome: Outcome): number => {
  if (outcome.kind === 'sent') return outcome.waitSeconds
  return outcome.kind === 'paused' ? outcome.seconds : 0
}

/** Sends mails one after the other, as fast as the transport wants them, until something speaks against more. */
const sendAll = async (mails: LeasedMail[], transport: Transport, endsAt: number) => {
  const results: MailResult[] = []
  let sends = 0
  let pause: Extract<Outcome, { kind: 'paused' }> | undefined

  for (const mail of mails) {
    let outcome: Outcome | undefined = pause
    while (!pause && sends < MAX_SENDS && Date.now() < endsAt) {
      sends++
      outcome = await trySend(mail, transport)
      if (outcome.kind === 'paused' && outcome.seconds > MAX_WAIT_SECONDS) pause = outcome
      else await sleep(Math.min(secondsToWait(outcome), MAX_WAIT_SECONDS))
      if (outcome.kind !== 'paused') break
    }
    results.push(resultFor(mail, outcome))
  }
  return { results, pause }
}

/** Writes down what became of the mails. @throws {Unavailable} when a second chance was not enough */
const saveResults = async (env: DatabaseEnv, results: MailResult[]): Promise<void> => {
  for (let round = 1; ; round++) {
    try {
      return await saveMailResults(connect(env), results, new Date())
    } catch (error) {
      if (round === MARK_ROUNDS || !(error instanceof Unavailable)) throw error
      await sleep(MARK_PAUSE_MS / 1_000)
    }
  }
}

/**
 * Sends the mails that are due, as many as one run may.
 *
 * @returns null when there were none
 * @throws {Unavailable} the mails are taken again after their lease; a transport that knows them sends none twice
 */
export const sendDue = async (env: DatabaseEnv, transport: Transport): Promise<Tally | null> => {
  const now = Date.now()
  const { mails, expired } = await leaseMails(connect(env), {
    now: new Date(now),
    leaseEnd: after(now, LEASE_SECONDS),
    windowStart: after(now, -WINDOW_SECONDS),
    limit: MAX_SENDS,
  })
  if (mails.length + expired === 0) return null

  const { results, pause } = await sendAll(mails, transport, now + RUN_MS)
  if (results.length) await saveResults(env, results)

  const count = (outcome: MailResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).length
  return {
    sent: count('sent'),
    retried: count('retry'),
    failed: count('failed') + expired,
    waiting: count('waiting'),
    code: pause?.code,
  }
}
