/** Checkout sessions. */
import { Hono } from 'hono'
import type Stripe from 'stripe'
import * as z from 'zod'
import { apportion } from '../../../lib/rules/rewards/sale-lines.ts'
import { needs } from './authentication.ts'
import { couponsOf, discountCents } from './coupons.ts'
import type { ApiEnv } from './env.ts'
import { invalidParam, invalidRequest } from './errors.ts'
import { address, email, flag, integer, metadata, readParams, text } from './params.ts'
import { addPrice, PriceData, productName } from './prices.ts'
import { answer, readable, readPage } from './routes.ts'
import { idOf, newId, type Store } from './store.ts'

/** Sessions expire after a day, as at Stripe. */
const LIFETIME_SECONDS = 24 * 60 * 60
const MAX_ITEMS = 100

const LineItem = z.strictObject({
  price: text.optional(),
  price_data: z.strictObject(PriceData).optional(),
  quantity: integer.pipe(z.int().min(1)).optional(),
})

const SessionParams = {
  mode: z.enum(['payment', 'subscription']),
  line_items: z.array(LineItem).min(1),
  success_url: address,
  cancel_url: address.optional(),
  client_reference_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,200}$/, 'Only letters, digits, dashes and underscores, 200 at most')
    .optional(),
  customer: text.optional(),
  customer_email: email.optional(),
  customer_creation: z.enum(['always', 'if_required']).optional(),
  allow_promotion_codes: flag.optional(),
  discounts: z
    .array(z.strictObject({ coupon: text.optional(), promotion_code: text.optional() }))
    .max(1)
    .optional(),
  metadata: metadata.optional(),
  invoice_creation: z.strictObject({ enabled: flag }).optional(),
}
type SessionParams = z.output<z.ZodObject<typeof SessionParams>>

/** Parameters that exclude each other. */
const findConflict = (params: SessionParams): string | null => {
  const { mode, customer, customer_email, discounts, allow_promotion_codes } = params
  if (customer && customer_email)
    return 'You may only specify one of these parameters: customer, customer_email.'
  if (discounts && allow_promotion_codes !== undefined) {
    return 'You may only specify one of these parameters: allow_promotion_codes, discounts.'
  }
  if (mode === 'subscription' && (params.customer_creation || params.invoice_creation)) {
    return 'You can only pass `customer_creation` and `invoice_creation` in `payment` mode.'
  }
  return null
}

