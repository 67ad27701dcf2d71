/** The lines of invoices, in the shapes of several API versions. */
import Stripe from 'stripe'
import { apportion } from '../../../lib/rules/rewards/sale-lines.ts'
import { idOf, newId, type Store } from './store.ts'

/** Stripe puts the first ten into the invoice. */
export const INLINE_LINES = 10

/** The inputs of a line. The amount is in Stripe's minor units. */
export type LineParams = {
  amount: number
  description: string
  price: Stripe.Price
  quantity: number
  subscription: { id: string; item: string } | null
  period: { start: number; end: number }
  isProration?: boolean
}

/** The amount of each discount. */
export type Discounted = { discount: string; amount: number }[]

/** The lines of an invoice. Each discount is spread over them in proportion. */
export const invoiceLines = (
  invoice: string,
  currency: string,
  lines: LineParams[],
  discounts: Discounted,
): Stripe.InvoiceLineItem[] => {
  const weights = lines.map(({ amount }) => BigInt(Math.max(0, amount)))
  const parts = discounts.map(({ amount }) => apportion(BigInt(amount), weights))
  return lines.map((params, i) => {
    const discounted = discounts.map(({ discount }, n) => ({
      discount,
      amount: Number(parts[n]?.[i] ?? 0n),
    }))
    return invoiceLine(invoice, currency, params, discounted)
  })
}

const invoiceLine = (
  invoice: string,
  currency: string,
  { amount, description, price, quantity, subscription, period, isProration = false }: LineParams,
  discounts: Discounted,
): Stripe.InvoiceLineItem => ({
  id: newId('il'),
  object: 'line_item',
  amount,
  currency,
  description,
  discount_amounts: discounts,
  discountable: !isProration,
  discounts: discounts.map(({ discount }) => discount),
  invoice,
  livemode: false,
  metadata: {},
  parent: subscription && {
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: null,
      proration: isProration,
      proration_details: null,
      subscription: subscription.id,
      subscription_item: subscription.item,
    },
    type: 'subscription_item_details',
  },
  period,
  pretax_credit_amounts: null,
  pricing: {
    price_details: { price: price.id, product: idOf(price.product) ?? '' },
    type: 'price_details',
    unit_amount_decimal: price.unit_amount_decimal,
  },
  quantity,
  quantity_decimal: Stripe.Decimal.from(quantity),
  subscription: subscription?.id ?? null,
  subtotal: amount,
  taxes: [],
})

type Json = { [key: string]: unknown }

/** A line as an API version has it: of 2024, of 2025, or the present one. */
const lineIn = (version: string, store: Store, line: Stripe.InvoiceLineItem): Json => {
  const { subtotal: _subtotal, quantity_decimal: _decimal, ...basil } = line
  if (version >= '2025-12') return { ...line }
  if (version >= '2025-03') return basil
  const { parent, pricing, taxes: _taxes, pretax_credit_amounts: _credits, ...common } = basil
  const price = store.prices.find(idOf(pricing?.price_details?.price))
  const item = parent?.subscription_item_details
  return {
    ...common,
    amount_excluding_tax: line.amount,
    plan: null,
    price: price ?? null,
    proration: item?.proration ?? false,
    proration_details: { credited_items: null },
    subscription_item: item?.subscription_item,
    tax_amounts: [],
    tax_rates: [],
    type: item ? 'subscription' : 'invoiceitem',
    unit_amount_excluding_tax: null,
  }
}

/** Lines in the API version that a request asks for, or an endpoint is sent. */
export const linesIn = (
  version: string | null | undefined,
  store: Store,
  lines: Stripe.InvoiceLineItem[],
): Json[] => lines.map((line) => lineIn(version ?? Stripe.API_VERSION, store, line))

/** An event in the API version of an endpoint. The fake knows the older shapes of lines alone. */
export const eventIn = (
  version: string | null,
  store: Store,
  event: Stripe.Event,
): Stripe.Event => {
  const invoice = event.data.object.object === 'invoice' ? event.data.object : null
  if (version === null || version === Stripe.API_VERSION || !invoice) return event
  const { lines } = invoice
  const shaped = { ...invoice, lines: { ...lines, data: linesIn(version, store, lines.data) } }
  return Object.assign({}, event, { api_version: version, data: { object: shaped } })
}
