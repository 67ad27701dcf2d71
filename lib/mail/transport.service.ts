/** Ways to send a mail, and what may come of a try. */
import { type EmailBinding, throughCloudflare } from './cloudflare.service.ts'
import type { MailContent } from './content.ts'
import { throughResend } from './resend.service.ts'

/** A mail that is ready to go. */
export type Mail = MailContent & {
  /** The same for every try of one mail: a transport that can tells by it that it has the mail already. */
  id: string
  to: string
}

/**
 * What came of a try. `code` is the transport's own name for it; `message` is for a manager, and may quote the mail.
 *
 * - `sent`: the transport has it, and would rather have the next one only after so many seconds.
 * - `retry`: it may have been taken or not, and it may go better later.
 * - `refused`: it was not taken, and never will be.
 * - `paused`: it was not taken, for a reason that is not its own: nothing goes out for so many seconds.
 */
export type Outcome =
  | { kind: 'sent'; waitSeconds: number }
  | { kind: 'retry'; code: string; message: string }
  | { kind: 'refused'; code: string; message: string }
  | { kind: 'paused'; code: string; message: string; seconds: number }

/** Sends one mail. Never throws. */
export type Transport = (mail: Mail, limits: { timeoutMs: number }) => Promise<Outcome>

/** What the mailer is told of how to send: see wrangler.toml. */
export type TransportEnv = {
  /** The sender of every mail: `Name <address>`. */
  MAIL_FROM: string
  RESEND_API_KEY?: string
  /** Where Resend's API is, when it isn't at Resend. */
  RESEND_URL?: string
  /** Cloudflare's binding. */
  EMAIL?: EmailBinding
}

/** How often to see whether a transport has been set up. */
const NO_TRANSPORT_SECONDS = 300

const nowhere: Transport = async () => ({
  kind: 'paused',
  code: 'no_transport',
  message: 'No transport: set RESEND_API_KEY or bind EMAIL.',
  seconds: NO_TRANSPORT_SECONDS,
})

/** The transport that is set up: Resend before Cloudflare, since Resend notices a mail that it has already. */
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
