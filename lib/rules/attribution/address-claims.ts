/** Payments that only an address ties to a customer: anybody may have typed an unverified one. */

/** What happens to a commission that only an unverified address credits. */
export const UNVERIFIED_ADDRESSES = ['allow', 'hold'] as const
export type UnverifiedAddresses = (typeof UNVERIFIED_ADDRESSES)[number]

/** The addresses of leads that alone tie a payment to its customer. */
export type AddressClaim = {
  /** When the first of them was named. */
  namedAt: Date
  isVerified: boolean
}
