import type { Click, CouponAlias, PartnerTerms } from '../attribution/attribution.ts'
import type { FirstSale } from '../attribution/renewals.ts'
import type { SalesFrom } from '../purchases/processors.ts'
import type { CapFacts } from '../rewards/caps.ts'
import type { HandCreditStep } from '../steps/steps.ts'
import type { Candidate } from './buyer.ts'
import type { Elsewhere } from './checkout-reference.ts'
import type { RecordedRefund, RecordedSale, SharedCard } from './plan.ts'

/** What the database has of a purchase. */
export type Loaded = {
  salesFrom: SalesFrom
  /** Oldest first. */
  sales: RecordedSale[]
  refunds: RecordedRefund[]
  candidates: Candidate[]
  elsewhere: Elsewhere
  card: SharedCard
  /** The purchase's own coupon and click, and those of the trial before it. */
  coupon: CouponAlias | null
  click: Click | null
  trialCoupon: CouponAlias | null
  trialClick: Click | null
  /** The earliest other sale of the subscription, if it is earlier. */
  firstSale: FirstSale | null
  /** The decision of a manager that is being applied. */
  handCredit: HandCreditStep | null
  /** What these partners have earned in the month of the sale; null if no reward asks for it. */
  ofMonth: Pick<CapFacts, 'month' | 'inMonth'> | null
  /** By the ids of all partners who may be credited. */
  terms: ReadonlyMap<string, PartnerTerms>
}
