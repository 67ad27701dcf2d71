/** The “We’ve moved” mail to partners who exist already: who gets one. */
import { deliverableAddress } from '../transport/address.ts'
import type { Candidate } from './mailing.ts'

export type MovedCandidate = Candidate & {
  programId: string
  siteUrl: string
  /** On the earlier platform, if it is known. */
  formerLink: string | null
  otherSlugs: string[]
  /** Whether it was sent such a mail, or the one that welcomes new partners. */
  isWelcomed: boolean
}

export const MOVED_SKIP_REASONS = ['banned', 'welcomed', 'unsubscribed', 'no_address'] as const
export type MovedSkipReason = (typeof MOVED_SKIP_REASONS)[number]

const skipReason = ({
  email,
  status,
  isWelcomed,
  isUnsubscribed,
}: MovedCandidate): MovedSkipReason | null => {
  if (status === 'banned') return 'banned'
  if (isWelcomed) return 'welcomed'
  if (isUnsubscribed) return 'unsubscribed'
  return deliverableAddress(email) ? null : 'no_address'
}

/**
 * The recipients, and the skipped partners with the reason. A partner of two programs has a link in
 * each, and gets a mail for each.
 */
export const planMovedMails = (candidates: readonly MovedCandidate[]) => {
  const recipients: MovedCandidate[] = []
  const skipped: { partner: MovedCandidate; reason: MovedSkipReason }[] = []
  for (const partner of candidates) {
    const reason = skipReason(partner)
    if (reason) skipped.push({ partner, reason })
    else recipients.push(partner)
  }
  return { recipients, skipped }
}
