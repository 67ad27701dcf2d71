/** The lines of what was paid at Stripe, as facts: in the shapes of three API versions. */
import { describe, expect, test } from 'vitest'
import { readEvent } from '../../../lib/purchases/stripe/objects/events.schemas.ts'
import type { Fact } from '../../../lib/rules/purchases/facts.ts'
import { soldLines } from '../../../lib/rules/purchases/sold-lines.ts'
import { MAX_LINES, type StoredLine } from '../../../lib/rules/rewards/sale-lines.ts'
import {
  checkoutSession,
  creditNote,
  invoice,
  oldInvoice,
  paymentIntent,
  type StripeObject,
  seconds,
  stripeEvent,
} from '../../support/stripe.ts'
import { basilLine, formerLine, pageOf } from '../../support/stripe-lines.ts'

const factOf = <K extends Fact['kind']>(kind: K, type: string, object: StripeObject) => {
  const event = readEvent(stripeEvent(type, object), { backendCreatesCheckouts: false })
  expect(event?.refusal).toBeUndefined()
  const fact = event?.facts.find((one) => one.kind === kind)
  if (!fact) throw new Error(`The event has no fact of the kind ${kind}.`)
  return fact as Extract<Fact, { kind: K }>
}
const linesOf = (object: StripeObject) => factOf('invoice', 'invoice.paid', object).lines

/** An invoice of lines whose amounts without tax and discounts add up to its total. */
const invoiceOf = (lines: StripeObject[], total: number, fields: StripeObject = {}) =>
  invoice({
    total,
    amount_paid: total,
    total_excluding_tax: total,
    lines: pageOf(lines),
    ...fields,
  })

describe('a line of an invoice has its product, price, quantity and interval', () => {
  const expected = {
    productId: 'prod_pro',
    priceId: 'price_pro',
    name: 'Pro',
    quantity: 3,
    amountCents: 14_700,
    billingInterval: 'month',
    id: 'il_1',
  }
  const fields = {
    id: 'il_1',
    amount: 14_700,
    description: '3 × Pro (at $49.00 / month)',
    quantity: 3,
  }

  test('in 2024, by the price in it', () => {
    const line = formerLine('pro', { ...fields, type: 'subscription' })
    const paid = { total: 14_700, amount_paid: 14_700, total_excluding_tax: 14_700 }
    expect(linesOf(oldInvoice({ ...paid, lines: pageOf([line]) }))).toEqual([expected])
  })

  test('since 2025-03-31, by the ids in it, and the period that it bills', () => {
    expect(linesOf(invoiceOf([basilLine('pro', fields)], 14_700))).toEqual([expected])
  })

  test('since 2025-12-15, also by an expanded price', () => {
    const price = {
      id: 'price_pro',
      object: 'price',
      product: 'prod_pro',
      recurring: { interval: 'month', interval_count: 3 },
    }
    const line = basilLine('pro', {
      ...fields,
      subtotal: 14_700,
      pricing: { type: 'price_details', price_details: { price, product: 'prod_pro' } },
    })
    expect(linesOf(invoiceOf([line], 14_700))).toEqual([
      { ...expected, billingInterval: 'quarter' },
    ])
  })
})

describe('a billing interval', () => {
  test.each([
    ['day', 1, 'day'],
    ['week', 1, 'week'],
    ['month', 1, 'month'],
    ['month', 3, 'quarter'],
    ['month', 6, 'half_year'],
    ['month', 12, 'year'],
    ['year', 1, 'year'],
    ['week', 5, undefined],
    ['month', 2, undefined],
    ['year', 2, undefined],
  ])('of a price: every %s × %i is %s', (interval, count, expected) => {
    const line = formerLine('x', { amount: 100 }, { interval, interval_count: count })
    expect(linesOf(invoiceOf([line], 100))?.[0]?.billingInterval).toBe(expected)
  })

  test.each([
    ['2026-01-15', '2026-01-16', 'day'],
    ['2026-01-15', '2026-01-22', 'week'],
    ['2026-01-15', '2026-02-15', 'month'],
    ['2026-01-31', '2026-02-28', 'month'],
    ['2026-02-28', '2026-03-31', 'month'],
    ['2026-02-01', '2026-03-01', 'month'],
    ['2025-11-30', '2026-02-28', 'quarter'],
    ['2026-01-15', '2026-07-15', 'half_year'],
    ['2024-02-29', '2025-02-28', 'year'],
    ['2026-01-15', '2027-01-15', 'year'],
    ['2026-03-01', '2026-03-29', undefined],
    ['2026-01-15', '2026-03-15', undefined],
    ['2026-01-15', '2026-02-20', undefined],
  ])('of a period: from %s until %s is %s', (start, end, expected) => {
    const period = { start: seconds(new Date(start)), end: seconds(new Date(end)) }
    const line = basilLine('x', { amount: 100, period })
    expect(linesOf(invoiceOf([line], 100))?.[0]?.billingInterval).toBe(expected)
  })

  test('is unknown of a proration, and of what is not of a subscription', () => {
    const proration = basilLine('x', { amount: 100 }, { proration: true })
    const once = basilLine('y', { amount: 100, parent: null })
    expect(linesOf(invoiceOf([proration, once], 200))).toEqual([
      expect.not.objectContaining({ billingInterval: expect.anything() }),
      expect.not.objectContaining({ billingInterval: expect.anything() }),
    ])
  })
})

