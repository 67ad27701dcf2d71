/** Subscriptions: created by a checkout, renewed on request. */
import type Stripe from 'stripe'
import { fromStripe } from '../../../lib/stripe/amounts.ts'
import { discountCents } from './coupons.ts'
import { later } from './dates.ts'
import type { NewEvent } from './event-shapes.ts'
import type { LineParams } from './invoice-lines.ts'
import { addInvoice, addInvoicePayment } from './invoices.ts'
import { takePayment } from './payments.ts'
import { productName } from './prices.ts'
import { readable } from './routes.ts'
import { idOf, listOf, newId, type Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

type SubscriptionParams = {
  customer: string
  price: Stripe.Price
  recurring: Stripe.Price.Recurring
  quantity: number
}

/** The legacy plan object of a subscription item. */
const planOf = (
  price: Stripe.Price,
  { interval, interval_count }: Stripe.Price.Recurring,
): Stripe.Plan => ({
  id: price.id,
  object: 'plan',
  active: price.active,
  amount: price.unit_amount,
  amount_decimal: price.unit_amount_decimal,
  billing_scheme: 'per_unit',
  created: price.created,
  currency: price.currency,
  interval,
  interval_count,
  livemode: false,
  metadata: {},
  meter: null,
  nickname: null,
  product: price.product,
  tiers_mode: null,
  transform_usage: null,
  trial_period_days: null,
  usage_type: 'licensed',
})

/** Creates a subscription, before its first invoice. */
export const addSubscription = (store: Store, params: SubscriptionParams): Stripe.Subscription => {
  const { price, recurring, quantity } = params
  const id = newId('sub')
  const now = store.seconds()
  const item: Stripe.SubscriptionItem = {
    id: newId('si', 14),
    object: 'subscription_item',
    billing_thresholds: null,
    created: now,
    current_period_end: later(now, recurring.interval, recurring.interval_count),
    current_period_start: now,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planOf(price, recurring),
    price,
    quantity,
    subscription: id,
    tax_rates: [],
  }
  return store.subscriptions.add({
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: now,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: null, type: 'classic' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: null,
    collection_method: 'charge_automatically',
    created: now,
    currency: price.currency,
    customer: params.customer,
    customer_account: null,
    days_until_due: null,
    default_payment_method: newId('pm'),
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: listOf([item], `/v1/subscription_items?subscription=${id}`),
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata: {},
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: now,
    status: 'active',
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: null,
    trial_start: null,
  })
}

/** The subscription's only item. */
const itemOf = ({ items }: Stripe.Subscription): Stripe.SubscriptionItem => {
  const [item] = items.data
  if (!item) throw new Error('The subscription has no item.')
  return item
}

/** The amounts of a subscription's current discounts. Removes those that have ended. */
const useDiscounts = (store: Store, subscription: Stripe.Subscription, amount: number) => {
  const now = store.seconds()
  const current = subscription.discounts
    .flatMap((id) => store.discounts.find(idOf(id)) ?? [])
    .filter(({ end }) => end === null || end > now)
  const used = current.map((discount) => {
    const coupon = store.coupons.get(idOf(discount.source.coupon) ?? '')
    return { discount, coupon, amount: discountCents(coupon, amount, subscription.currency) }
  })
  subscription.discounts = used
    .filter(({ coupon }) => coupon.duration !== 'once')
    .map(({ discount }) => discount.id)
  return used.map(({ discount, amount }) => ({ discount: discount.id, amount }))
}

/** A price as the lines of Stripe's invoices have it: "$49.00 / month". */
const each = ({ currency, recurring, unit_amount }: Stripe.Price): string => {
  const style = { style: 'currency', currency } as const
  const format = new Intl.NumberFormat('en-US', style)
  const amount = fromStripe(unit_amount ?? 0, currency.toUpperCase())
  const { maximumFractionDigits: decimals = 0 } = format.resolvedOptions()
  return `${format.format(amount / 10 ** decimals)} / ${recurring?.interval}`
}

/**
 * Invoices a subscription's current period, and takes the payment.
 * @param others what the first invoice bills once
 */
export const bill = (
  store: Store,
  subscription: Stripe.Subscription,
  reason: 'subscription_create' | 'subscription_cycle',
  others: LineParams[] = [],
) => {
  const item = itemOf(subscription)
  const { price, quantity = 1 } = item
  const customer = store.customers.get(idOf(subscription.customer) ?? '')
  const period = { start: item.current_period_start, end: item.current_period_end }
  const line: LineParams = {
    amount: (price.unit_amount ?? 0) * quantity,
    description: `${quantity} × ${productName(store, price)} (at ${each(price)})`,
    price,
    quantity,
    subscription: { id: subscription.id, item: item.id },
    period,
  }
  const lines = [line, ...others]
  const subtotal = lines.reduce((sum, { amount }) => sum + amount, 0)
  const invoice = addInvoice(store, {
    customer,
    currency: subscription.currency,
    reason,
    lines,
    discounts: useDiscounts(store, subscription, subtotal),
    subscription: subscription.id,
    period,
  })
  subscription.latest_invoice = invoice.id
  return { invoice, events: payInvoice(store, invoice, customer.email).events }
}

/** Pays an invoice unless its total is 0. @returns the payment and the events */
export const payInvoice = (
  store: Store,
  invoice: Stripe.Invoice,
  email: string | null,
): { intent: Stripe.PaymentIntent | null; events: NewEvent[] } => {
  const { total: amount, currency } = invoice
  const made: NewEvent[] = [
    ['invoice.created', invoice],
    ['invoice.finalized', invoice],
  ]
  const paid: NewEvent[] = [
    ['invoice.paid', invoice],
    ['invoice.payment_succeeded', invoice],
  ]
  if (amount === 0) return { intent: null, events: [...made, ...paid] }

  const { intent, charge } = takePayment(store, {
    amount,
    currency,
    customer: idOf(invoice.customer),
    email,
    description: invoice.parent ? 'Subscription' : 'Invoice',
    order: invoice.id,
  })
  return {
    intent,
    events: [
      ...made,
      ['charge.succeeded', charge],
      ['payment_intent.succeeded', intent],
      ...paid,
      ['invoice_payment.paid', addInvoicePayment(store, invoice, intent)],
    ],
  }
}

/** Starts a subscription's next period now. */
export const renew = (store: Store, { emit }: Webhooks, id: string): Stripe.Invoice => {
  const subscription = store.subscriptions.get(id)
  const item = itemOf(subscription)
  const { interval, interval_count } = item.plan
  item.current_period_start = item.current_period_end
  item.current_period_end = later(item.current_period_end, interval, interval_count)
  const { invoice, events } = bill(store, subscription, 'subscription_cycle')
  emit(['customer.subscription.updated', subscription], ...events)
  return invoice
}

export const subscriptionRoutes = (store: Store) =>
  readable(store, '/v1/subscriptions', store.subscriptions, {
    customer: (subscription, id) => idOf(subscription.customer) === id,
    status: (subscription, status) => status === 'all' || subscription.status === status,
  })
