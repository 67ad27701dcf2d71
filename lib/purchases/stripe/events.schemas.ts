/** Reads Stripe's events. */
import * as z from 'zod'
import { findUnstorable } from '../../json.ts'
import type { ProcessorEvent } from '../facts.ts'
import { Charge, Checkout, Dispute, Invoice, InvoicePayment, Refund, text, time } from './objects.schemas.ts'
import {
  type ObjectFacts,
  readCharge,
  readCheckout,
  readDispute,
  readInvoice,
  readInvoicePayment,
  readRefund,
} from './objects.ts'

const Envelope = z.object({
  id: text,
  type: text,
  created: time,
  livemode: z.boolean().default(false),
  data: z.object({ object: z.looseObject({}) }),
})

/** Reads the object of a type of event. Null for types that are not used. */
const reader = (type: string): ((object: unknown) => ObjectFacts) | null => {
  if (type === 'checkout.session.completed' || type === 'checkout.session.async_payment_succeeded') {
    return (object) => readCheckout(Checkout.parse(object))
  }
  if (type === 'invoice.paid') return (object) => readInvoice(Invoice.parse(object))
  if (type === 'invoice_payment.paid') return (object) => readInvoicePayment(InvoicePayment.parse(object))
  if (type === 'charge.refunded') return (object) => readCharge(Charge.parse(object))
  if (/^(charge\.)?refund\.(created|updated|failed)$/.test(type)) {
    return (object) => readRefund(Refund.parse(object))
  }
  if (/^charge\.dispute\.\w+$/.test(type)) return (object) => readDispute(Dispute.parse(object))
  return null
}

/**
 * Reads an event whose signature was verified.
 *
 * @returns the event, without facts if its type is not used; null for what is not an event of Stripe
 */
export const readEvent = (input: unknown): ProcessorEvent | null => {
  const envelope = Envelope.safeParse(input)
  if (!envelope.success) return null
  const { id: processorEventId, type, livemode, created: occurredAt, data } = envelope.data
  const head = { processor: 'stripe', processorEventId, type, livemode, occurredAt } as const
  try {
    const { customer = null, keys, facts } = reader(type)?.(data.object) ?? { keys: [], facts: [] }
    const event = { ...head, customer, keys: [...new Set(keys.filter((key) => key !== null))], facts }
    return findUnstorable(event) ? null : event
  } catch (error) {
    if (error instanceof z.ZodError) return null
    throw error
  }
}
