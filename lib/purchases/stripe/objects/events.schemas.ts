/** Reads Stripe's events. */
import * as z from 'zod'
import type { ProcessorEvent } from '../../../rules/purchases/facts.ts'
import { findUnstorable } from '../../../values/json.ts'
import { MAX_AMOUNT_CENTS } from '../../../values/money.ts'
import { readCustomer, readDiscount, readSubscription } from './customer-objects.ts'
import { amount, currency, text, time } from './fields.schemas.ts'
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
  PaidCharge,
  PaymentIntent,
  Refund,
  Subscription,
} from './objects.schemas.ts'
import {
  type Reading,
  readCheckout,
  readInvoice,
  readInvoicePayment,
  readPaidCharge,
  readPaymentIntent,
} from './objects.ts'
import { readCharge, readCreditNote, readDispute, readRefund } from './return-objects.ts'

/** What every event has. Thin events have an ISO time and no object. */
const Head = z.object({
  object: z.string().nullish().catch(null),
  id: text,
  type: text,
  livemode: z.boolean().default(false),
  account: text.nullish().catch(null),
})

const Created = z.object({ created: time })
const Thin = z.object({ created: z.iso.datetime().transform((iso) => new Date(iso)) })
const Snapshot = z.object({ data: z.object({ object: z.looseObject({}) }) })

/** lib/payouts reads it. What it could not read is refused here, so that it is listed. */
const ReversedTransfer = z.object({ id: text, currency, amount_reversed: amount })

type Reader = { types: RegExp; read: (object: unknown, reading: Reading) => ObjectFacts }

const READERS: Reader[] = [
  {
    types: /^checkout\.session\.(completed|async_payment_succeeded)$/,
    read: (object, reading) => readCheckout(Checkout.parse(object), reading),
  },
  { types: /^invoice\.paid$/, read: (object) => readInvoice(Invoice.parse(object)) },
  {
    types: /^invoice_payment\.paid$/,
    read: (object) => readInvoicePayment(InvoicePayment.parse(object)),
  },
  {
    types: /^payment_intent\.succeeded$/,
    read: (object) => readPaymentIntent(PaymentIntent.parse(object)),
  },
  { types: /^charge\.succeeded$/, read: (object) => readPaidCharge(PaidCharge.parse(object)) },
  { types: /^charge\.refunded$/, read: (object) => readCharge(Charge.parse(object)) },
  {
    types: /^(charge\.)?refund\.(created|updated|failed)$/,
    read: (object) => readRefund(Refund.parse(object)),
  },
  { types: /^charge\.dispute\.\w+$/, read: (object) => readDispute(Dispute.parse(object)) },
  {
    types: /^credit_note\.(created|voided)$/,
    read: (object) => readCreditNote(CreditNote.parse(object)),
  },
  {
    types: /^customer\.(created|updated)$/,
    read: (object) => readCustomer(Customer.parse(object)),
  },
  {
    types: /^customer\.subscription\.(created|updated)$/,
    read: (object) => readSubscription(Subscription.parse(object)),
  },
  {
    types: /^customer\.discount\.(created|updated|deleted)$/,
    read: (object) => readDiscount(Discount.parse(object)),
  },
  {
    types: /^transfer\.reversed$/,
    read: (object) => {
      ReversedTransfer.parse(object)
      return { keys: [], facts: [] }
    },
  },
]

/** Reads the object of a type of event. Null for types that are not used. */
const reader = (type: string) => READERS.find(({ types }) => types.test(type))?.read ?? null

const THIN =
  'it has a thin payload. Choose the payload style Snapshot for the events of your own account'

/** The first thing that is not understood, for partner managers. */
const explain = (error: z.ZodError): string => {
  const [issue] = error.issues
  return issue ? `${issue.path.join('.') || 'event'}: ${issue.message}` : 'unknown form'
}

/** Whether an amount in ISO minor units is too large: Stripe counts ariary without decimals. */
const isTooLarge = (facts: unknown): boolean =>
  typeof facts === 'object' &&
  facts !== null &&
  Object.entries(facts).some(([name, value]) =>
    typeof value === 'number' && /cents$/i.test(name)
      ? value > MAX_AMOUNT_CENTS
      : isTooLarge(value),
  )

/** The mode and account that an event belongs to, and whether its type is used. */
export type Origin = { livemode: boolean; account: string | null }

/** Where an event comes from; null for what is not an event of Stripe. */
export const originOf = (input: unknown): Origin | null => {
  const { data } = Head.safeParse(input)
  return data ? { livemode: data.livemode, account: data.account ?? null } : null
}

/**
 * Reads an event whose signature was verified.
 *
 * @param reading what the workspace says at this time: it counts for the event for good
 * @returns the event: without facts if its type is not used, and refused if it is used but not
 *   understood; null for what is not an event of Stripe
 */
export const readEvent = (input: unknown, reading: Reading): ProcessorEvent | null => {
  const head = Head.safeParse(input).data
  if (!head || findUnstorable([head.id, head.type])) return null
  const { id: processorEventId, type, livemode, object } = head
  const created = Created.safeParse(input).data ?? Thin.safeParse(input).data
  const occurredAt = created?.created ?? new Date(0)
  const bare = { processor: 'stripe', processorEventId, type, livemode, occurredAt } as const
  const refused = (reason: string): ProcessorEvent => ({
    ...bare,
    customer: null,
    email: null,
    keys: [],
    facts: [],
    refusal: { code: 'unreadable', facts: { reason } },
  })
  if (object === 'v2.core.event') return refused(THIN)
  try {
    Created.parse(input)
    const { data } = Snapshot.parse(input)
    const read = reader(type)?.(data.object, reading) ?? { keys: [], facts: [] }
    const { customer = null, email = null, facts } = read
    const keys = [...new Set(read.keys.filter((key) => key !== null))]
    const event: ProcessorEvent = { ...bare, customer, email, keys, facts }
    if (isTooLarge(facts)) return refused(`an amount is above ${MAX_AMOUNT_CENTS} minor units`)
    const unstorable = findUnstorable({ customer, email, keys, facts })
    return unstorable ? refused(`${unstorable.path}: ${unstorable.message}`) : event
  } catch (error) {
    if (error instanceof z.ZodError) return refused(explain(error))
    throw error
  }
}
