/** Sending by Cloudflare's `send_email` binding. */
import type { Transport } from './transport.service.ts'

type Address = { name: string; email: string }

/** Cloudflare's binding, as far as it is used here. */
export type EmailBinding = {
  send: (mail: {
    from: string | Address
    to: string
    subject: string
    html: string
    text: string
  }) => Promise<unknown>
}

/** Errors that say nothing of the one mail, in seconds until a further try: limits, and senders to be set up. */
const PAUSES: Record<string, number> = {
  E_RATE_LIMIT_EXCEEDED: 60,
  E_DAILY_LIMIT_EXCEEDED: 3_600,
  E_SENDER_NOT_VERIFIED: 600,
  E_SENDER_DOMAIN_NOT_AVAILABLE: 600,
}

/** Errors that say nothing for certain, and may pass. All others are about the mail. */
const PASSING = ['E_DELIVERY_FAILED', 'E_INTERNAL_SERVER_ERROR']

/** `Name <address>` in parts, or the address alone. */
const sender = (from: string): string | Address => {
  const [, name, email] = /^"?([^"<]*?)"? *<([^<>]+)>$/.exec(from.trim()) ?? []
  return name && email ? { name, email } : (email ?? from.trim())
}

/** A promise that gives up: the binding takes no signal. */
const within = <T>(promise: Promise<T>, timeoutMs: number): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`No answer within ${timeoutMs} ms.`)), timeoutMs)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/**
 * Sends through Cloudflare. It takes neither an idempotency key nor a Message-ID of ours, so a mail whose first try
 * was taken but not confirmed arrives twice.
 */
export const throughCloudflare =
  ({ from, binding }: { from: string; binding: EmailBinding }): Transport =>
  async ({ to, subject, html, text }, { timeoutMs }) => {
    try {
      await within(binding.send({ from: sender(from), to, subject, html, text }), timeoutMs)
      return { kind: 'sent', waitSeconds: 0 }
    } catch (error) {
      const { code, message } = error as Error & { code?: unknown }
      if (typeof code !== 'string' || !code.startsWith('E_')) {
        return { kind: 'retry', code: 'unreachable', message }
      }
      const seconds = PAUSES[code]
      if (seconds !== undefined) return { kind: 'paused', code, message, seconds }
      return { kind: PASSING.includes(code) ? 'retry' : 'refused', code, message }
    }
  }
