/** Reads Stripe's events. */
import * as z from 'zod'
import { findUnstorable } from '../../json.ts'
import type { ProcessorEvent } from '../facts.ts'
import { readCustomer, readDiscount, readSubscription } from './customer-objects.ts'
import { text, time } from './fields.schemas.ts'
import type { ObjectFacts } from './object-facts.ts'
import {
  Charge,
  Checkout,
  CreditNote,
  Customer,
  Discount,
  Dispute,
  Invoice,
  InvoicePayment,
  PaymentIntent,
  Refund,
  Subscription,
} from './objects.schemas.ts'
import { readCheckout, readInvoice, readInvoicePayment, readPaymentIntent } from './objects.ts'
import { readCharge, readCreditNote, readDispute, readRefund } from './return-objects.ts'

const Envelope = z.object({
  id: text,
  type: text,
  created: time,
  livemode: z.boolean().default(false),
  data: z.object({ object: z.looseObject({}) }),
})

type Reader = { types: RegExp; read: (object: unknown) => ObjectFacts }

const READERS: Reader[] = [
  {
    types: /^checkout\.session\.(completed|async_payment_succeeded)$/,
    read: (object) => readCheckout(Checkout.parse(object)),
  },
  { types: /^invoice\.paid$/, read: (object) => readInvoice(Invoice.parse(object)) },
  { types: /^invoice_payment\.paid$/, read: (object) => readInvoicePayment(InvoicePayment.parse(object)) },
  {
    types: /^payment_intent\.succeeded$/,
    read: (object) => readPaymentIntent(PaymentIntent.parse(object)),
  },
  { types: /^charge\.refunded$/, read: (object) => readCharge(Charge.parse(object)) },
  {
    types: /^(charge\.)?refund\.(created|updated|failed)$/,
    read: (object) => readRefund(Refund.parse(object)),
  },
  { types: /^charge\.dispute\.\w+$/, read: (object) => readDispute(Dispute.parse(object)) },
  { types: /^credit_note\.(created|voided)$/, read: (object) => readCreditNote(CreditNote.parse(object)) },
  { types: /^customer\.(created|updated)$/, read: (object) => readCustomer(Customer.parse(object)) },
  {
    types: /^customer\.subscription\.(created|updated)$/,
    read: (object) => readSubscription(Subscription.parse(object)),
  },
  {
    types: /^customer\.discount\.(created|updated|deleted)$/,
    read: (object) => readDiscount(Discount.parse(object)),
  },
]

/** Reads the object of a type of event. Null for types that are not used. */
const reader = (type: string) => READERS.find(({ types }) => types.test(type))?.read ?? null

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
    const read = reader(type)?.(data.object) ?? { keys: [], facts: [] }
    const { customer = null, email = null, facts } = read
    const keys = [...new Set(read.keys.filter((key) => key !== null))]
    const event = { ...head, customer, email, keys, facts }
    return findUnstorable(event) ? null : event
  } catch (error) {
    if (error instanceof z.ZodError) return null
    throw error
  }
}
