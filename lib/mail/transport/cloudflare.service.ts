/** Sending by Cloudflare's `send_email` binding. */
import { senderOf } from './sender.ts'
import type { EmailBinding, Transport } from './transport.ts'

/** Errors of the account, not the mail (limits, senders): seconds until the next attempt. */
const PAUSES: Record<string, number> = {
  E_RATE_LIMIT_EXCEEDED: 60,
  E_DAILY_LIMIT_EXCEEDED: 3_600,
  E_SENDER_NOT_VERIFIED: 600,
  E_SENDER_DOMAIN_NOT_AVAILABLE: 600,
}

/** Errors that may pass; whether the mail was sent is unknown. All others are permanent. */
const TRANSIENT = ['E_DELIVERY_FAILED', 'E_INTERNAL_SERVER_ERROR']

const sender = (from: string, merchant?: string) => {
  const { name, email } = senderOf(from, merchant)
  return name ? { name, email } : email
}

/** Rejects after a timeout: the binding takes no AbortSignal. */
const withTimeout = <T>(promise: Promise<T>, timeoutMs: number): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`No answer within ${timeoutMs} ms.`)), timeoutMs)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/**
 * Sends through Cloudflare. It takes neither an idempotency key nor a Message-ID of ours, so a mail
 * whose first attempt was accepted but not confirmed arrives twice.
 */
export const throughCloudflare =
  ({ from, binding }: { from: string; binding: EmailBinding }): Transport =>
  async ({ id: _, merchant, ...mail }, { timeoutMs }) => {
    try {
      await withTimeout(binding.send({ from: sender(from, merchant), ...mail }), timeoutMs)
      return { kind: 'sent', waitSeconds: 0 }
    } catch (error) {
      const { code, message } = error as Error & { code?: unknown }
      if (typeof code !== 'string' || !code.startsWith('E_')) {
        return { kind: 'retry', code: 'unreachable', message }
      }
      const seconds = PAUSES[code]
      if (seconds !== undefined) return { kind: 'paused', code, message, seconds }
      return { kind: TRANSIENT.includes(code) ? 'retry' : 'refused', code, message }
    }
  }
