/**
 * The provider's quota. It is learnt from the settings and from the provider's answers. The last
 * mails of it are kept for sign-in links to people who are known: the outbox and links to unknown
 * addresses stop before.
 */
import { numberSetting } from '../../platform/settings.ts'

export type QuotaSettings = {
  /** The provider's daily and monthly quotas. By default, those that its answers report. */
  MAIL_DAILY_QUOTA?: string
  MAIL_MONTHLY_QUOTA?: string
  /** The number of mails in the reserve. */
  MAIL_QUOTA_RESERVE?: string
}

/** The use of an account's quotas. */
export type Usage = {
  /** Mails that we have sent today (UTC). */
  sentToday: number
  /** What the provider has counted of the daily and the monthly quota; null without a quota. */
  dailyUsed: number | null
  monthlyUsed: number | null
  reportedAt: Date | null
  /** The provider has refused mails for lack of quota. It is not asked again before. */
  exhaustedUntil: Date | null
}

/** The used quotas in an answer of the provider; null without such a quota. */
export type Used = { daily: number | null; monthly: number | null }

/** The error codes of Resend and Cloudflare for a quota that is used up. */
const QUOTA_CODES = ['daily_quota_exceeded', 'monthly_quota_exceeded', 'E_DAILY_LIMIT_EXCEEDED']

export const isQuotaCode = (code: string): boolean => QUOTA_CODES.includes(code)

export const UNUSED: Usage = {
  sentToday: 0,
  dailyUsed: null,
  monthlyUsed: null,
  reportedAt: null,
  exhaustedUntil: null,
}

/** The daily quota of Resend's free plan. Other plans have none. Its answers report the use. */
const FREE_DAILY = 100

/** The default reserves, as shares of a quota. */
const DAILY_RESERVE = 0.3
const MONTHLY_RESERVE = 0.05

const HOUR_MS = 3_600_000
/** The provider counts the mails of the last 24 hours, so what it has said holds no longer. */
const REPORT_MS = 24 * HOUR_MS
/** An older answer does not stop the outbox: one mail is tried, whose answer has the usage. */
const STALE_MS = 6 * HOUR_MS

/** The daily quota, or null if there is none. */
export const dailyQuota = (settings: QuotaSettings, usage: Usage): number | null =>
  numberSetting(settings.MAIL_DAILY_QUOTA, null) ?? (usage.dailyUsed === null ? null : FREE_DAILY)

/** The mails that are left, and those of them that are not reserved for sign-in links. */
export type Room = { left: number; unreserved: number }

/** The room that an account's quotas leave; unlimited without a quota. */
export const roomOf = (settings: QuotaSettings, usage: Usage, now: Date): Room => {
  const age = usage.reportedAt
    ? now.getTime() - usage.reportedAt.getTime()
    : Number.POSITIVE_INFINITY
  const isFresh = age < REPORT_MS
  const reserved = numberSetting(settings.MAIL_QUOTA_RESERVE, null)
  const room = (quota: number | null, used: number, share: number): Room => {
    if (quota === null)
      return { left: Number.POSITIVE_INFINITY, unreserved: Number.POSITIVE_INFINITY }
    const left = Math.max(0, quota - used)
    return { left, unreserved: Math.max(0, left - (reserved ?? Math.ceil(quota * share))) }
  }
  const usedToday = Math.max((isFresh && usage.dailyUsed) || 0, usage.sentToday)
  const day = room(dailyQuota(settings, usage), usedToday, DAILY_RESERVE)
  const month = room(
    numberSetting(settings.MAIL_MONTHLY_QUOTA, null),
    (isFresh && usage.monthlyUsed) || 0,
    MONTHLY_RESERVE,
  )
  const left = Math.min(day.left, month.left)
  const unreserved = Math.min(day.unreserved, month.unreserved)
  const isStale = usage.reportedAt !== null && age >= STALE_MS
  return { left, unreserved: unreserved === 0 && left > 0 && isStale ? 1 : unreserved }
}
