/** What a purchase is planned from, and what a plan changes: see planPurchase. */

import type { Money } from '../../values/money.ts'
import type {
  AttributedBy,
  Credit,
  Facts,
  PartnerTerms,
  PurchaseFacts,
  Renewal,
} from '../attribution/attribution.ts'
import type { NewCommission } from '../decisions/decide.ts'
import type { Identity } from '../identities/identities.ts'
import type { Referral } from '../identities/owner.ts'
import type { PossibleMerge } from '../identities/possible-merges.ts'
import type { EventOutcome } from '../purchases/outcomes.ts'
import type { SalesFrom } from '../purchases/processors.ts'
import type { ReportedRefund, SettledRefund } from '../refunds/refunds.ts'
import type { CurrentCommission, Reversal } from '../refunds/reversals.ts'
import type { MonthCap } from '../rewards/caps.ts'
import type { StoredLine } from '../rewards/sale-lines.ts'
import type { Step } from '../steps/steps.ts'

/** A recorded sale with its current commission. */
export type RecordedSale = {
  id: string
  externalId: string
  customerExternalId: string
  occurredAt: Date
  partnerId: string | null
  attributedBy: AttributedBy | null
  customerId: string | null
  /** The buyer's own id, if only an address matches the customer. */
  addressedId: string | null
  subscriptionId: string | null
  /** When it took place by the merchant's report, if there is one. */
  reportOccurredAt: Date | null
  /** The click that the merchant reported, or that the checkout carried. */
  clickId: string | null
  sale: Money
  /** What of its amount was refunded or is disputed. */
  returnedCents: bigint
  /** What was bought, and the customer's country: see `boughtOf`. */
  lines: StoredLine[] | null
  country: string | null
  /** What the merchant reported with it. */
  metadata: Record<string, unknown> | null
  /** By which the report named a partner, also if another decided the credit. */
  coupon: string | null
  /** Those that its processor reports. */
  coupons: string[]
  /** Whether its customer was erased, with what rules may have asked for. */
  isErased: boolean
  steps: Step[]
  commission: CurrentCommission | null
  /** The latest commission, current or not: a new one replaces it. */
  lastCommissionId: string | null
  /** For optimistic concurrency: each update of the row increments it. */
  revision: number
}

/** A recorded refund: its sale, and the amount that it counts for. Null while it waits. */
export type RecordedRefund = ReportedRefund & {
  saleId: string | null
  amountCents: bigint | null
  currency: string | null
  steps: Step[]
}

/** A customer, with what its sales depend on. */
export type KnownCustomer = {
  id: string
  /** For display. */
  externalId: string
  email: string | null
  /** Its reported addresses, with the one that is shown. */
  emails: string[]
  name: string | null
  revision: number
  /** Whether sales of it, or of its addresses, are to be recomputed. */
  isMarked: boolean
  referrals: Referral[]
}

/** Identities to tie. */
export type Tie = {
  identities: Identity[]
  /** The customers with them: a change of these loads the purchase again. Null ignores changes. */
  expected: { id: string; revision: number }[] | null
}

/** Whether others have paid with a purchase's card or bank account, and their addresses. */
export type SharedCard = { isShared: boolean; emails: string[] }

/** What is known of a purchase. `customerPartner` owns the customer at the time of the purchase. */
export type KnownFacts = Pick<
  Facts,
  | 'click'
  | 'code'
  | 'customerPartner'
  | 'referredLaterAt'
  | 'byAddress'
  | 'byHand'
  | 'decidedBudget'
  | 'history'
  | 'earned'
