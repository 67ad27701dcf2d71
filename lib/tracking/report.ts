import type { Money } from './rewards.ts'

/** A sale or lead as the merchant reported it, with every default filled in. */
export type Report = {
  kind: 'sale' | 'lead'
  externalId: string
  customerExternalId: string
  customerEmail: string | null
  customerName: string | null
  clickId: string | null
  eventName: string
  metadata: Record<string, unknown> | null
  /** When it took place, if the report says so. */
  occurredAt?: Date | undefined
  /** What was sold; a lead has none. */
  sale: Money | null
}
