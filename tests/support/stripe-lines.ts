/** Lines of invoices, as Stripe sends them in two of their shapes. */
import { type StripeObject, seconds } from './stripe.ts'

/** A page of a list. */
export const pageOf = (data: StripeObject[], fields: StripeObject = {}) => ({
  object: 'list',
  data,
  has_more: false,
  url: '/v1/lines',
  ...fields,
})

const MONTH = { start: seconds(new Date('2026-01-15')), end: seconds(new Date('2026-02-15')) }

/** A line since 2025-03-31, of the product `prod_<name>`: a month of a subscription. */
export const basilLine = (
  name: string,
  fields: StripeObject = {},
  { proration = false } = {},
): StripeObject => ({
  id: `il_${name}`,
  object: 'line_item',
  amount: 4_900,
  currency: 'usd',
  description: `The ${name}`,
  discount_amounts: [],
  metadata: {},
  parent: {
    type: 'subscription_item_details',
    invoice_item_details: null,
    subscription_item_details: { proration, subscription: 'sub_1', subscription_item: 'si_1' },
  },
  period: MONTH,
  pretax_credit_amounts: [],
  pricing: {
    type: 'price_details',
    price_details: { price: `price_${name}`, product: `prod_${name}` },
    unit_amount_decimal: '4900',
  },
  quantity: 1,
  taxes: [],
  ...fields,
})

/** The same before: with its price, and without a parent. */
export const formerLine = (
  name: string,
  fields: StripeObject = {},
  recurring: StripeObject = { interval: 'month', interval_count: 1 },
): StripeObject => ({
  id: `il_${name}`,
  object: 'line_item',
  amount: 4_900,
  amount_excluding_tax: 4_900,
  currency: 'usd',
  description: `The ${name}`,
  discount_amounts: [],
  metadata: {},
  period: { start: 0, end: 0 },
  price: { id: `price_${name}`, object: 'price', product: `prod_${name}`, recurring },
  proration: false,
  quantity: 1,
  tax_amounts: [],
  type: 'subscription',
  ...fields,
})