describe('a line costs what Stripe says, without discounts and tax', () => {
  test.each<{ case: string; line: StripeObject; net: number }>([
    {
      case: 'tax on top',
      line: { taxes: [{ amount: 190, tax_behavior: 'exclusive' }] },
      net: 1_000,
    },
    {
      case: 'tax included',
      line: { taxes: [{ amount: 160, tax_behavior: 'inclusive' }] },
      net: 840,
    },
    {
      case: 'two discounts',
      line: { discount_amounts: [{ amount: 100 }, { amount: 50 }] },
      net: 850,
    },
    {
      // 1,000 less 100 are 900, of which 19/119 are tax: 143.7.
      case: 'a discount, and tax included in what is left',
      line: {
        discount_amounts: [{ amount: 100 }],
        taxes: [{ amount: 144, tax_behavior: 'inclusive' }],
      },
      net: 756,
    },
    {
      case: 'billing credits, which are listed with the discounts',
      line: {
        discount_amounts: [{ amount: 100 }],
        pretax_credit_amounts: [
          { amount: 100, type: 'discount' },
          { amount: 300, type: 'credit_balance_transaction' },
        ],
      },
      net: 600,
    },
  ])('$case', ({ line, net }) => {
    expect(linesOf(invoiceOf([basilLine('x', { amount: 1_000, ...line })], net))).toMatchObject([
      { amountCents: net },
    ])
  })

  test.each<{ case: string; line: StripeObject; net: number }>([
    { case: 'tax on top', line: { tax_amounts: [{ amount: 190, inclusive: false }] }, net: 1_000 },
    { case: 'tax included', line: { tax_amounts: [{ amount: 160, inclusive: true }] }, net: 840 },
    {
      case: 'only the amount without tax',
      line: { tax_amounts: undefined, amount_excluding_tax: 840 },
      net: 840,
    },
  ])('$case, in 2024', ({ line, net }) => {
    const object = oldInvoice({
      total: net,
      amount_paid: net,
      total_excluding_tax: net,
      lines: pageOf([formerLine('x', { amount: 1_000, ...line })]),
    })
    expect(linesOf(object)).toMatchObject([{ amountCents: net }])
  })

  test.each([
    ['jpy', 4_900, 4_900],
    ['isk', 490_000, 4_900],
    ['mga', 4_900, 490_000],
    ['kwd', 4_900, 4_900],
  ])('in the minor units of ISO 4217: %s %i is %i', (currency, amount, cents) => {
    const lines = linesOf(invoiceOf([basilLine('x', { amount })], amount, { currency }))
    expect(lines).toMatchObject([{ amountCents: cents }])
  })
})

test('credits reduce all other lines in proportion: none is negative', () => {
  // 50.00 of unused time are spread over 100.00 and 200.00: 16.67 and 33.33.
  const lines = [
    basilLine('basic', { amount: -5_000 }, { proration: true }),
    basilLine('pro', { amount: 10_000 }, { proration: true }),
    basilLine('seats', { amount: 20_000 }),
  ]
  expect(linesOf(invoiceOf(lines, 25_000))).toMatchObject([
    { productId: 'prod_pro', amountCents: 8_333, isProration: true },
    { productId: 'prod_seats', amountCents: 16_667 },
  ])
})

