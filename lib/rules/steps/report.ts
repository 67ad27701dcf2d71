import type { Money } from '../../values/money.ts'
import type { StoredLine } from '../rewards/sale-lines.ts'

/** How a report names the partner: by a slug, present or former, or a coupon's id or label. */
export type PartnerCode = { by: 'slug' | 'coupon'; value: string }

/** A sale or lead as the merchant reported it, with every default filled in. */
export type Report = {
  kind: 'sale' | 'lead'
  externalId: string
  customerExternalId: string
  customerEmail: string | null
  /** Whether the merchant knows that the address is the customer's. */
  emailVerified?: true | undefined
  customerName: string | null
  clickId: string | null
  eventName: string
  metadata: Record<string, unknown> | null
  /** When it took place, if the report says so. */
  occurredAt?: Date | undefined
  /** The partner, if the report names one. */
  code?: PartnerCode | undefined
  /** What was sold; a lead has none. */
  sale: Money | null
  /** What was bought, if the report says so. */
  lines?: StoredLine[] | undefined
  /** The customer's country: ISO 3166, two letters. */
  country?: string | undefined
}
