/** Self-referrals: sales and leads of customers whose address is that of the partner who is credited with them. */
import { mailboxOf } from '../mailboxes.ts'

/** What a program does with the commission of a self-referral: holds it for a manager, pays it, or creates none. */
export const SELF_REFERRALS = ['hold', 'allow', 'refuse'] as const
export type SelfReferrals = (typeof SELF_REFERRALS)[number]

/**
 * Whether a customer's address leads to the mailbox of a partner. Addresses that only look alike do not count.
 *
 * @param own what the partner signs in with, and did before; both normalized
 */
export const isSelfReferral = (own: string[], addresses: (string | null)[]): boolean => {
  const mailboxes = new Set(own.map(mailboxOf))
  return addresses.some((address) => address !== null && mailboxes.has(mailboxOf(address)))
}
