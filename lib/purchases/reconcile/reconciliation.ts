/** Whether the ledger lacks something of a listed purchase, and the explanation of it. */

import type { PartnerTerms } from '../../rules/attribution/attribution.ts'
import type {
  CommissionPlan,
  KnownFacts,
  PurchasePlan,
  RecordedSale,
  SaleChange,
} from '../../rules/plans/plan.ts'
import { earnsPerProduct } from '../../rules/steps/intervals.ts'
import { formatMoney } from '../../values/money.ts'

/** What recording an earlier missing sale will change of its customer. */
export type Prediction = {
  partner: PartnerTerms
  rewardedAt: Date | null
  /** Those that a missing sale rewards, if each product earns a one-time reward. */
  products: string[]
  /** Those of which a missing sale is rewarded. */
  subscriptions: (string | null)[]
}

/** The facts of a purchase once the earlier missing sales of its customer are recorded. */
export const predictFacts = (
  facts: KnownFacts,
  prediction: Prediction | undefined,
  subscription: string | null,
): KnownFacts => {
  if (!prediction) return facts
  const { coupon, click, customerPartner } = facts
  const predict = (partner: PartnerTerms): PartnerTerms =>
    partner.programId === prediction.partner.programId
      ? {
          ...partner,
          firstRewardedAt:
            partner.firstRewardedAt ?? (earnsPerProduct(partner) ? null : prediction.rewardedAt),
          rewardedProducts: [...partner.rewardedProducts, ...prediction.products],
        }
      : partner
  return {
    ...facts,
    coupon: coupon && { ...coupon, partner: predict(coupon.partner) },
    click: click && { ...click, partner: predict(click.partner) },
    customerPartner: predict(customerPartner ?? prediction.partner),
    isRewardedBefore: facts.isRewardedBefore || prediction.subscriptions.includes(subscription),
  }
}

/**
 * Whether the ledger lacks something of a purchase.
 *
 * @param isUnreceived whether an event of it was not received; otherwise its customer is as well
 *   known as possible
 */
export const isMissing = (
  { sale, duplicates, customer, outcome }: PurchasePlan,
  isUnreceived: boolean,
): boolean => {
  if (outcome.code === 'sale_expected_from_api') return false
  const isSaleKept = sale.kind === 'none' || sale.kind === 'keep'
  return !isSaleKept || duplicates.length > 0 || (customer !== null && isUnreceived)
}

/** What the ledger lacks, for partner managers. */
export const explainMissing = ({ sale, duplicates, outcome }: PurchasePlan): string => {
  if (sale.kind === 'create') return `not recorded: ${explainCredit(sale.change, sale.commission)}`
  if (sale.kind === 'update') {
    return `${explainUpdate(sale.change, sale.recorded)}: ${explainCredit(sale.change, sale.commission)}`
  }
  switch (outcome.code) {
    case 'customer_kept':
      return `nothing paid yet, and the customer is not known as one of “${outcome.facts.slug}”`
    case 'commission_changed': {
      const { amountCents, currency, slug } = outcome.facts
      const [cents, what] =
        amountCents < 0 ? [-amountCents, 'reversed'] : [amountCents, 'reinstated']
      return `recorded, but ${formatMoney(cents, currency)} of the commission of “${slug}” is not ${what}`
    }
    default:
      if (duplicates.length > 0) return 'recorded twice'
      if (sale.kind === 'adjust') return explainReturn(sale.recorded, sale.returnedCents)
      return 'recorded, but the customer is not known by its id at the payment processor'
  }
}

const explainReturn = ({ returnedCents, sale }: RecordedSale, cents: bigint): string =>
  cents === returnedCents
    ? 'recorded, but as a return of other lines'
    : `recorded, but as ${formatMoney(returnedCents, sale.currency)} returned of it instead of ${formatMoney(cents, sale.currency)}`

const explainUpdate = ({ credit, sale }: SaleChange, recorded: RecordedSale): string => {
  if (recorded.partnerId === (credit?.partner.id ?? null)) {
    if (recorded.sale.amountCents === sale.amountCents) return 'recorded, but not in full'
    return `recorded as ${formatMoney(recorded.sale.amountCents, recorded.sale.currency)} instead of ${formatMoney(sale.amountCents, sale.currency)}`
  }
  return recorded.partnerId === null
    ? 'recorded, but no partner is credited'
    : 'recorded, but credited to another partner'
}

const explainCredit = ({ credit }: SaleChange, commission: CommissionPlan | null): string => {
  if (!credit) return 'no partner to credit'
  const slug = `“${credit.partner.slug}”`
  if (!commission) return `credited to ${slug}, who earns nothing more`
  const { amountCents, reversedCents, currency } = commission
  const less = reversedCents ? `, less ${formatMoney(reversedCents, currency)} for returns` : ''
  return `${slug} earns ${formatMoney(amountCents, currency)}${less}`
}
