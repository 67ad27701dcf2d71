/** Self-referrals: sales and leads of a customer with the address of the credited partner. */
import { mailboxOf, withoutTag } from '../../values/mailboxes.ts'

/** What happens to a self-referral's commission: held for a manager, paid, or not created. */
export const SELF_REFERRALS = ['hold', 'allow', 'refuse'] as const
export type SelfReferrals = (typeof SELF_REFERRALS)[number]

/** The partner's own mailbox, or an address that differs by a tag and may be another person's. */
export type SelfReferralBy = 'mailbox' | 'tag'

/** The partner who was the customer when a sale was recorded, if the address is erased. */
export type ErasedSelfReferral = { partnerId: string; by: SelfReferralBy }

/**
 * Whether a customer's address leads to the mailbox of a partner, or would if what follows a plus
 * sign in it is a tag. Addresses that only look alike do not count.
 *
 * @param own what the partner signs in with, and did before; both normalized
 */
export const selfReferralBy = (
  own: string[],
  addresses: (string | null)[],
): SelfReferralBy | null => {
  const has = (form: (email: string) => string): boolean => {
    const forms = new Set(own.map(form))
    return addresses.some((address) => address !== null && forms.has(form(address)))
  }
  if (has(mailboxOf)) return 'mailbox'
  return has((email) => withoutTag(mailboxOf(email))) ? 'tag' : null
}
