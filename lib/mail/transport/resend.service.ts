/** Sending by Resend's HTTP API. */
import type { Used } from '../outbox/quota.ts'
import { senderLine } from './sender.ts'
import type { BatchTransport, Mail, Outcome, Transport } from './transport.ts'

const RESEND_URL = 'https://api.resend.com'

/** Errors of the account, not the mail (key, sender, quota): seconds until the next attempt. */
const PAUSES: Record<string, number> = {
  missing_api_key: 600,
  invalid_api_key: 600,
  restricted_api_key: 600,
  suspended_api_key: 600,
  invalid_from_address: 600,
  daily_quota_exceeded: 3_600,
  monthly_quota_exceeded: 3_600,
}

/** The wait after a 429 without a Retry-After: Resend's limit is per second. */
const RATE_LIMIT_SECONDS = 2
/** The wait after a 401 or 403: Resend's code may be that of a malformed mail. */
const ACCOUNT_SECONDS = 600
/** Of this many requests per second or more, one is left to a sign-in link. */
const SHARED_LIMIT = 5

/** A header's whole number, if it has one. */
const numberIn = (answer: Response, header: string): number | undefined => {
  const value = answer.headers.get(header) ?? ''
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined
}

/** The wait before the next request: sign-in links share the team's rate limit. */
const waitAfter = (answer: Response): number => {
  const remaining = numberIn(answer, 'ratelimit-remaining')
  const kept = (numberIn(answer, 'ratelimit-limit') ?? 0) >= SHARED_LIMIT ? 1 : 0
  if (remaining === undefined || remaining > kept) return 0
  return numberIn(answer, 'ratelimit-reset') ?? 1
}

/** What was used of the quotas. The daily one is the free plan's. */
const usedBy = (answer: Response): { used?: Used } => {
  const daily = numberIn(answer, 'x-resend-daily-quota') ?? null
  const monthly = numberIn(answer, 'x-resend-monthly-quota') ?? null
  return daily === null && monthly === null ? {} : { used: { daily, monthly } }
}

/** The outcome of a response other than 200. */
const classify = async (answer: Response): Promise<Outcome> => {
  const said = (await answer.json().catch(() => null)) as {
    name?: unknown
    message?: unknown
  } | null
  const code = typeof said?.name === 'string' ? said.name : `http_${answer.status}`
  const message =
    typeof said?.message === 'string' ? said.message : `Resend answered ${answer.status}.`
  const { status } = answer

  // Resend accepted an earlier attempt whose response was lost; the content has changed since
  // (template, sender).
  if (code === 'invalid_idempotent_request') return { kind: 'sent', waitSeconds: 0 }
  if (code === 'concurrent_idempotent_requests') return { kind: 'retry', code, message }
  const pause = PAUSES[code] ?? (status === 401 || status === 403 ? ACCOUNT_SECONDS : undefined)
  if (pause !== undefined)
    return { kind: 'paused', code, message, seconds: pause, ...usedBy(answer) }
  if (status === 429)
    return {
      kind: 'paused',
      code,
      message,
      seconds: numberIn(answer, 'retry-after') ?? RATE_LIMIT_SECONDS,
    }
  // A response without JSON comes from a proxy, not from Resend.
  if (status >= 400 && status < 500 && status !== 408 && said)
    return { kind: 'refused', code, message }
  return { kind: 'retry', code, message }
}

type Account = { from: string; apiKey: string; url: string | undefined }

const post = async (
  { apiKey, url }: Account,
  path: string,
  key: string,
  body: unknown,
  timeoutMs: number,
): Promise<Outcome> => {
  try {
    const answer = await fetch(`${url || RESEND_URL}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
        // Resend refuses requests without one, and workerd sends none by default.
        'User-Agent': 'Tributary',
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'manual',
    })
    if (!answer.ok) return await classify(answer)
    await answer.body?.cancel()
    return { kind: 'sent', waitSeconds: waitAfter(answer), ...usedBy(answer) }
  } catch (error) {
    const { name, message } = error as Error
    return { kind: 'retry', code: name === 'TimeoutError' ? 'timeout' : 'unreachable', message }
  }
}

const toEmail = (from: string, { id, to, merchant, replyTo, ...content }: Mail) => ({
  from: senderLine(from, merchant),
  to: [to],
  reply_to: replyTo,
  ...content,
  tags: [{ name: 'mail', value: id }],
})

/** Sends through Resend, which deduplicates by the mail's id for 24 hours. */
export const throughResend =
  (account: Account): Transport =>
  (mail, { timeoutMs }) =>
    post(account, '/emails', mail.id, toEmail(account.from, mail), timeoutMs)

/** Sends up to 100 mails in one request, all or none. Resend deduplicates it by the key. */
export const batchThroughResend =
  (account: Account): BatchTransport =>
  (key, mails, { timeoutMs }) =>
    post(
      account,
      '/emails/batch',
      key,
      mails.map((mail) => toEmail(account.from, mail)),
      timeoutMs,
    )