describe('lines that an event leaves out', () => {
  const ten = Array.from({ length: 10 }, (_, i) => basilLine(`p${i}`, { amount: 100 }))

  test('are one line without a product, whose amount is the rest', () => {
    const fields = { lines: pageOf(ten, { has_more: true, total_count: 25 }) }
    const lines = linesOf(invoiceOf(ten, 4_900, fields))
    expect(lines).toHaveLength(11)
    expect(lines?.at(-1)).toEqual({
      productId: null,
      name: '15 further lines',
      quantity: 1,
      amountCents: 3_900,
    })
  })

  test('of an unknown number, too, and reduce the others if they are credits', () => {
    const more = { lines: pageOf(ten, { has_more: true }) }
    expect(linesOf(invoiceOf(ten, 1_100, more))?.at(-1)).toMatchObject({
      name: 'Further lines',
      amountCents: 100,
    })
    const reduced = linesOf(invoiceOf(ten, 500, more))
    expect(reduced?.map(({ amountCents }) => amountCents)).toEqual(Array(10).fill(50))
  })

  test('do not include shipping and tax', () => {
    const object = invoiceOf(ten, 4_900, {
      total: 6_500,
      amount_paid: 6_500,
      total_excluding_tax: 5_500,
      shipping_cost: { amount_total: 720, amount_tax: 120 },
      lines: pageOf(ten, { has_more: true, total_count: 11 }),
    })
    expect(linesOf(object)?.at(-1)).toMatchObject({ name: '1 further line', amountCents: 3_900 })
  })
})

describe('there are no lines', () => {
  test.each<{ case: string; object: StripeObject }>([
    { case: 'if none is listed', object: invoice() },
    { case: 'if none names a product', object: invoiceOf([{ id: 'il_1', amount: 100 }], 100) },
    { case: 'if an amount is missing', object: invoiceOf([basilLine('x', { amount: null })], 100) },
    {
      case: 'if one is no object',
      object: invoiceOf([basilLine('x')], 100, { lines: { data: [7] } }),
    },
    { case: 'if nothing was to be paid', object: invoiceOf([basilLine('x', { amount: 0 })], 0) },
  ])('$case', ({ object }) => {
    expect(linesOf(object)).toBeUndefined()
  })
})

describe('what cannot be stored of a line, or is not needed, is left out', () => {
  test('of its name and its ids', () => {
    const line = basilLine('x', { amount: 100, id: 'il_\0', description: `A\0${'b'.repeat(300)}` })
    expect(linesOf(invoiceOf([line], 100))).toEqual([
      {
        productId: 'prod_x',
        priceId: 'price_x',
        name: `A${'b'.repeat(99)}`,
        quantity: 1,
        amountCents: 100,
        billingInterval: 'month',
      },
    ])
  })

  test('of its metadata: ids that are read elsewhere, and what is too long', () => {
    const metadata = {
      customerExternalId: 'user_1',
      externalId: 'order_1',
      tributary_click: 'clk_1',
      plan: 'gold',
      essay: 'x'.repeat(600),
      bad: '\0',
      seats: '3',
    }
    const lines = linesOf(invoiceOf([basilLine('x', { amount: 100, metadata })], 100))
    expect(lines?.[0]?.metadata).toEqual({ plan: 'gold', seats: '3' })
  })
})

describe('more lines than are stored', () => {
  const line = (productId: string | null, amountCents: number, more = {}): StoredLine => ({
    productId,
    quantity: 1,
    amountCents,
    ...more,
  })

  test('of one price are combined, with the sum of their amounts and quantities', () => {
    const lines = Array.from({ length: 250 }, (_, i) => line(`p${i % 50}`, i, { id: `il_${i}` }))
    const sold = soldLines(lines)
    expect(sold).toHaveLength(50)
    expect(sold[0]).toEqual({ productId: 'p0', quantity: 5, amountCents: 0 + 50 + 100 + 150 + 200 })
  })

  test('are combined only with lines of their own price, interval and proration', () => {
    const kinds = [{}, { priceId: 'a' }, { billingInterval: 'year' }, { isProration: true }]
    const lines = Array.from({ length: 120 }, (_, i) => line('p', 1, kinds[i % 4]))
    expect(soldLines(lines).map(({ quantity }) => quantity)).toEqual([30, 30, 30, 30])
  })

  test('of more prices than that end with the smallest ones as one line', () => {
    const lines = Array.from({ length: 150 }, (_, i) => line(`p${i}`, i + 1))
    const sold = soldLines(lines)
    expect(sold).toHaveLength(MAX_LINES)
    // The 51 smallest cost 1 + 2 + … + 51.
    expect(sold.at(-1)).toEqual({
      productId: null,
      name: '51 further lines',
      quantity: 1,
      amountCents: (51 * 52) / 2,
    })
    expect(sold[0]).toMatchObject({ productId: 'p51', amountCents: 52 })
  })

  test('as many as are stored stay as they are', () => {
    const lines = Array.from({ length: MAX_LINES }, () => line('p', 1, { id: 'il' }))
    expect(soldLines(lines)).toEqual(lines)
  })
})

