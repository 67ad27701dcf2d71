/** The body of a webhook: `{type, timestamp, data}`, by the specification Standard Webhooks. */
import type { EventType } from './types.ts'

/** @param data the event's subject, as the API represents it */
export const payloadOf = (type: EventType, occurredAt: Date, data: object): string =>
  JSON.stringify({ type, timestamp: occurredAt, data })

/** Of a `refund.created`: Stripe's id; the amount in minor units if only Stripe reported it. */
export type AnnouncedRefund = { id: string; amountCents?: number; currency?: string }
