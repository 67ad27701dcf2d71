/** What a purchase is planned from, and what a plan changes: see planPurchase. */
import type { AttributedBy, Credit, Facts, PartnerTerms, PurchaseFacts } from '../tracking/attribution.ts'
import type { NewCommission } from '../tracking/decide.ts'
import type { Money } from '../tracking/rewards.ts'
import type { Step } from '../tracking/steps.ts'
import type { EventOutcome } from './outcomes.ts'
import type { SalesFrom } from './processors.ts'
import type { CurrentCommission, Reversal } from './reversals.ts'

/** A recorded sale with its current commission. */
export type RecordedSale = {
  id: string
  externalId: string
  customerExternalId: string
  occurredAt: Date
  partnerId: string | null
  attributedBy: AttributedBy | null
  /** The click that the merchant reported, or that the checkout carried. */
  clickId: string | null
  sale: Money
  steps: Step[]
  commission: CurrentCommission | null
  /** The latest commission, current or not: a new one replaces it. */
  lastCommissionId: string | null
  /** For optimistic concurrency: each update of the row increments it. */
  revision: number
}

/** The merchant's customer. */
export type KnownCustomer = { id: string; externalId: string; processorCustomerId: string | null }

/** What the database knows of a purchase. `customerPartner` is the customer's partner at the time of the purchase. */
export type KnownFacts = Pick<Facts, 'click' | 'customerPartner'> &
  Pick<PurchaseFacts, 'coupon'> & {
    /** Who reports the sales that earn, by the setting in force when it was paid. */
    salesFrom: SalesFrom
    recorded: RecordedSale | null
    /** Sales that were recorded later for the same purchase, under other ids of it: see duplicates.ts. */
    duplicates: RecordedSale[]
    customer: KnownCustomer | null
  }

/** The new values of the sale's row. */
export type SaleChange = {
  externalId: string
  customerExternalId: string
  sale: Money
  clickId: string | null
  credit: Credit | null
  occurredAt: Date
  /** The plan holds only while the customer is unknown. */
  needsUnknownCustomer: boolean
}

/** The new values of the buyer's customer row. */
export type CustomerChange = {
  externalId: string
  processorCustomerId: string | null
  email: string | null
  name: string | null
  partnerId: string
  /** Who referred the customer and how, if the purchase decides that. */
  referral: { origin: string; source: 'coupon' | 'click'; attribution: 'last' | 'first'; at: Date } | null
}

/** A commission to insert, and how much of it to reverse in the same write. */
export type CommissionPlan = NewCommission & {
  partner: PartnerTerms
  reversedCents: bigint
  replacesId: string | null
}

export type SalePlan =
  /** No sale is recorded, and none is to be. */
  | { kind: 'none' }
  | { kind: 'keep'; recorded: RecordedSale }
  /** Something was returned, or is no longer: part of the commission is reversed or reinstated. */
  | { kind: 'adjust'; recorded: RecordedSale; steps: Step[]; reversals: Reversal[] }
  /** The recorded sale has another amount or another partner. */
  | {
      kind: 'update'
      recorded: RecordedSale
      change: SaleChange
      steps: Step[]
      commission: CommissionPlan | null
      /** Whether the recorded commission is still the current one. */
      keepsCommission: boolean
      oneTimeProgramId: string | null
      reversals: Reversal[]
    }
  | {
      kind: 'create'
      change: SaleChange
      steps: Step[]
      commission: CommissionPlan | null
      /** The program whose one-time reward for the customer the sale uses up, if it does. */
      oneTimeProgramId: string | null
    }

/** A duplicate earns nothing, and is credited to the purchase's partner, so that a repeated report gets the same response. */
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
  outcome: EventOutcome
}