describe('a checkout', () => {
  const item = (fields: StripeObject = {}) => ({
    id: 'li_1',
    object: 'item',
    amount_discount: 300,
    amount_subtotal: 3_000,
    amount_tax: 513,
    amount_total: 3_213,
    description: 'A book',
    price: { id: 'price_book', object: 'price', product: 'prod_book', recurring: null },
    quantity: 2,
    ...fields,
  })
  const session = (fields: StripeObject) =>
    factOf('checkout', 'checkout.session.completed', checkoutSession(fields))

  test('without an invoice has its own lines, if they are listed', () => {
    const { lines } = session({ amount_total: 3_213, line_items: pageOf([item()]) })
    expect(lines).toEqual([
      {
        productId: 'prod_book',
        priceId: 'price_book',
        name: 'A book',
        quantity: 2,
        amountCents: 2_700,
        id: 'li_1',
      },
    ])
    expect(session({}).lines).toBeUndefined()
  })

  test('with an invoice has those of the invoice', () => {
    const paid = { invoice: 'in_1', line_items: pageOf([item()]) }
    expect(session(paid).lines).toBeUndefined()
  })

  test('names the buyer’s country', () => {
    const details = (address: unknown) => session({ customer_details: { address } }).country
    expect(details({ country: 'DE' })).toBe('DE')
    expect(details({ country: 'de' })).toBe('DE')
    expect(details({ country: 'Germany' })).toBeUndefined()
    expect(details(null)).toBeUndefined()
  })
})

test('an invoice and a payment name the buyer’s country, too', () => {
  const address = { country: 'FR', city: null }
  expect(factOf('invoice', 'invoice.paid', invoice({ customer_address: address })).country).toBe(
    'FR',
  )
  const shipped = paymentIntent({ shipping: { address, name: 'Ada' } })
  expect(factOf('intent', 'payment_intent.succeeded', shipped).country).toBe('FR')
})

describe('a credit note names the lines that it credits', () => {
  const noteOf = (lines: StripeObject[], fields: StripeObject = {}) =>
    factOf('credit_note', 'credit_note.created', creditNote({ lines: pageOf(lines), ...fields }))
  const line = (id: string | null, amount: number, fields: StripeObject = {}) => ({
    id: 'cnli_1',
    type: id ? 'invoice_line_item' : 'custom_line_item',
    ...(id && { invoice_line_item: id }),
    amount,
    discount_amount: 0,
    taxes: [],
    ...fields,
  })

  test('without discounts and tax', () => {
    const note = noteOf(
      [
        line('il_1', 2_000, { taxes: [{ amount: 380, tax_behavior: 'exclusive' }] }),
        line('il_2', 1_190, {
          discount_amount: 0,
          taxes: [{ amount: 190, tax_behavior: 'inclusive' }],
        }),
        line('il_3', 1_000, { discount_amount: 100 }),
      ],
      { amount: 4_470, post_payment_amount: 4_470 },
    )
    expect(note.lines).toEqual([
      { line: 'il_1', netCents: 2_000 },
      { line: 'il_2', netCents: 1_000 },
      { line: 'il_3', netCents: 900 },
    ])
  })

  test('in 2024, too', () => {
    const former = line('il_1', 1_190, {
      taxes: undefined,
      tax_amounts: [{ amount: 190, inclusive: true }],
    })
    expect(noteOf([former], { amount: 1_190 }).lines).toEqual([{ line: 'il_1', netCents: 1_000 }])
  })

  test('as far as the invoice was paid', () => {
    const note = noteOf([line('il_1', 1_000)], { amount: 1_000, post_payment_amount: 250 })
    expect(note.lines).toEqual([{ line: 'il_1', netCents: 250 }])
  })

  test('and an amount of its own is of no line', () => {
    expect(noteOf([line(null, 1_000)], { amount: 1_000 }).lines).toBeUndefined()
  })
})
