import type { Requested } from '../purchases/refunds.ts'
import type { CurrentCommission } from '../purchases/reversals.ts'
import type { Money } from './rewards.ts'
import type { Step } from './steps.ts'

/** A refund as the merchant reported it, with every default filled in. */
export type RefundReport = {
  externalId: string
  /** The id under which the sale was reported, or one that a payment processor has for it. */
  saleExternalId: string
  requested: Requested
  eventName: string
  metadata: Record<string, unknown> | null
}

/** The sale of a refund, as it was read. */
export type RefundedSale = {
  id: string
  externalId: string
  sale: Money
  steps: Step[]
  revision: number
  commission: CurrentCommission | null
}
