/** Chooses how mails are sent. */
import { throughCloudflare } from './cloudflare.service.ts'
import { throughResend } from './resend.service.ts'
import type { EmailBinding, Transport } from './transport.ts'

/** The mailer's settings: see wrangler.toml. */
export type TransportEnv = {
  /** The sender of every mail: `Name <address>`. */
  MAIL_FROM: string
  RESEND_API_KEY?: string
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

/** The configured transport. Resend is preferred to Cloudflare, because it supports idempotency keys. */
export const chooseTransport = ({
  MAIL_FROM,
  RESEND_API_KEY,
  RESEND_URL,
  EMAIL,
}: TransportEnv): Transport => {
  if (RESEND_API_KEY) return throughResend({ from: MAIL_FROM, apiKey: RESEND_API_KEY, url: RESEND_URL })
  if (EMAIL) return throughCloudflare({ from: MAIL_FROM, binding: EMAIL })
  return nowhere
}
