/** Chooses how mails are sent. */

import type { Stream } from '../outbox/streams.ts'
import { throughCloudflare } from './cloudflare.service.ts'
import { batchThroughResend, throughResend } from './resend.service.ts'
import type { EmailBinding, Sender, Senders, Transport } from './transport.ts'

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

/** How a stream is sent: by Resend if it is set up, because it has idempotency keys. */
const senderOf = (env: TransportEnv, stream: Stream): Sender => {
  const {
    MAIL_FROM,
    MAIL_FROM_BULK,
    RESEND_API_KEY,
    RESEND_BULK_API_KEY,
    RESEND_URL: url,
    EMAIL,
  } = env
  const isBulk = stream === 'bulk'
  const from = (isBulk && MAIL_FROM_BULK) || MAIL_FROM
  const ownKey = (isBulk && RESEND_API_KEY && RESEND_BULK_API_KEY) || undefined
  const apiKey = ownKey ?? RESEND_API_KEY
  if (apiKey) {
    const resend = { from, apiKey, url }
    const account = ownKey ? 'bulk' : 'personal'
    return { transport: throughResend(resend), batch: batchThroughResend(resend), account }
  }
  const transport = EMAIL ? throughCloudflare({ from, binding: EMAIL }) : nowhere
  return { transport, account: 'personal' }
}

export const chooseSenders = (env: TransportEnv): Senders => ({
  personal: senderOf(env, 'personal'),
  bulk: senderOf(env, 'bulk'),
})

/** The configured transport of sign-in links. */
export const chooseTransport = (env: TransportEnv): Transport => senderOf(env, 'personal').transport

export const hasTransport = (env: TransportEnv): boolean => chooseTransport(env) !== nowhere
