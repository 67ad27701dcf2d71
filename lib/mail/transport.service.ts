/** Chooses how mails are sent. */
import { throughCloudflare } from './cloudflare.service.ts'
import { throughResend } from './resend.service.ts'
import type { Stream } from './streams.ts'
import type { EmailBinding, Transport } from './transport.ts'

/** The mailer's settings: see wrangler.toml. */
export type TransportEnv = {
  /** The sender: `Name <address>`. */
  MAIL_FROM: string
  /** The sender of bulk mail, if it has one of its own. */
  MAIL_FROM_BULK?: string
  RESEND_API_KEY?: string
  /** The key of the account for bulk mail, if it has one of its own. */
  RESEND_BULK_API_KEY?: string
  /** The base URL of Resend's API, for tests and the local runtime. */
  RESEND_URL?: string
  /** Cloudflare's binding. */
  EMAIL?: EmailBinding
}

/** How long mails wait before the mailer checks again whether a transport is configured. */
const NO_TRANSPORT_SECONDS = 300

const nowhere: Transport = async () => ({
  kind: 'paused',
  code: 'no_transport',
  message: 'No transport: set RESEND_API_KEY or bind EMAIL.',
  seconds: NO_TRANSPORT_SECONDS,
})

/** Whether a transport is configured. */
export const hasTransport = (env: TransportEnv): boolean => chooseTransport(env) !== nowhere

/**
 * The configured transport of a stream, by default of sign-in links. Resend is preferred to Cloudflare, because it supports
 * idempotency keys.
 */
export const chooseTransport = (env: TransportEnv, stream: Stream = 'personal'): Transport => {
  const { MAIL_FROM, MAIL_FROM_BULK, RESEND_API_KEY, RESEND_BULK_API_KEY, RESEND_URL, EMAIL } = env
  const isBulk = stream === 'bulk'
  const from = (isBulk && MAIL_FROM_BULK) || MAIL_FROM
  const apiKey = (isBulk && RESEND_API_KEY && RESEND_BULK_API_KEY) || RESEND_API_KEY
  if (apiKey) return throughResend({ from, apiKey, url: RESEND_URL })
  if (EMAIL) return throughCloudflare({ from, binding: EMAIL })
  return nowhere
}

/** The transports of all streams. */
export const chooseTransports = (env: TransportEnv): Record<Stream, Transport> => ({
  personal: chooseTransport(env, 'personal'),
  bulk: chooseTransport(env, 'bulk'),
})
