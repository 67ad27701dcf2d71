/** Sending by Resend's HTTP API. */
import type { Outcome, Transport } from './transport.service.ts'

const RESEND_URL = 'https://api.resend.com'

/** Errors of Resend that say nothing of the one mail: a key, a domain or a sender to be mended, a quota to be waited for. */
const PAUSES: Record<string, number> = {
  missing_api_key: 600,
  invalid_api_key: 600,
  restricted_api_key: 600,
  suspended_api_key: 600,
  invalid_from_address: 600,
  daily_quota_exceeded: 3_600,
  monthly_quota_exceeded: 3_600,
}

/** Without a Retry-After, as long as Resend counts for its limit, and a little more. */
const RATE_LIMIT_SECONDS = 2
/** Resend names some faults of the account with the code of a faulty mail, but by a status of its own. */
const ACCOUNT_SECONDS = 600

/** A header that is a number of seconds, if it is. */
const seconds = (answer: Response, header: string): number | undefined => {
  const value = answer.headers.get(header) ?? ''
  return /^\d{1,6}$/.test(value) ? Number(value) : undefined
}

/** What an answer other than 200 means. */
const classify = async (answer: Response): Promise<Outcome> => {
  const said = (await answer.json().catch(() => null)) as { name?: unknown; message?: unknown } | null
  const code = typeof said?.name === 'string' ? said.name : `http_${answer.status}`
  const message = typeof said?.message === 'string' ? said.message : `Resend answered ${answer.status}.`
  const { status } = answer

  // Its answer to the first try went unseen, and something in the mail has changed since: a template, the sender.
  if (code === 'invalid_idempotent_request') return { kind: 'sent', waitSeconds: 0 }
  if (code === 'concurrent_idempotent_requests') return { kind: 'retry', code, message }
  const pause = PAUSES[code] ?? (status === 401 || status === 403 ? ACCOUNT_SECONDS : undefined)
  if (pause !== undefined) return { kind: 'paused', code, message, seconds: pause }
  if (status === 429)
    return { kind: 'paused', code, message, seconds: seconds(answer, 'Retry-After') ?? RATE_LIMIT_SECONDS }
  // Only what Resend itself says of the mail counts as said: a proxy has its own pages.
  if (status >= 400 && status < 500 && status !== 408 && said) return { kind: 'refused', code, message }
  return { kind: 'retry', code, message }
}

/** Sends through Resend, which sends a mail with the same id once within 24 hours, however often it is asked. */
export const throughResend =
  ({ from, apiKey, url }: { from: string; apiKey: string; url: string | undefined }): Transport =>
  async ({ id, to, subject, html, text }, { timeoutMs }) => {
    try {
      const answer = await fetch(`${url || RESEND_URL}/emails`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${apiKey}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': id,
          // workerd sends none by itself, and Resend refuses a request without one.
          'User-Agent': 'Tributary',
        },
        body: JSON.stringify({ from, to: [to], subject, html, text }),
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
