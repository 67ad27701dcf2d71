/** Products and their prices. */
import { Hono } from 'hono'
import Stripe from 'stripe'
import * as z from 'zod'
import { needs } from './authentication.ts'
import type { ApiEnv } from './env.ts'
import { currency, integer, metadata, readParams, text } from './params.ts'
import { answer, readable } from './routes.ts'
import { idOf, newId, type Store } from './store.ts'

const MAX_UNIT_AMOUNT = 99_999_999

const Recurring = z.strictObject({
  interval: z.enum(['day', 'week', 'month', 'year']),
  interval_count: integer.optional(),
})
const ProductData = z.strictObject({
  name: text,
  description: text.optional(),
  metadata: metadata.optional(),
})

/** A price's parameters, also for inline `price_data`. */
export const PriceData = {
  currency,
  unit_amount: integer.pipe(z.int().min(0).max(MAX_UNIT_AMOUNT)),
  product: text.optional(),
  product_data: ProductData.optional(),
  recurring: Recurring.optional(),
}
type PriceParams = z.output<z.ZodObject<typeof PriceData>>

const addProduct = (
  store: Store,
  { name, description, metadata = {} }: z.output<typeof ProductData>,
) => {
  const created = store.seconds()
  return store.products.add({
    id: newId('prod', 14),
    object: 'product',
    active: true,
    created,
    default_price: null,
    description: description ?? null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata,
    name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: null,
    updated: created,
    url: null,
  })
}

/** Creates a price and, if needed, its product. @param active false for inline prices */
export const addPrice = (store: Store, params: PriceParams, active: boolean): Stripe.Price => {
  const { product, product_data, recurring, unit_amount } = params
  return store.prices.add({
    id: newId('price'),
    object: 'price',
    active,
    billing_scheme: 'per_unit',
    created: store.seconds(),
    currency: params.currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: product
      ? store.products.named(product, 'product').id
      : addProduct(store, product_data ?? { name: 'Something' }).id,
    recurring: recurring
      ? {
          interval: recurring.interval,
          interval_count: recurring.interval_count ?? 1,
          meter: null,
          trial_period_days: null,
          usage_type: 'licensed',
        }
      : null,
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: recurring ? 'recurring' : 'one_time',
    unit_amount,
    unit_amount_decimal: Stripe.Decimal.from(unit_amount),
  })
}

/** The name of a price's product. */
export const productName = (store: Store, { product }: Stripe.Price): string =>
  store.products.find(idOf(product))?.name ?? ''

export const priceRoutes = (store: Store) =>
  new Hono<ApiEnv>()
    .get('/v1/products', needs('product_read'))
    .get('/v1/products/*', needs('product_read'))
    .post('/v1/products', async (c) => {
      const params = await readParams(c, ProductData.shape)
      return answer(c, store, addProduct(store, params))
    })
    .post('/v1/prices', async (c) => {
      const params = await readParams(c, PriceData)
      return answer(c, store, addPrice(store, params, true))
    })
    .route(
      '/',
      readable(store, '/v1/products', store.products, {
        active: (product, value) => String(product.active) === value,
      }),
    )
    .route(
      '/',
      readable(store, '/v1/prices', store.prices, {
        product: (price, id) => idOf(price.product) === id,
      }),
    )
