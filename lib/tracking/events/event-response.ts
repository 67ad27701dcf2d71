import { commissionStatus, isOfShadowMode } from '../../rules/steps/commissions.ts'
import { shownSteps } from '../../rules/steps/steps.ts'
import type { EventRow } from './events.queries.ts'
import type { EventResponse } from './events.responses.ts'
import { explain } from './explain.ts'

// The columns of a left join are null together, which their types don't say.

const partnerOf = (event: EventRow): EventResponse['partner'] => {
  const { partnerId: id, partnerSlug: slug, partnerName: name, partnerEmail: email } = event
  return id !== null && slug !== null && email !== null ? { id, slug, name, email } : null
}

const commissionOf = (event: EventRow, now: Date): EventResponse['commission'] => {
  const { commissionId: id, commissionCurrency: currency, payableAt } = event
  if (id === null || currency === null || payableAt === null) return null
  return {
    id,
    amountCents: Number(event.commissionAmountCents),
    reversedCents: Number(event.reversedCents),
    currency,
    status: commissionStatus({ ...event, payableAt }, now),
    payableAt: isOfShadowMode({ payableAt }) ? null : payableAt,
  }
}

const linesResponse = ({ lines }: EventRow): EventResponse['lines'] =>
  lines?.map((line) => ({
    productId: line.productId,
    priceId: line.priceId ?? null,
    name: line.name ?? null,
    quantity: line.quantity,
    amountCents: line.amountCents,
    billingInterval: line.billingInterval ?? null,
    isProration: line.isProration ?? false,
    metadata: line.metadata ?? null,
  })) ?? null

/** An event as the API represents it, in responses and webhooks. */
export const eventResponse = (event: EventRow, now: Date): EventResponse => ({
  id: event.id,
  kind: event.kind,
  externalId: event.externalId,
  eventName: event.eventName,
  attributed: event.partnerId !== null,
  attributedBy: event.attributedBy,
  partner: partnerOf(event),
  ...(event.partnerIsTest && { test: true }),
  // Only the external id is known before an event of the customer is attributed.
  customer: {
    id: event.customerId,
    externalId: event.customerExternalId,
    email: event.customerEmail,
    name: event.customerName,
  },
  amountCents: event.amountCents === null ? null : Number(event.amountCents),
  currency: event.currency,
  sale:
    event.saleExternalId === null ? null : { id: event.saleId, externalId: event.saleExternalId },
  lines: linesResponse(event),
  customerCountry: event.country,
  metadata: event.metadata,
  occurredAt: event.occurredAt,
  commission: commissionOf(event, now),
  steps: shownSteps(event).map((step) => ({
    code: step.code,
    text: explain(step),
    facts: step.facts,
  })),
})
