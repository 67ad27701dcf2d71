/** The lines of the fake's invoices, checkouts and credit notes. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StripeFake, startStripe } from '../../../dev/fakes/stripe.ts'
import { listen } from '../../../dev/runtime/ports.ts'

let fake: StripeFake
beforeAll(async () => {
  fake = await startStripe()
})
afterAll(() => fake.stop())

/** The official client, with a key and in an API version. */
const clientOf = (key = 'sk_test_any', apiVersion?: string) => {
  const { hostname: host, port } = new URL(fake.url)
  const version = apiVersion ? { apiVersion: apiVersion as typeof Stripe.API_VERSION } : {}
  return new Stripe(key, { host, port, protocol: 'http', maxNetworkRetries: 0, ...version })
}

const item = (name: string, unit_amount: number, recurring = false) => ({
  quantity: 2,
  price_data: {
    currency: 'usd',
    unit_amount,
    product_data: { name },
    ...(recurring && { recurring: { interval: 'year' as const } }),
  },
})

const buy = async (params: Partial<Stripe.Checkout.SessionCreateParams>) => {
  const { id } = await clientOf().checkout.sessions.create({
    mode: 'payment',
    success_url: 'https://shop.example/',
    ...params,
  })
  return fake.pay(id, { email: 'ada@example.com', country: 'DE' })
}
const books = (count: number) => Array.from({ length: count }, (_, i) => item(`Book ${i}`, 100 + i))
const buyByInvoice = async (count: number) =>
  String((await buy({ line_items: books(count), invoice_creation: { enabled: true } })).invoice)

describe('a list of lines', () => {
  test('of an invoice has ten in the invoice, and all by pages', async () => {
    const id = await buyByInvoice(25)
    const stripe = clientOf()
    const { lines } = await stripe.invoices.retrieve(id)
    expect([lines.data.length, lines.has_more]).toEqual([10, true])
    const all = await stripe.invoices.listLineItems(id, { limit: 10 }).autoPagingToArray({
      limit: 100,
    })
    expect(all.map(({ amount }) => amount)).toEqual(
      Array.from({ length: 25 }, (_, i) => 2 * (100 + i)),
    )
  })

  test('of a checkout is in no event, and has the discount in proportion', async () => {
    const { coupon } = fake.addCoupon({ percentOff: 10 })
    const session = await buy({
      line_items: [item('Book', 1_005), item('Pen', 95)],
      discounts: [{ coupon: coupon.id }],
    })
    expect(session).not.toHaveProperty('line_items')
    expect(session.customer_details?.address).toMatchObject({ country: 'DE' })
    const { data } = await clientOf().checkout.sessions.listLineItems(session.id)
    expect(data.map((line) => [line.description, line.amount_discount, line.amount_total])).toEqual(
      [
        ['Book', 201, 1_809],
        ['Pen', 19, 171],
      ],
    )
  })

  test('is refused to a key that may not read it, after an unknown line, and of nothing', async () => {
    const id = await buyByInvoice(1)
    const lines = (key: string, of = id, params: Stripe.InvoiceListLineItemsParams = {}) =>
      clientOf(key).invoices.listLineItems(of, params)
    await expect(lines('rk_test_any_lacks_invoice_read')).rejects.toMatchObject({ statusCode: 403 })
    await expect(lines('sk_test_any', id, { starting_after: 'il_1' })).rejects.toMatchObject({
      statusCode: 400,
      param: 'starting_after',
    })
    await expect(lines('sk_test_any', id, { limit: 101 })).rejects.toMatchObject({
      statusCode: 400,
    })
    await expect(lines('sk_test_any', 'in_1')).rejects.toMatchObject({ statusCode: 404 })
    await expect(
      clientOf('rk_test_any_lacks_checkout_session_read').checkout.sessions.listLineItems('cs_1'),
    ).rejects.toMatchObject({ statusCode: 403 })
  })
})

test('a checkout carries a subscription and what is paid once; more than a hundred items are refused', async () => {
  const session = await buy({
    mode: 'subscription',
    line_items: [item('Plan', 1_000, true), item('Setup', 500)],
  })
  const invoice = await clientOf().invoices.retrieve(String(session.invoice))
  expect(invoice.lines.data).toMatchObject([
    { description: '2 × Plan (at $10.00 / year)', amount: 2_000, quantity: 2 },
    { description: 'Setup', amount: 1_000, parent: null },
  ])
  const renewal = fake.renew(String(session.subscription))
  expect(renewal.lines.data).toMatchObject([{ amount: 2_000 }])
  await expect(buy({ line_items: books(101) })).rejects.toMatchObject({ param: 'line_items' })
})

test('lines have the shape of the API version that is asked for', async () => {
  const session = await buy({ mode: 'subscription', line_items: [item('Plan', 1_000, true)] })
  const lineIn = async (version?: string) => {
    const list = clientOf('sk_test_any', version).invoices.listLineItems(String(session.invoice))
    return JSON.parse(JSON.stringify((await list).data[0]))
  }
  const present = await lineIn()
  expect(present).toMatchObject({ subtotal: 2_000, pricing: { type: 'price_details' } })
  const basil = await lineIn('2025-03-31.basil')
  expect(basil).toMatchObject({ pricing: present.pricing, taxes: [] })
  expect(basil).not.toHaveProperty('subtotal')
  const former = await lineIn('2024-06-20')
  expect(former).toMatchObject({
    price: {
      object: 'price',
      id: present.pricing.price_details.price,
      product: present.pricing.price_details.product,
      recurring: { interval: 'year', interval_count: 1 },
    },
    proration: false,
    tax_amounts: [],
    type: 'subscription',
  })
  for (const name of ['pricing', 'parent', 'taxes']) expect(former).not.toHaveProperty(name)
})

test('an endpoint is sent events in its own API version', async () => {
  const received: Stripe.Event[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(request, 'end')
    received.push(JSON.parse(Buffer.concat(chunks).toString()))
    response.writeHead(200).end()
  })
  const { url, stop } = await listen(server)
  fake.addEndpoint({ url, events: ['invoice.paid'], apiVersion: '2024-06-20' })
  await buy({ mode: 'subscription', line_items: [item('Plan', 1_000, true)] })
  await fake.settled()
  expect(received).toMatchObject([
    { api_version: '2024-06-20', data: { object: { lines: { data: [{ proration: false }] } } } },
  ])
  await stop()
})

test('a credit note names lines of its invoice, and credits no more than they cost', async () => {
  const id = await buyByInvoice(2)
  const [first, second] = (await clientOf().invoices.listLineItems(id)).data
  const credit = (line: string | undefined, amount: number, total = amount) =>
    fake.creditNote(id, total, [{ invoice_line_item: line ?? '', amount }])
  const note = credit(first?.id, 150)
  expect(note.lines.data).toMatchObject([
    { type: 'invoice_line_item', invoice_line_item: first?.id, amount: 150 },
  ])
  const { data } = await clientOf().creditNotes.listLineItems(note.id)
  expect(data).toHaveLength(1)
  expect(() => credit(second?.id, 300)).toThrow('greater than that of the line item')
  expect(() => credit('il_1', 10)).toThrow('No such invoice line item')
  expect(() => credit(second?.id, 10, 20)).toThrow('must equal the amount')
})
