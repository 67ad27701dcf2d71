/** What the ledger lacks of a purchase that Stripe knows: whether it does, and the words for it. */

import { formatMoney } from '../money.ts'
import type { PartnerTerms } from '../tracking/attribution.ts'
import type { PurchaseFacts, RecordedSale, SaleChange, Settlement } from './plan.ts'

/** What comes of a customer by an earlier purchase that is lacking: its partner, and its first commission. */
export type Foreseen = { partner: PartnerTerms; rewardedAt: Date | null }

/** What will be known of a purchase once the earlier ones of its customer are recorded. */
export const foresee = (facts: PurchaseFacts, foreseen: Foreseen | undefined): PurchaseFacts => {
  if (!foreseen) return facts
  const { coupon, click, customerPartner } = facts
  const known = (partner: PartnerTerms): PartnerTerms =>
    partner.programId === foreseen.partner.programId
      ? { ...partner, firstRewardedAt: partner.firstRewardedAt ?? foreseen.rewardedAt }
      : partner
  return {
    ...facts,
    coupon: coupon && { ...coupon, partner: known(coupon.partner) },
    click: click && { ...click, partner: known(click.partner) },
    customerPartner: known(customerPartner ?? foreseen.partner),
  }
}

/**
 * Whether the ledger lacks something.
 *
 * @param hasNews whether Stripe lists something that it has not told. Without that a customer is known as well as it
 *   ever will be.
 */
export const isLacking = (settlement: Settlement, hasNews: boolean): boolean => {
  const { sale, steps, commission, reversals, duplicates, customer } = settlement
  return (
    sale !== null ||
    steps !== null ||
    commission !== null ||
    reversals.length > 0 ||
    duplicates.length > 0 ||
    (customer !== null && hasNews)
  )
}

/** What is lacking, in words for somebody who manages partners. */
export const explainLack = (settlement: Settlement, recorded: RecordedSale | null): string => {
  const { sale, outcome } = settlement
  if (sale) return `${explainRecorded(sale, recorded)}: ${explainCredit(sale, settlement.commission)}`
  switch (outcome.code) {
    case 'customer_kept':
      return `nothing paid yet, and the customer is not known as one of “${outcome.facts.slug}”`
    case 'commission_changed': {
      const { amountCents, currency, slug } = outcome.facts
      const [cents, what] = amountCents < 0 ? [-amountCents, 'taken back'] : [amountCents, 'given again']
      return `recorded, but ${formatMoney(cents, currency)} of the commission of “${slug}” is not ${what}`
    }
    default:
      if (settlement.duplicates.length > 0) return 'recorded twice'
      return 'recorded, but the customer is not known by its id at Stripe'
  }
}

const explainRecorded = ({ credit, sale }: SaleChange, recorded: RecordedSale | null): string => {
  if (!recorded) return 'not recorded'
  if (recorded.partnerId === (credit?.partner.id ?? null)) {
    return `recorded as ${formatMoney(recorded.sale.amountCents, recorded.sale.currency)} instead of ${formatMoney(sale.amountCents, sale.currency)}`
  }
  return recorded.partnerId === null
    ? 'recorded, but credited to nobody'
    : 'recorded, but credited to another partner'
}

const explainCredit = ({ credit }: SaleChange, commission: Settlement['commission']): string => {
  if (!credit) return 'nobody to credit'
  const slug = `“${credit.partner.slug}”`
  if (!commission) return `credited to ${slug}, who earns nothing more by it`
  const { amountCents, reversedCents, currency } = commission
  const less = reversedCents ? `, less ${formatMoney(reversedCents, currency)} for what was given back` : ''
  return `${slug} earns ${formatMoney(amountCents, currency)}${less}`
}
