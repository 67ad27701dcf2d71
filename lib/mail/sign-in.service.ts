/** Sign-in links: sent at once, and stored nowhere. */
import { deliverableAddress } from './address.ts'
import type { SignInMail } from './mailer.rpc.ts'
import { signInContent } from './templates.tsx'
import type { Transport } from './transport.service.ts'

/** Somebody is waiting for the answer: two tries, within the ten seconds after which many clients give up. */
const TRIES = 2
const TRY_TIMEOUT_MS = 4_000
/** The most to wait before the second try; a rate limit is over within a second. */
const MAX_WAIT_MS = 1_000

/**
 * Sends a sign-in link.
 *
 * @throws when it could not be handed over, without a word of the address or the link
 */
export const sendSignInLink = async (transport: Transport, mail: SignInMail): Promise<void> => {
  const to = deliverableAddress(mail.to)
  if (!to) throw new Error('The sign-in mail was not sent: invalid_address.')
  const ready = { id: crypto.randomUUID(), to, ...signInContent(mail) }
  for (let attempt = 1; ; attempt++) {
    const outcome = await transport(ready, { timeoutMs: TRY_TIMEOUT_MS })
    if (outcome.kind === 'sent') return
    if (outcome.kind === 'refused' || attempt === TRIES) {
      throw new Error(`The sign-in mail was not sent: ${outcome.code}.`)
    }
    const waitMs = outcome.kind === 'paused' ? outcome.seconds * 1_000 : 0
    await new Promise((resume) => setTimeout(resume, Math.min(waitMs, MAX_WAIT_MS)))
  }
}
