/** Sign-in links: sent immediately, and never stored. */
import { translator } from '../../languages/message.ts'
import type { SignInMail, SignInOutcome } from '../mailer.rpc.ts'
import { signInDraft } from '../texts/account-texts.tsx'
import { render } from '../texts/compose.tsx'
import { type UsageNote, usageNote } from '../transport/accounts.ts'
import { deliverableAddress } from '../transport/address.ts'
import type { Transport } from '../transport/transport.ts'
import { isQuotaCode } from './quota.ts'

/** Two attempts fit into the ten seconds after which many clients time out. */
const MAX_ATTEMPTS = 2
const TIMEOUT_MS = 4_000
/** The longest wait before the second attempt. Rate limits are per second. */
const MAX_WAIT_MS = 1_000

/**
 * Sends a sign-in link.
 *
 * @param learn is given what the answer says of the account's quota
 * @throws when it could not be sent; the message contains neither the address nor the link
 */
export const sendSignInLink = async (
  transport: Transport,
  mail: SignInMail,
  learn: (note: UsageNote) => void = () => {},
): Promise<SignInOutcome> => {
  const to = deliverableAddress(mail.to)
  if (!to) return 'refused'
  const { language = 'en' } = mail
  const content = render(signInDraft(mail, translator(language)), undefined, [], language)
  const ready = { id: crypto.randomUUID(), to, ...content }
  for (let attempt = 1; ; attempt++) {
    const outcome = await transport(ready, { timeoutMs: TIMEOUT_MS })
    learn(usageNote(outcome, 1, Date.now()))
    if (outcome.kind === 'sent' || outcome.kind === 'refused') return outcome.kind
    if (outcome.kind === 'paused' && isQuotaCode(outcome.code)) return 'exhausted'
    if (attempt === MAX_ATTEMPTS) throw new Error(`The sign-in mail was not sent: ${outcome.code}.`)
    const waitMs = outcome.kind === 'paused' ? outcome.seconds * 1_000 : 0
    await new Promise((resume) => setTimeout(resume, Math.min(waitMs, MAX_WAIT_MS)))
  }
}
