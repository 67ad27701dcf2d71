/**
 * The lines of Stripe's invoices, checkouts and credit notes, in the shapes of several API versions.
 * Before 2025-03-31, a line had its price, and its taxes in `tax_amounts`. Since then, it names its
 * product and price in `pricing`, and its `parent` says whether it is a proration.
 */
import * as z from 'zod'
import { amount, ref, time, words } from './fields.schemas.ts'

/** What cannot be read of a line is left out of it: a detail must not refuse a sale. */
const lenient = <S extends z.ZodType>(field: S) => field.nullish().catch(null)

/** An id of Stripe's, or of the merchant's own, or an object with one. */
const id = ref.refine((given) => given === null || /^[^\0\p{Cs}]+$/u.test(given)).catch(null)

const amounts = lenient(z.array(z.object({ amount })))
const taxes = lenient(
  z.array(
    z.object({
      amount,
      inclusive: z.boolean().nullish(),
      tax_behavior: z.string().nullish(),
    }),
  ),
)

const Price = z.object({
  id,
  product: id,
  recurring: lenient(z.object({ interval: z.string(), interval_count: z.int().default(1) })),
})

/** The price of `pricing` is an id, unless it is expanded. */
const PriceRef = z.union([
  z.string().transform((price) => ({ id: id.parse(price), product: null, recurring: null })),
  Price,
])

const parent = lenient(z.object({ proration: lenient(z.boolean()) }))
const metadata = lenient(z.record(z.string(), z.string()))
const quantity = lenient(z.int().min(0))

export const InvoiceLine = z.object({
  id,
  type: lenient(z.string()),
  amount: lenient(amount),
  amount_excluding_tax: lenient(amount),
  discount_amounts: amounts,
  pretax_credit_amounts: lenient(z.array(z.object({ amount, type: z.string() }))),
  taxes,
  tax_amounts: taxes,
  description: words.catch(null),
  metadata,
  quantity,
  period: lenient(z.object({ start: time, end: time })),
  price: lenient(Price),
  pricing: lenient(
    z.object({
      price_details: lenient(z.object({ product: id, price: lenient(PriceRef) })),
    }),
  ),
  proration: lenient(z.boolean()),
  parent: lenient(z.object({ subscription_item_details: parent, invoice_item_details: parent })),
})

export const CheckoutLine = z.object({
  id,
  amount_total: lenient(amount),
  amount_tax: lenient(amount),
  description: words.catch(null),
  metadata,
  quantity,
  price: lenient(Price),
})

export const CreditNoteLine = z.object({
  invoice_line_item: id,
  amount: lenient(amount),
  amount_excluding_tax: lenient(amount),
  discount_amount: lenient(amount),
  taxes,
  tax_amounts: taxes,
})

export type InvoiceLine = z.output<typeof InvoiceLine>
export type CheckoutLine = z.output<typeof CheckoutLine>
export type CreditNoteLine = z.output<typeof CreditNoteLine>
export type Price = z.output<typeof Price>
export type Taxes = InvoiceLine['taxes']
