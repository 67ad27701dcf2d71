/** What a mail transport takes and returns. */

import type { Used } from '../outbox/quota.ts'
import type { Stream } from '../outbox/streams.ts'
import type { MailContent } from '../texts/rendered-mail.ts'
import type { Address } from './sender.ts'

export type Mail = MailContent & {
  /** The idempotency key of all attempts. It also names the mail in the provider's reports. */
  id: string
  to: string
  /** The merchant, named before the installation’s sender. */
  merchant?: string
  /** The address for replies; by default, the sender. */
  replyTo?: string
  headers?: Record<string, string>
}

/**
 * The outcome of an attempt. `code` is the transport's own error code; `message` is for a manager,
 * and may quote the mail. `used` is what the answer says of the quotas.
 *
 * - `sent`: accepted. Wait `waitSeconds` before the next request.
 * - `retry`: unknown; a later attempt may succeed.
 * - `refused`: not accepted, permanently.
 * - `paused`: not accepted, for a reason that concerns all mails: wait `seconds`.
 */
export type Outcome =
  | { kind: 'sent'; waitSeconds: number; used?: Used }
  | { kind: 'retry'; code: string; message: string }
  | { kind: 'refused'; code: string; message: string }
  | Paused
export type Paused = { kind: 'paused'; code: string; message: string; seconds: number; used?: Used }

/** Sends one mail. Never throws. */
export type Transport = (mail: Mail, limits: { timeoutMs: number }) => Promise<Outcome>

/** The most mails of one batch: Resend's limit. */
export const MAX_BATCH = 100

/**
 * Sends mails by one request, of which all are accepted or none. Never throws.
 * @param key the idempotency key of the batch
 */
export type BatchTransport = (
  key: string,
  mails: Mail[],
  limits: { timeoutMs: number },
) => Promise<Outcome>

/** How the mails of a stream are sent, and by which account. */
export type Sender = { transport: Transport; batch?: BatchTransport | undefined; account: Stream }
export type Senders = Record<Stream, Sender>

/** Cloudflare's `send_email` binding, as far as it is used. */
export type EmailBinding = {
  send: (mail: {
    from: string | Address
    to: string
    subject: string
    html: string
    text: string
    replyTo?: string
    headers?: Record<string, string>
  }) => Promise<unknown>
}
