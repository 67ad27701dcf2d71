/** Serves requests for sign-in links. Strangers may make few: see lib/mail/outbox/sign-in-quota.ts. */

import { LINK_MINUTES } from '../../auth/better-auth.ts'
import type { AuthContext } from '../../auth/context.ts'
import { newToken } from '../../db/ids.ts'
import { callerKey, truncatedAddress } from '../../http/rate-limit.ts'
import { capsOf, decideSignIn } from '../../mail/outbox/sign-in-quota.ts'
import { limitedMailbox } from '../../mail/transport/address.ts'
import { sha256 } from '../../platform/sha256.ts'
import { saveAsk } from './link-requests.queries.ts'
import { type LinkRequest, quotaGone, sendLink } from './links.ts'
import { type MailProblem, noteSignInRequest } from './sign-in-requests.queries.ts'

/** What the page says, and the outcome for the log. */
type Served = {
  outcome: Awaited<ReturnType<typeof sendLink>>
  logged: string
  problem: MailProblem | null
}

/** Sends a link after the response, or saves that none is sent. Both look the same from outside. */
const serveUnseen = async (
  request: LinkRequest,
  email: string,
  next: string,
  isSent: boolean,
): Promise<void> => {
  if (isSent && (await sendLink(request, email, next)) === 'mailed') return
  const { db, now, asking } = request
  const expiresAt = new Date(now.getTime() + LINK_MINUTES * 60_000)
  const ask = { tokenHash: await sha256(newToken()), email, now, expiresAt, ...asking }
  await saveAsk(ask, false).execute(db)
}

/**
 * Mails a link within the limits for strangers. The response depends on the network and the
 * installation, never on whether the address is known.
 *
 * @throws {ApiError} `try_again` if no mail can be sent now, or this one was not sent
 */
export const requestLink = async (
  c: AuthContext,
  request: LinkRequest,
  email: string,
  next: string,
): Promise<Served> => {
  const { db, now, asking } = request
  const { problem, ...facts } = await noteSignInRequest(
    db,
    {
      email,
      mailbox: await sha256(limitedMailbox(email)),
      network: truncatedAddress(c.req.header('CF-Connecting-IP')) ?? callerKey(c),
      browserHash: asking.browserHash,
      caps: capsOf(c.env),
    },
    now,
  )
  const decision = decideSignIn(facts, c.env, now)
  if (decision.kind === 'exhausted') throw quotaGone(decision.until)
  if (decision.kind === 'mail') {
    const outcome = await sendLink(request, email, next)
    return { outcome, logged: outcome, problem }
  }
  const work = serveUnseen(request, email, next, decision.kind === 'mail_unseen')
  c.executionCtx.waitUntil(work.catch(() => {}))
  return { outcome: 'mailed', logged: decision.kind, problem }
}
