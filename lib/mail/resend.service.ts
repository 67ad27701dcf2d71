/** Sending by Resend's HTTP API. */
import { senderLine } from './sender.ts'
import type { Outcome, Transport } from './transport.ts'

const RESEND_URL = 'https://api.resend.com'

/** Errors that are not the mail's own (key, domain, sender, quota), with the seconds until the next attempt. */
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
/** The wait after a 401 or 403: Resend gives some errors of the account the code of a malformed mail. */
const ACCOUNT_SECONDS = 600

/** A header's number of seconds, if it has one. */
const seconds = (answer: Response, header: string): number | undefined => {
  const value = answer.headers.get(header) ?? ''
  return /^\d{1,6}$/.test(value) ? Number(value) : undefined
}

/** The outcome of a response other than 200. */
const classify = async (answer: Response): Promise<Outcome> => {
  const said = (await answer.json().catch(() => null)) as { name?: unknown; message?: unknown } | null
  const code = typeof said?.name === 'string' ? said.name : `http_${answer.status}`
  const message = typeof said?.message === 'string' ? said.message : `Resend answered ${answer.status}.`
  const { status } = answer

  // Resend accepted an earlier attempt whose response was lost; the content has changed since (template, sender).
  if (code === 'invalid_idempotent_request') return { kind: 'sent', waitSeconds: 0 }
  if (code === 'concurrent_idempotent_requests') return { kind: 'retry', code, message }
  const pause = PAUSES[code] ?? (status === 401 || status === 403 ? ACCOUNT_SECONDS : undefined)
  if (pause !== undefined) return { kind: 'paused', code, message, seconds: pause }
  if (status === 429)
    return { kind: 'paused', code, message, seconds: seconds(answer, 'Retry-After') ?? RATE_LIMIT_SECONDS }
  // A response without JSON comes from a proxy, not from Resend.
  if (status >= 400 && status < 500 && status !== 408 && said) return { kind: 'refused', code, message }
  return { kind: 'retry', code, message }
}

/** Sends through Resend, which deduplicates by the mail's id for 24 hours. */
export const throughResend =
  ({ from, apiKey, url }: { from: string; apiKey: string; url: string | undefined }): Transport =>
  async ({ id, to, merchant, replyTo, subject, html, text, headers }, { timeoutMs }) => {
    try {
      const answer = await fetch(`${url || RESEND_URL}/emails`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${apiKey}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': id,
          // Resend refuses requests without one, and workerd sends none by default.
          'User-Agent': 'Tributary',
        },
        body: JSON.stringify({
          from: senderLine(from, merchant),
          to: [to],
          reply_to: replyTo,
          ...{ subject, html, text, headers },
          tags: [{ name: 'mail', value: id }],
        }),
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'manual',
      })
      if (!answer.ok) return await classify(answer)
      await answer.body?.cancel()
      const none = answer.headers.get('ratelimit-remaining') === '0'
      return { kind: 'sent', waitSeconds: none ? (seconds(answer, 'ratelimit-reset') ?? 1) : 0 }
    } catch (error) {
      const { name, message } = error as Error
      return { kind: 'retry', code: name === 'TimeoutError' ? 'timeout' : 'unreachable', message }
    }
  }
