/**
 * Payments that only an address ties to a customer. Anybody can sign up under an address, unless
 * the merchant verifies it.
 */

/** What happens to a commission that only an address credits which no lead has called verified. */
export const UNVERIFIED_ADDRESSES = ['allow', 'hold'] as const
export type UnverifiedAddresses = (typeof UNVERIFIED_ADDRESSES)[number]

/** The addresses, named by leads, that alone say which customer's a payment is. */
export type AddressClaim = {
  /** When the first of them was named. */
  namedAt: Date
  isVerified: boolean
}
