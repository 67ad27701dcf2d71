/**
 * An account at Resend: its rate limit, quotas and suppression list, and the events that it reports
 * by webhook.
 *
 * By its documentation (rate-limit, errors, email-suppressions, webhooks): the headers ratelimit-*,
 * retry-after and x-resend-*-quota, which count what was used; 429 by three names; one suppression
 * list for all domains of a team, to which a bounce or a complaint adds; a suppressed mail is
 * accepted and reported as email.suppressed. Not confirmed by it, and assumed here: the daily quota
 * covers the last 24 hours (the documentation of GET /usage, which is in beta, says so), and a
 * batch that exceeds a quota is refused as a whole.
 */
import { Webhook } from 'standardwebhooks'
import { errorReply, type InboxMail, type Reply } from './resend.ts'

/** What an account may do. */
export type Plan = {
  /** Mails in 24 hours: 100 on the free plan. Others have no such quota, and no header of it. */
  daily?: number
  /** Mails in a month. */
  monthly?: number
  /** Requests per second and team. */
  perSecond: number
}

const DAY_MS = 86_400_000

/**
 * Resend's addresses for tests: https://resend.com/docs/dashboard/emails/send-test-emails. They may
 * have a label, after "+".
 */
const simulated = (address: string, event: string): boolean =>
  new RegExp(`^${event}(\\+[^@]*)?@resend\\.dev$`).test(address)

/** An event as Resend sends it. */
const toEvent = (type: string, mail: InboxMail, at: Date, more: object = {}) => ({
  type,
  created_at: at.toISOString(),
  data: {
    created_at: mail.at.toISOString(),
    email_id: mail.id,
    from: mail.from,
    to: [mail.to],
    subject: mail.subject,
    ...(Object.keys(mail.tags).length > 0 && { tags: mail.tags }),
    ...more,
  },
})

const BOUNCE = {
  bounce: {
    message: "The recipient's email provider sent a hard bounce message.",
    type: 'Permanent',
    subType: 'General',
  },
}
const SUPPRESSED = {
  suppressed: {
    message:
      'Resend has suppressed sending to this address because it is on the account-level suppression list.',
    type: 'OnAccountSuppressionList',
  },
}

/** What may become of an accepted mail. */
export type MailOutcome = 'delivered' | 'bounced' | 'complained' | 'suppressed' | 'failed'

const DETAILS: Record<MailOutcome, object> = {
  delivered: {},
  bounced: BOUNCE,
  complained: {},
  suppressed: SUPPRESSED,
  failed: { failed: { reason: 'reached_daily_quota' } },
}

/** Signs an event as Svix does. @param id the same for each repeat of an event */
export const signEvent = (
  event: object,
  secret: string,
  at: Date,
  id = `msg_${crypto.randomUUID()}`,
) => {
  const body = JSON.stringify(event)
  return {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'svix-id': id,
      'svix-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'svix-signature': new Webhook(secret).sign(id, at, body),
    },
    body,
  }
}

/** @param now the time, in milliseconds */
export const createAccount = (now: () => number = Date.now) => {
  const suppressed = new Set<string>()
  const used: number[] = []
  let plan: Plan = { perSecond: Number.POSITIVE_INFINITY }
  let window = { startsAt: 0, requests: 0 }
  let webhook: { url: string; secret: string } | undefined
  let sending: Promise<unknown> = Promise.resolve()

  const usedSince = (ms: number) => used.filter((at) => at > now() - ms).length
  const month = () => usedSince(30 * DAY_MS)
  const day = () => usedSince(DAY_MS)

  const report = (outcome: MailOutcome, mail: InboxMail): void => {
    const address = mail.to.toLowerCase()
    if (outcome === 'bounced' || outcome === 'complained') suppressed.add(address)
    if (!webhook) return
    const { url, secret } = webhook
    const at = new Date(now())
    const event = toEvent(`email.${outcome}`, mail, at, DETAILS[outcome])
    sending = sending.then(() => fetch(url, signEvent(event, secret, at)).catch(() => {}))
  }

  return {
    suppressed,
    /** Changes what the account may do. What was used before counts. */
    subscribe: (changed: Partial<Plan>) => {
      plan = { ...plan, ...changed }
      window = { startsAt: 0, requests: 0 }
    },
    /** Reports to this webhook from now on. */
    listen: (at: { url: string; secret: string } | undefined) => {
      webhook = at
    },
    /** Waits for all reports so far to be answered. */
    settled: async () => {
      await sending
    },
    /** Reports of a mail, by chance much later. */
    report,

    /** Counts a request. @returns the refusal of one too many */
    request: (): Reply | null => {
      const second = Math.floor(now() / 1_000)
      if (window.startsAt !== second) window = { startsAt: second, requests: 0 }
      window.requests++
      if (window.requests <= plan.perSecond) return null
      return errorReply(
        429,
        'rate_limit_exceeded',
        `Too many requests. You can only make ${plan.perSecond} requests per second.`,
      )
    },

    /** @param mails how many a request wants to send. @returns the refusal */
    refusal: (mails: number): Reply | null => {
      if (plan.daily !== undefined && day() + mails > plan.daily)
        return errorReply(
          429,
          'daily_quota_exceeded',
          'You have reached your daily email sending quota.',
        )
      if (plan.monthly !== undefined && month() + mails > plan.monthly)
        return errorReply(
          429,
          'monthly_quota_exceeded',
          'You have reached your monthly email sending quota.',
        )
      return null
    },

    /** Counts an accepted mail, and reports what becomes of it. */
    accept: (mail: InboxMail): void => {
      used.push(now())
      const address = mail.to.toLowerCase()
      if (suppressed.has(address) || simulated(address, 'suppressed')) report('suppressed', mail)
      else if (simulated(address, 'bounced')) report('bounced', mail)
      else report('delivered', mail)
      if (simulated(address, 'complained')) report('complained', mail)
    },

    /** The headers of each response. */
    headers: (): Record<string, string> => ({
      ...(Number.isFinite(plan.perSecond) && {
        'ratelimit-limit': String(plan.perSecond),
        'ratelimit-remaining': String(Math.max(0, plan.perSecond - window.requests)),
        'ratelimit-reset': '1',
        ...(window.requests > plan.perSecond && { 'retry-after': '1' }),
      }),
      ...(plan.daily !== undefined && { 'x-resend-daily-quota': String(day()) }),
      ...(plan.monthly !== undefined && { 'x-resend-monthly-quota': String(month()) }),
    }),
  }
}

export type Account = ReturnType<typeof createAccount>
