/**
 * Verifies that a request comes from Resend, which signs by Svix: the signature of Standard
 * Webhooks, under headers of its own.
 */
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { ApiError } from '../../http/errors.ts'
import type { Stream } from '../outbox/streams.ts'

/** The signing secrets of the webhook of each account at Resend. */
export type ResendSecrets = {
  RESEND_WEBHOOK_SECRET?: string
  /** Of the account that sends bulk mail, if it has one of its own. */
  RESEND_BULK_WEBHOOK_SECRET?: string
}

const invalidSignature = () =>
  new ApiError(
    'invalid_signature',
    'The request is not signed with the signing secret of this installation’s webhook at Resend, or was not signed within the last five minutes. See docs/mail.md.',
  )

/**
 * The JSON of a request, and whose events they are.
 *
 * @param headers `svix-id`, `svix-timestamp` and `svix-signature`
 * @throws {ApiError} `invalid_signature`, or `invalid_body` for a signed body that is not JSON
 */
export const readSignedEvent = (
  text: string,
  headers: Headers,
  secrets: ResendSecrets,
): { event: unknown; stream: Stream } => {
  const signed = Object.fromEntries(
    ['id', 'timestamp', 'signature'].map((name) => [
      `webhook-${name}`,
      headers.get(`svix-${name}`) ?? '',
    ]),
  )
  const owners = [
    { secret: secrets.RESEND_WEBHOOK_SECRET, stream: 'personal' },
    { secret: secrets.RESEND_BULK_WEBHOOK_SECRET, stream: 'bulk' },
  ] as const
  for (const { secret, stream } of owners) {
    if (!secret) continue
    try {
      new Webhook(secret).verify(text, signed, { jsonParse: false })
    } catch (error) {
      if (error instanceof WebhookVerificationError) continue
      throw error
    }
    try {
      return { event: JSON.parse(text), stream }
    } catch {
      throw new ApiError('invalid_body', 'The body is not JSON.')
    }
  }
  throw invalidSignature()
}
