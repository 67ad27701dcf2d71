/** Whose the renewals of a subscription are. Design, section 5, "Attribution of renewals". */
import { importBetween, ownerAt, type Referral } from '../identities/owner.ts'
import type { DoubtStep } from '../steps/steps.ts'
import type { PartnerTerms, Renewal } from './attribution.ts'

/**
 * The first sale of a subscription. It credits nobody if a manager has rejected that it was
 * credited late, or by an address.
 */
export type FirstSale = { partnerId: string | null; occurredAt: Date; doubt?: DoubtStep | null }

/**
 * Whose a renewal is: of the partner to whom the customer was imported since the first sale of its
 * subscription, else of the one who was credited with that sale. If none is known, of the
 * customer's owner.
 *
 * @returns null if the customer has no owner either
 */
export const renewalOf = (
  firstSale: FirstSale | null,
  referrals: Referral[],
  find: (partnerId: string) => PartnerTerms | undefined,
  at: Date,
): Renewal | null => {
  if (!firstSale) {
    // Who refers it later, by a click from before, takes nothing from the renewal's own coupon.
    const known = referrals.filter(({ referredAt }) => referredAt <= at)
    const owner = find(ownerAt(known, at) ?? '')
    return owner ? { partner: owner, because: 'owner' } : null
  }
  const imported = importBetween(referrals, firstSale.occurredAt, at)
  return imported
    ? { partner: find(imported.partnerId) ?? null, because: 'import' }
    : {
        partner: find(firstSale.partnerId ?? '') ?? null,
        because: 'subscription',
        doubt: firstSale.doubt ?? null,
      }
}
