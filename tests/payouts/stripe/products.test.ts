/** The products of a merchant's catalogue, which the page of reward rules offers. */
import Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { type StripeFake, startStripe } from '../../../dev/fakes/stripe.ts'
import { listProducts } from '../../../lib/payouts/stripe/products.service.ts'
import { createMerchant, useDatabase } from '../../support/merchant.ts'
import { SECRETS_KEY, stripeKey } from '../../support/secrets.ts'

const database = useDatabase()

let fake: StripeFake
/** What becomes of each call of the list. */
let onList: () => Promise<void>
let calls: string[]
beforeAll(async () => {
  fake = await startStripe({
    onCall: async (method, path) => {
      if (method !== 'GET') return
      calls.push(path)
      await onList()
    },
  })
  for (let i = 0; i < 205; i++) await clientOf(stripeKey()).products.create({ name: `No. ${i}` })
})
beforeEach(() => {
  calls = []
  onList = async () => {}
})
afterAll(() => fake.stop())

const NOW = Date.parse('2026-05-01T12:00:00Z')
const MINUTE = 60_000

const clientOf = (key: string) => {
  const { hostname: host, port } = new URL(fake.url)
  return new Stripe(key, { host, port, protocol: 'http', telemetry: false })
}

/** A merchant with a stored key. */
const open = async ({ key = stripeKey(), reads = true, url = fake.url } = {}) => {
  const merchant = await createMerchant()
  const { id } = merchant.workspace
  await merchant.seed.addStripeKey(id, key, 'acct_test', SECRETS_KEY)
  await database.query('update stripe_keys set reads_products = $2 where workspace_id = $1', [
    id,
    reads,
  ])
  const env = {
    ...inject('database'),
    STRIPE_URL: url,
    SECRETS_KEY,
    PUBLIC_URL: inject('baseUrl'),
  }
  return { list: (now = NOW) => listProducts(env, id, now) }
}

const namesIn = (products: { name: string }[]) => products.map(({ name }) => name)

test('at most 200 are listed, the newest first, by two calls, and kept for five minutes', async () => {
  const stripe = clientOf(stripeKey())
  const newest = await stripe.products.create({ name: 'Newest' })
  const { list } = await open()
  const products = await list()
  expect(calls).toEqual(['/v1/products', '/v1/products'])
  expect(products).toHaveLength(200)
  expect(products[0]).toEqual({ productId: newest.id, name: 'Newest' })
  expect(new Set(namesIn(products)).size).toBe(200)

  await stripe.products.create({ name: 'Later' })
  expect(await list(NOW + 5 * MINUTE - 1)).toEqual(products)
  expect(calls).toHaveLength(2)
  expect(namesIn(await list(NOW + 5 * MINUTE))[0]).toBe('Later')
})

test('none is asked for without a key, or with one that may not read them', async () => {
  const merchant = await createMerchant()
  const env = { ...inject('database'), STRIPE_URL: fake.url, SECRETS_KEY, PUBLIC_URL: '' }
  expect(await listProducts(env, merchant.workspace.id, NOW)).toEqual([])
  const { list } = await open({ reads: false })
  expect(await list()).toEqual([])
  expect(calls).toEqual([])
})

test('a key that no longer may read them lists none, and is not asked again for a minute', async () => {
  const { list } = await open({ key: `${stripeKey().replace('sk_', 'rk_')}_lacks_product_read` })
  expect(await list()).toEqual([])
  expect(await list(NOW + MINUTE - 1)).toEqual([])
  expect(calls).toHaveLength(1)
  await list(NOW + MINUTE)
  expect(calls).toHaveLength(2)
})

test('a slow Stripe is not waited for long, and what it answered before is listed', async () => {
  const { list } = await open()
  onList = async () => {
    if (calls.length > 1) await new Promise(() => {})
  }
  const begun = performance.now()
  expect(await list()).toHaveLength(100)
  expect(performance.now() - begun).toBeLessThan(7_000)
  expect(calls).toHaveLength(2)
})

test('without an answer of Stripe, none is listed', async () => {
  const { list } = await open({ url: 'http://127.0.0.1:9' })
  expect(await list()).toEqual([])
})
