/** Mails to many partners at once: who gets one. */
import { deliverableAddress } from '../transport/address.ts'

/** A partner that a manager chose. */
export type Candidate = {
  id: string
  email: string
  name: string | null
  slug: string
  status: 'approved' | 'banned'
  programName: string
  isUnsubscribed: boolean
}

export const SKIP_REASONS = ['banned', 'unsubscribed', 'no_address', 'same_address'] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** The most mailings of a workspace in 24 hours, because each may go to every partner. */
export const MAX_MAILINGS = 3

/** Why a partner gets no mail; null if it gets one. `before` has the addresses that get one. */
const skipReason = (
  { email, status, isUnsubscribed }: Candidate,
  before: ReadonlySet<string>,
): SkipReason | null => {
  if (status === 'banned') return 'banned'
  if (isUnsubscribed) return 'unsubscribed'
  if (!deliverableAddress(email)) return 'no_address'
  return before.has(email) ? 'same_address' : null
}

/** The recipients, and the skipped with the reason. A partner of two programs gets one mail. */
export const planMailing = (candidates: readonly Candidate[]) => {
  const addresses = new Set<string>()
  const recipients: Candidate[] = []
  const skipped: { partner: Candidate; reason: SkipReason }[] = []
  for (const partner of candidates) {
    const reason = skipReason(partner, addresses)
    if (reason) skipped.push({ partner, reason })
    else {
      addresses.add(partner.email)
      recipients.push(partner)
    }
  }
  return { recipients, skipped }
}
