/** Customers. */
import { Hono } from 'hono'
import type Stripe from 'stripe'
import { email, metadata, readParams, text } from './params.ts'
import { answer, readable } from './routes.ts'
import { newId, type Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

export const NO_ADDRESS: Stripe.Address = {
  city: null,
  country: null,
  line1: null,
  line2: null,
  postal_code: null,
  state: null,
}

type CustomerParams = {
  email?: string | undefined
  name?: string | undefined
  metadata?: Record<string, string> | undefined
}

/** Creates a customer. Addresses need not be unique. */
export const addCustomer = (
  store: Store,
  { email, name, metadata = {} }: CustomerParams,
): Stripe.Customer =>
  store.customers.add({
    id: newId('cus', 14),
    object: 'customer',
    address: null,
    balance: 0,
    created: store.seconds(),
    currency: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: email ?? null,
    invoice_prefix: newId('').slice(1, 9).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata,
    name: name ?? null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  })

export const customerRoutes = (store: Store, { emit }: Webhooks) =>
  new Hono()
    .post('/v1/customers', async (c) => {
      const params = await readParams(c, {
        email: email.optional(),
        name: text.optional(),
        metadata: metadata.optional(),
      })
      const customer = addCustomer(store, params)
      emit(['customer.created', customer])
      return answer(c, store, customer)
    })
    .route(
      '/',
      readable(store, '/v1/customers', store.customers, {
        email: (customer, wanted) => customer.email === wanted,
      }),
    )
