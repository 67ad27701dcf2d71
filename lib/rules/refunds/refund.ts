import type { Money } from '../../values/money.ts'
import type { Step } from '../steps/steps.ts'
import type { Requested } from './refunds.ts'
import type { CurrentCommission } from './reversals.ts'

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
