/** A buyer's actions on the checkout page: apply a promotion code, and pay. */
import type Stripe from 'stripe'
import { findPromotionCode, redeem } from './coupons.ts'
import { addCustomer, NO_ADDRESS } from './customers.ts'
import { invalidParam, invalidRequest } from './errors.ts'
import type { NewEvent } from './event-shapes.ts'
import type { LineParams } from './invoice-lines.ts'
import { addInvoice } from './invoices.ts'
import { takePayment } from './payments.ts'
import { recount } from './sessions.ts'
import { idOf, type Store } from './store.ts'
import { addSubscription, bill, payInvoice } from './subscriptions.ts'
import type { Webhooks } from './webhooks.ts'

type Session = Stripe.Checkout.Session
/** A purchase: the fields that it sets on its session, and its events. */
type Bought = { result: Partial<Session>; events: NewEvent[] }

/** A session that can be paid. @throws when it is closed */
export const openSession = (store: Store, id: string): Session => {
  const session = store.sessions.get(id)
  if (session.status === 'open' && session.expires_at > store.seconds()) return session
  throw invalidRequest('This Checkout Session is no longer open.')
}

/**
 * Applies a promotion code; null removes it.
 * @throws when the session accepts none, or the code is unknown
 */
export const applyCode = (store: Store, id: string, code: string | null): Session => {
  const session = openSession(store, id)
  if (!session.allow_promotion_codes)
    throw invalidRequest('This Checkout Session does not allow promotion codes.')
  const found = code === null ? null : findPromotionCode(store, code)
  if (found === undefined) throw invalidParam('code', 'This code is invalid.')
  session.discounts = found
    ? [{ coupon: idOf(found.promotion.coupon), promotion_code: found.id }]
    : []
  recount(store, session)
  return session
}

/** What a session sells once, as lines of an invoice. */
const soldOnce = (store: Store, { id }: Session): LineParams[] => {
  const now = store.seconds()
  return (store.lineItems.get(id) ?? []).flatMap(({ price, quantity, amount_subtotal, ...item }) =>
    price && !price.recurring
      ? {
          amount: amount_subtotal,
          description: item.description ?? 'Purchase',
          price,
          quantity: quantity ?? 1,
          subscription: null,
          period: { start: now, end: now },
        }
      : [],
  )
}

/** Redeems a session's discounts for what it sold. */
const redeemAll = (
  store: Store,
  session: Session,
  customer: string | null,
  subscription: string | null,
) =>
  (session.discounts ?? []).map((discount) => ({
    discount: redeem(store, discount, { session: session.id, customer, subscription }).id,
    amount: session.total_details?.amount_discount ?? 0,
  }))

const subscribe = (store: Store, session: Session, customer: Stripe.Customer): Bought => {
  const items = store.lineItems.get(session.id) ?? []
  const { price = null, quantity } = items.find((item) => item.price?.recurring) ?? {}
  if (!price?.recurring) throw new Error('The price of a subscription must be recurring.')
  const subscription = addSubscription(store, {
    customer: customer.id,
    price,
    recurring: price.recurring,
    quantity: quantity ?? 1,
  })
  subscription.discounts = redeemAll(store, session, customer.id, subscription.id).map(
    ({ discount }) => discount,
  )
  const discounts = subscription.discounts.map(
    (id): NewEvent => ['customer.discount.created', store.discounts.get(idOf(id) ?? '')],
  )
  const { invoice, events } = bill(
    store,
    subscription,
    'subscription_create',
    soldOnce(store, session),
  )
  return {
    result: { subscription: subscription.id, invoice: invoice.id },
    events: [...discounts, ['customer.subscription.created', subscription], ...events],
  }
}

const buyWithInvoice = (store: Store, session: Session, customer: Stripe.Customer): Bought => {
  const now = store.seconds()
  const invoice = addInvoice(store, {
    customer,
    currency: session.currency ?? '',
    reason: 'manual',
    lines: soldOnce(store, session),
    discounts: redeemAll(store, session, customer.id, null),
    subscription: null,
    period: { start: now, end: now },
  })
  const { intent, events } = payInvoice(store, invoice, customer.email)
  return { result: { invoice: invoice.id, payment_intent: intent?.id ?? null }, events }
}

const buy = (store: Store, session: Session, customer: string | null, email: string): Bought => {
  redeemAll(store, session, customer, null)
  const amount = session.amount_total ?? 0
  if (amount === 0) return { result: {}, events: [] }
  const { intent, charge } = takePayment(store, {
    amount,
    currency: session.currency ?? '',
    customer,
    email,
    description: 'Purchase',
    order: session.id,
  })
  return {
    result: { payment_intent: intent.id },
    events: [
      ['charge.succeeded', charge],
      ['payment_intent.succeeded', intent],
    ],
  }
}

/** A session's customer: the one that it was created with, or a new one; null for a guest. */
const customerOf = (store: Store, session: Session, email: string): Stripe.Customer | null => {
  const known = store.customers.find(idOf(session.customer))
  if (known) return known
  const guest = session.mode === 'payment' && session.customer_creation !== 'always'
  return guest && !session.invoice_creation?.enabled && session.amount_total
    ? null
    : addCustomer(store, { email })
}

const purchase = (
  store: Store,
  session: Session,
  customer: Stripe.Customer | null,
  email: string,
): Bought => {
  if (!customer) return buy(store, session, null, email)
  if (session.mode === 'subscription') return subscribe(store, session, customer)
  return session.invoice_creation?.enabled
    ? buyWithInvoice(store, session, customer)
    : buy(store, session, customer.id, email)
}

/** The buyer's input. The country is ISO 3166. */
export type Buyer = { email: string; promotionCode?: string; country?: string }

/** Pays a session, and emits its events. @throws when it can't be paid */
export const pay = (
  store: Store,
  { emit }: Webhooks,
  id: string,
  { email, promotionCode, country }: Buyer,
): Session => {
  const session = promotionCode ? applyCode(store, id, promotionCode) : openSession(store, id)
  const customer = customerOf(store, session, email)
  const isNew = customer !== null && session.customer === null
  const { result, events } = purchase(store, session, customer, email)
  Object.assign(session, {
    ...result,
    customer: customer?.id ?? null,
    customer_details: {
      address: country ? { ...NO_ADDRESS, country } : null,
      business_name: null,
      email,
      individual_name: null,
      name: customer?.name ?? null,
      phone: null,
      tax_exempt: 'none',
      tax_ids: [],
    },
    payment_status: session.amount_total ? 'paid' : 'no_payment_required',
    status: 'complete',
    url: null,
  })
  const arrival: NewEvent[] = isNew ? [['customer.created', customer]] : []
  emit(...arrival, ...events, ['checkout.session.completed', session])
  return session
}
