/** The accounts at the provider, during a run of the mailer. */
import {
  isQuotaCode,
  type QuotaSettings,
  roomOf,
  UNUSED,
  type Usage,
  type Used,
} from '../outbox/quota.ts'
import type { Stream } from '../outbox/streams.ts'
import type { Outcome, Paused } from './transport.ts'

/** The pause after the provider has refused mails for lack of quota. */
export const EXHAUSTED_MS = 600_000

export type Account = {
  usage: Usage
  settings: QuotaSettings
  /** Whether the account sends sign-in links. */
  isReserved: boolean
  /** Whether the provider has answered in this run. */
  isAsked: boolean
  /** The reason why it sends no more in this run. */
  pause?: Paused
  unsaved: UsageNote
}
export type Accounts = Record<Stream, Account>

/** The usage of an account that a run, or a sign-in link, has observed. */
export type UsageNote = { sent: number; used: Used | null; exhaustedUntil: Date | null }

const NOTHING: UsageNote = { sent: 0, used: null, exhaustedUntil: null }

const openAccount = (
  name: Stream,
  usage: Usage = UNUSED,
  settings: QuotaSettings,
  now: number,
): Account => {
  const account = {
    usage,
    settings,
    isReserved: name === 'personal',
    isAsked: false,
    unsaved: NOTHING,
  }
  const seconds = usage.exhaustedUntil
    ? Math.ceil((usage.exhaustedUntil.getTime() - now) / 1_000)
    : 0
  if (seconds <= 0) return account
  const message = 'The mail provider’s quota is used up.'
  return { ...account, pause: { kind: 'paused', code: 'quota_exhausted', message, seconds } }
}

/**
 * The accounts of a run. The settings are those of the account for sign-in links; of another one,
 * its answers say what it may send.
 */
export const openAccounts = (
  usages: Partial<Record<Stream, Usage>>,
  settings: QuotaSettings,
  now: number,
): Accounts => ({
  personal: openAccount('personal', usages.personal, settings, now),
  bulk: openAccount('bulk', usages.bulk, {}, now),
})

/** Whether the provider has said what the quota is, or that there is none. */
export const isKnown = ({ usage, isAsked }: Account): boolean =>
  isAsked || usage.reportedAt !== null

/** How many mails of the outbox an account may send. */
export const roomLeft = ({ usage, settings, isReserved }: Account, now: number): number => {
  const { left, unreserved } = roomOf(settings, usage, new Date(now))
  return isReserved ? unreserved : left
}

/** The usage that an answer reports. @param mails how many were sent with it */
export const usageNote = (outcome: Outcome, mails: number, now: number): UsageNote => ({
  sent: outcome.kind === 'sent' ? mails : 0,
  used:
    (outcome.kind === 'sent' || outcome.kind === 'paused') && outcome.used ? outcome.used : null,
  exhaustedUntil:
    outcome.kind === 'paused' && isQuotaCode(outcome.code) ? new Date(now + EXHAUSTED_MS) : null,
})

/** Adds an answer to the known usage, on which the next mail depends. */
export const noteAnswer = (
  account: Account,
  outcome: Outcome,
  mails: number,
  now: number,
): void => {
  const { usage, unsaved } = account
  const { sent, used, exhaustedUntil } = usageNote(outcome, mails, now)
  account.isAsked = true
  account.usage = {
    ...usage,
    sentToday: usage.sentToday + sent,
    ...(used
      ? { dailyUsed: used.daily, monthlyUsed: used.monthly, reportedAt: new Date(now) }
      : { dailyUsed: usage.dailyUsed === null ? null : usage.dailyUsed + sent }),
  }
  account.unsaved = {
    sent: unsaved.sent + sent,
    used: used ?? unsaved.used,
    exhaustedUntil: exhaustedUntil ?? unsaved.exhaustedUntil,
  }
}

/** Whether there is a quota, so that what was learnt of it is saved. */
export const isCounted = (
  { sent, used, exhaustedUntil }: UsageNote,
  settings: QuotaSettings,
): boolean =>
  used !== null ||
  exhaustedUntil !== null ||
  (sent > 0 && Boolean(settings.MAIL_DAILY_QUOTA || settings.MAIL_MONTHLY_QUOTA))

/** Takes the usage that must be saved; null for an account without a quota. */
export const takeUnsaved = (account: Account): UsageNote | null => {
  const { unsaved, settings } = account
  account.unsaved = NOTHING
  return isCounted(unsaved, settings) ? unsaved : null
}