const toLineItem = (
  store: Store,
  given: z.output<typeof LineItem>,
  at: number,
): Stripe.LineItem => {
  const { price: id, price_data, quantity = 1 } = given
  const param = `line_items[${at}][price]`
  if (!id && !price_data)
    throw invalidParam(param, `Missing required param: ${param}.`, 'parameter_missing')
  const price = id
    ? store.prices.named(id, param)
    : price_data && addPrice(store, price_data, false)
  if (!price) throw invalidRequest('A line item has no price.')
  const amount = (price.unit_amount ?? 0) * quantity
  return {
    id: newId('li'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: price.currency,
    description: productName(store, price),
    metadata: {},
    price,
    quantity,
  }
}

/** A session's line items. @throws when they don't fit its mode */
const readItems = (store: Store, { mode, line_items }: SessionParams): Stripe.LineItem[] => {
  if (line_items.length > MAX_ITEMS)
    throw invalidParam('line_items', `You may only specify up to ${MAX_ITEMS} line items.`)
  const items = line_items.map((item, at) => toLineItem(store, item, at))
  const recurring = items.filter(({ price }) => price?.recurring)
  if (mode === 'subscription' && recurring.length !== 1) {
    throw invalidRequest(
      recurring.length
        ? 'The Stripe fake supports one subscription per session.'
        : 'You must provide at least one recurring price in `subscription` mode when using prices.',
    )
  }
  if (mode === 'payment' && recurring.length) {
    throw invalidRequest(
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
    )
  }
  if (new Set(items.map(({ currency }) => currency)).size > 1) {
    throw invalidRequest('All line items must have the same currency.')
  }
  return items
}

/** Recomputes a session's amounts with its discounts. */
export const recount = (store: Store, session: Stripe.Checkout.Session): void => {
  const items = store.lineItems.get(session.id) ?? []
  const subtotal = items.reduce((sum, { amount_subtotal }) => sum + amount_subtotal, 0)
  const [coupon] = couponsOf(store, session)
  const discount = coupon ? discountCents(coupon, subtotal, session.currency ?? '') : 0
  const parts = apportion(
    BigInt(discount),
    items.map((item) => BigInt(item.amount_subtotal)),
  )
  for (const [i, item] of items.entries()) {
    item.amount_discount = Number(parts[i] ?? 0n)
    item.amount_total = item.amount_subtotal - item.amount_discount
  }
  Object.assign(session, {
    amount_subtotal: subtotal,
    amount_total: subtotal - discount,
    total_details: { amount_discount: discount, amount_shipping: 0, amount_tax: 0 },
  })
}

const readDiscounts = (
  store: Store,
  { discounts = [] }: SessionParams,
): Stripe.Checkout.Session.Discount[] =>
  discounts.map(({ coupon, promotion_code }) => ({
    coupon: coupon ? store.coupons.named(coupon, 'discounts[0][coupon]').id : null,
    promotion_code: promotion_code
      ? store.promotionCodes.named(promotion_code, 'discounts[0][promotion_code]').id
      : null,
  }))

/** Creates a checkout session. @param pageOf the URL of its page */
const addSession = (
  store: Store,
  params: SessionParams,
  pageOf: (id: string) => string,
): Stripe.Checkout.Session => {
  const conflict = findConflict(params)
  if (conflict) throw invalidRequest(conflict)
  const items = readItems(store, params)
  const { mode, customer, customer_email = null, metadata = {} } = params
  const id = newId('cs_test', 58)
  const created = store.seconds()
  const session: Stripe.Checkout.Session = {
    id,
    object: 'checkout.session',
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    allowed_payment_method_types: null,
    amount_subtotal: 0,
    amount_total: 0,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created,
    currency: items[0]?.currency ?? null,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer: customer ? store.customers.named(customer, 'customer').id : null,
    customer_account: null,
    customer_creation: customer
      ? null
      : mode === 'subscription'
        ? 'always'
        : (params.customer_creation ?? 'if_required'),
    customer_details: null,
    customer_email,
    discounts: readDiscounts(store, params),
    expires_at: created + LIFETIME_SECONDS,
    integration_identifier: null,
    invoice: null,
    invoice_creation:
      mode === 'payment'
        ? {
            enabled: params.invoice_creation?.enabled ?? false,
            invoice_data: {
              account_tax_ids: null,
              custom_fields: null,
              description: null,
              footer: null,
              issuer: null,
              metadata: {},
              rendering_options: null,
            },
          }
        : null,
    livemode: false,
    locale: null,
    managed_payments: null,
    metadata,
    mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: mode === 'subscription' ? 'always' : 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: null,
    subscription: null,
    success_url: params.success_url,
    total_details: null,
    ui_mode: 'hosted_page',
    url: pageOf(id),
    wallet_options: null,
  }
  store.lineItems.set(id, items)
  recount(store, session)
  return store.sessions.add(session)
}

export const sessionRoutes = (store: Store, pageOf: (id: string) => string) =>
  new Hono<ApiEnv>()
    .get('/v1/checkout/sessions', needs('checkout_session_read'))
    .get('/v1/checkout/sessions/*', needs('checkout_session_read'))
    .post('/v1/checkout/sessions', async (c) => {
      const params = await readParams(c, SessionParams)
      return answer(c, store, addSession(store, params, pageOf))
    })
    .get('/v1/checkout/sessions/:id/line_items', async (c) => {
      const { id } = store.sessions.get(c.req.param('id'))
      const url = `/v1/checkout/sessions/${id}/line_items`
      return answer(c, store, await readPage(c, store.lineItems.get(id) ?? [], url))
    })
    .route(
      '/',
      readable(store, '/v1/checkout/sessions', store.sessions, {
        customer: (session, id) => idOf(session.customer) === id,
        payment_intent: (session, id) => idOf(session.payment_intent) === id,
        status: (session, status) => session.status === status,
        subscription: (session, id) => idOf(session.subscription) === id,
      }),
    )