> &
  Pick<PurchaseFacts, 'coupon' | 'referredAt'> & {
    renewal: Renewal | null
    /**
     * Whether an earlier sale of its subscription was rewarded, reversed or not; of its customer,
     * if the subscription is not known.
     */
    isRewardedBefore: boolean
    /** Who reports the sales that earn, by the setting in force when it was paid. */
    salesFrom: SalesFrom
    recorded: RecordedSale | null
    /** Sales recorded later for the same purchase, under other ids: see duplicates.ts. */
    duplicates: RecordedSale[]
    /** The refunds that the merchant reported of it, oldest first. */
    refunds: RecordedRefund[]
    customer: KnownCustomer | null
    /** What has to be tied before a plan is applied: several ids, or new ones. */
    tie: Tie | null
    /** Customers who may be one: a manager decides before they are tied. */
    possibleMerge: PossibleMerge | null
    /** The buyer's own id, if only an address matches the customer. */
    addressedId: string | null
    /** Whether its coupon or click moves a customer whom another partner has referred. */
    movesCustomer: boolean
    /** Who else has paid with its card. */
    card: SharedCard
    /** The origins of the purchase's own referrals: its ids, and the reports of it. */
    origins: string[]
  }

/** The new values of the sale's row. */
export type SaleChange = {
  externalId: string
  customerExternalId: string
  addressedId: string | null
  sale: Money
  lines: StoredLine[] | null
  country: string | null
  coupons: string[]
  clickId: string | null
  credit: Credit | null
  occurredAt: Date
  subscriptionId: string | null
}

/** The referral that a purchase makes. */
export type OwnReferral = Pick<
  Referral,
  'origin' | 'partnerId' | 'source' | 'attribution' | 'referredAt'
>

/** What a plan changes of the buyer. */
export type CustomerChange = {
  id: string
  revision: number
  email: string | null
  name: string | null
  /** Replaces the referrals with the purchase's other origins. */
  referral: OwnReferral | null
  origins: string[]
  /** The customer's sales from this time on depend on what the plan changes. */
  replanFrom: Date | null
}

/** A commission to insert, and how much of it to reverse in the same write. */
export type CommissionPlan = NewCommission & {
  partner: PartnerTerms
  reversedCents: bigint
  replacesId: string | null
}

/**
 * The one-time rewards for the customer that a sale uses up: those of the products, or '' for the
 * only one of the program.
 */
export type OneTimeReward = { programId: string; products: string[] }

export type SalePlan =
  /** No sale is recorded, and the purchase makes none. */
  | { kind: 'none' }
  | { kind: 'keep'; recorded: RecordedSale }
  /**
   * Something was returned, or is no longer: part of the commission is reversed or reinstated. No
   * part is if the sale earns nothing, or if only the lines that were returned are others.
   */
  | {
      kind: 'adjust'
      recorded: RecordedSale
      returnedCents: bigint
      steps: Step[]
      reversals: Reversal[]
    }
  /** The recorded sale has another amount or another partner. */
  | {
      kind: 'update'
      recorded: RecordedSale
      change: SaleChange
      returnedCents: bigint
      steps: Step[]
      commission: CommissionPlan | null
      /** Whether the recorded commission is still the current one. */
      keepsCommission: boolean
      oneTime: OneTimeReward | null
      monthCap: MonthCap | null
      reversals: Reversal[]
    }
  | {
      kind: 'create'
      change: SaleChange
      returnedCents: bigint
      steps: Step[]
      commission: CommissionPlan | null
      oneTime: OneTimeReward | null
      /** Present if the reward caps what the partner earns in a month. */
      monthCap: MonthCap | null
    }

/** A duplicate earns nothing. It has its sale's partner, so a repeat gets the same response. */
export type DuplicateChange = Pick<
  RecordedSale,
  'id' | 'revision' | 'steps' | 'partnerId' | 'attributedBy'
> & {
  reversals: Reversal[]
}

export type PurchasePlan = {
  sale: SalePlan
  customer: CustomerChange | null
  duplicates: DuplicateChange[]
  /** Refunds that are recorded for the sale now, or count for another amount than before. */
  refunds: SettledRefund[]
  outcome: EventOutcome
}
