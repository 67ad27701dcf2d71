/** The partner of a subscription's renewals. Design, section 5, "Attribution of renewals". */
import { importBetween, ownerAt, type Referral } from '../identities/owner.ts'
import type { DoubtStep } from '../steps/steps.ts'
import type { PartnerTerms, Renewal } from './attribution.ts'

/** A subscription's first sale. It credits nobody if a manager has rejected a credit in doubt. */
export type FirstSale = { partnerId: string | null; occurredAt: Date; doubt?: DoubtStep | null }

/**
 * The partner of a renewal: the one to whom the customer was imported since the subscription's
 * first sale, else the one credited with that sale. The customer's owner if none is known.
 *
 * @returns null if the customer has no owner either
 */
export const renewalOf = (
  firstSale: FirstSale | null,
  referrals: Referral[],
  find: (partnerId: string) => PartnerTerms | undefined,
  paidAt: Date,
): Renewal | null => {
  if (!firstSale) {
    // A later referral, by a click from before, does not prevail over the renewal's own coupon.
    const referred = referrals.filter(({ referredAt }) => referredAt <= paidAt)
    const owner = find(ownerAt(referred, paidAt) ?? '')
    return owner ? { partner: owner, because: 'owner' } : null
  }
  const imported = importBetween(referrals, firstSale.occurredAt, paidAt)
  return imported
    ? { partner: find(imported.partnerId) ?? null, because: 'import' }
    : {
        partner: find(firstSale.partnerId ?? '') ?? null,
        because: 'subscription',
        doubt: firstSale.doubt ?? null,
      }
}
