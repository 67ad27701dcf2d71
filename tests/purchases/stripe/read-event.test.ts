import { describe, expect, test } from 'vitest'
import { readEvent } from '../../../lib/purchases/stripe/objects/events.schemas.ts'
import type { Fact } from '../../../lib/rules/purchases/facts.ts'
import {
  charge,
  checkoutSession,
  creditNote,
  dispute,
  invoice,
  invoicePayment,
  oldInvoice,
  paymentIntent,
  refund,
  type StripeObject,
  stripeEvent,
} from '../../support/stripe.ts'

const READING = { backendCreatesCheckouts: false }
const read = (type: string, object: StripeObject, reading = READING) =>
  readEvent(stripeEvent(type, object), reading)

/** The first fact of an event. */
const factOf = (type: string, object: StripeObject, reading = READING): Fact | undefined =>
  read(type, object, reading)?.facts[0]

/** What an invoice, or a checkout, says was paid. */
const paidOf = (type: string, object: StripeObject) => {
  const fact = factOf(type, object)
  return fact?.kind === 'invoice' || fact?.kind === 'checkout' ? fact.paid : undefined
}

const usd = (grossCents: number, netCents = grossCents) => ({
  grossCents,
  netCents,
  currency: 'USD',
})

/** What was paid in money, and what otherwise. */
const mixed = (grossCents: number, netCents: number, others: [gross: number, net: number]) => ({
  ...usd(grossCents, netCents),
  outOfBand: { grossCents: others[0], netCents: others[1] },
})

describe('an invoice', () => {
  test.each([
    { case: 'without tax', fields: {}, paid: usd(4_900) },
    {
      case: 'with tax on top, by its total without it',
      fields: { total: 5_831, amount_paid: 5_831, total_excluding_tax: 4_900 },
      paid: usd(5_831, 4_900),
    },
    {
      case: 'with tax, by the list of taxes alone',
      fields: {
        total: 5_831,
        amount_paid: 5_831,
        total_excluding_tax: undefined,
        total_taxes: [{ amount: 500 }, { amount: 431 }],
      },
      paid: usd(5_831, 4_900),
    },
    {
      case: 'whose total without tax is null, by the list of taxes',
      fields: {
        total: 5_831,
        amount_paid: 5_831,
        total_excluding_tax: null,
        total_taxes: [{ amount: 931 }],
      },
      paid: usd(5_831, 4_900),
    },
    {
      case: 'with tax included in its prices',
      fields: {
        total: 4_900,
        amount_paid: 4_900,
        total_excluding_tax: 4_118,
        total_taxes: [{ amount: 782 }],
      },
      paid: usd(4_900, 4_118),
    },
    {
      case: 'that no tax was found for',
      fields: { total_excluding_tax: null, total_taxes: null },
      paid: usd(4_900),
    },
    {
      case: 'half of which was paid from the balance: half of the tax is left out',
      fields: { total: 11_900, amount_paid: 5_950, total_excluding_tax: 10_000 },
      paid: mixed(5_950, 5_000, [5_950, 5_000]),
    },
    {
      case: 'a third of which was paid: the part without tax is rounded',
      fields: { total: 119, amount_paid: 40, total_excluding_tax: 100 },
      paid: mixed(40, 34, [79, 66]),
    },
    {
      case: 'that the balance paid in full',
      fields: { amount_paid: 0 },
      paid: mixed(0, 0, [4_900, 4_900]),
    },
    {
      case: 'half of which a credit note took off before the payment',
      fields: { amount_paid: 2_450, pre_payment_credit_notes_amount: 2_450 },
      paid: usd(2_450),
    },
    {
      case: 'of nothing, as in a trial',
      fields: { total: 0, amount_paid: 0, total_excluding_tax: 0 },
      paid: usd(0),
    },
    {
      case: 'of less than nothing, as after a downgrade',
      fields: { total: -2_000, amount_paid: 0, total_excluding_tax: -2_000 },
      paid: usd(0),
    },
    { case: 'that was paid too much', fields: { amount_paid: 6_000 }, paid: usd(4_900) },
    {
      case: 'that was paid outside of Stripe',
      fields: { amount_paid: 0, amount_paid_off_stripe: 4_900, paid_out_of_band: true },
      paid: mixed(0, 0, [4_900, 4_900]),
    },
    {
      case: 'that was marked as paid outside of Stripe, which older versions count as paid',
      fields: { paid_out_of_band: true },
      paid: mixed(0, 0, [4_900, 4_900]),
    },
    {
      case: 'of which Stripe counts the part paid elsewhere as paid',
      fields: { amount_paid: 4_900, amount_paid_off_stripe: 1_000 },
      paid: mixed(3_900, 3_900, [1_000, 1_000]),
    },
    {
      case: 'with shipping, which is stated without its tax',
      fields: {
        total: 5_950,
        amount_paid: 5_950,
        total_excluding_tax: 5_000,
        shipping_cost: { amount_subtotal: 1_000, amount_tax: 190, amount_total: 1_190 },
      },
      paid: { ...usd(5_950, 5_000), shippingCents: 1_000 },
    },
    {
      case: 'of nothing but tax',
      fields: { total: 100, amount_paid: 100, total_excluding_tax: 0 },
      paid: usd(100, 0),
    },
  ])('$case', ({ fields, paid }) => {
    expect(paidOf('invoice.paid', invoice(fields))).toEqual(paid)
  })

  test.each([
    { case: 'by its tax', fields: { tax: 931, total_excluding_tax: undefined } },
    {
      case: 'by its list of tax amounts',
      fields: {
        tax: undefined,
        total_tax_amounts: [{ amount: 931 }],
        total_excluding_tax: undefined,
      },
    },
    { case: 'by its total without tax', fields: { tax: 931, total_excluding_tax: 4_900 } },
  ])('from before 2025-03-31 leaves out tax $case', ({ fields }) => {
    expect(
      paidOf('invoice.paid', oldInvoice({ total: 5_831, amount_paid: 5_831, ...fields })),
    ).toEqual(usd(5_831, 4_900))
  })

  test('names its payments, in either shape', () => {
    const names = { charge: 'ch_1', payment_intent: 'pi_1' }
    expect(read('invoice.paid', oldInvoice({ id: 'in_1', ...names }))?.keys).toEqual([
      'in_1',
      'pi_1',
      'ch_1',
    ])
    const payments = {
      data: [
        { payment: { payment_intent: 'pi_1' } },
        { payment: { charge: 'ch_2', type: 'charge' } },
      ],
    }
    expect(read('invoice.paid', invoice({ id: 'in_1', payments }))?.keys).toEqual([
      'in_1',
      'pi_1',
      'ch_2',
    ])
    expect(read('invoice.paid', invoice({ id: 'in_1' }))?.keys).toEqual(['in_1'])
  })

  test('is the same with its customer, charge and payment intent expanded', () => {
    const fields = { id: 'in_1', created: 1_700_000_000 }
    const plain = oldInvoice({
      ...fields,
      customer: 'cus_1',
      charge: 'ch_1',
      payment_intent: 'pi_1',
    })
    const expanded = {
      ...plain,
      customer: { id: 'cus_1', object: 'customer', email: 'ada@example.com' },
      charge: { id: 'ch_1', object: 'charge' },
      payment_intent: { id: 'pi_1', object: 'payment_intent' },
    }
    const { keys, customer, facts } = read('invoice.paid', plain) ?? {}
    expect(read('invoice.paid', expanded)).toMatchObject({ keys, customer, facts })
    expect(customer).toBe('cus_1')
  })

  const ID = { customerExternalId: 'user_1', externalId: 'order-1' }
  const DETAILS = { subscription: 'sub_1', metadata: { ...ID, tributary_click: 'clk_1' } }

  test.each([
    { version: 'as it is now', fields: { parent: { subscription_details: DETAILS } } },
    { version: 'as it was', fields: { subscription: 'sub_1', subscription_details: DETAILS } },
  ])('names its subscription, $version, and what was stated when that began', ({ fields }) => {
    const first = invoice({ id: 'in_1', billing_reason: 'subscription_create', ...fields })
    expect(read('invoice.paid', first)).toMatchObject({
      keys: ['in_1', 'report:order-1'],
      facts: [
        { subscription: 'sub_1', billingReason: 'subscription_create', ...ID, clickId: 'clk_1' },
      ],
    })
    const renewal = invoice({ id: 'in_2', billing_reason: 'subscription_cycle', ...fields })
    expect(read('invoice.paid', renewal)).toMatchObject({
      keys: ['in_2'],
      facts: [
        { subscription: 'sub_1', customerExternalId: 'user_1', externalId: null, clickId: null },
      ],
    })
  })

  const line = (proration: boolean) => [
    { parent: { type: 'subscription_item_details', subscription_item_details: { proration } } },
    { type: 'subscription', proration },
  ]
  /** Credits and changes are items of their own. */
  const ITEMS = [
    { parent: { type: 'invoice_item_details', invoice_item_details: { proration: true } } },
    { parent: { type: 'invoice_item_details', invoice_item_details: { proration: false } } },
    { type: 'invoiceitem', proration: true },
    { type: 'invoiceitem', proration: false },
  ]
  test.each([
    ...ITEMS.map((item) => ({ reason: 'subscription_update', lines: [item], is: true })),
    ...line(true).map((item) => ({ reason: 'subscription_update', lines: [item], is: true })),
    ...line(false).map((item) => ({
      reason: 'subscription_update',
      lines: [...ITEMS, item],
      is: false,
    })),
    ...line(true).map((item) => ({ reason: 'subscription_cycle', lines: [item], is: false })),
    { reason: 'subscription_create', lines: [], is: false },
    { reason: 'subscription_update', lines: undefined, is: true },
    { reason: 'subscription_update', lines: ['il_1'], is: true },
    { reason: null, lines: [], is: false },
  ])(
    'is a proration ($is) if it was made for $reason with the lines $lines',
    ({ reason, lines, is }) => {
      const object = invoice({ billing_reason: reason, ...(lines && { lines: { data: lines } }) })
      expect(read('invoice.paid', object)).toMatchObject({ facts: [{ isProration: is }] })
    },
  )

  test('names ids of the merchant’s own in its metadata', () => {
    const own = { externalId: 'order-2', customerExternalId: 'user_2', tributary_click: 'clk_2' }
    const object = invoice({ id: 'in_1', metadata: own, parent: { subscription_details: DETAILS } })
    expect(read('invoice.paid', object)).toMatchObject({
      keys: ['in_1', 'report:order-2'],
      facts: [{ externalId: 'order-2', customerExternalId: 'user_2', clickId: 'clk_2' }],
    })
  })

  test.each([
    {
      case: 'no text',
      metadata: { externalId: 1, customerExternalId: ['a'], tributary_click: {} },
    },
    { case: 'empty', metadata: { externalId: '', customerExternalId: '', tributary_click: '' } },
    {
      case: 'too long',
      metadata: { externalId: 'x'.repeat(256), customerExternalId: 'x'.repeat(256) },
    },
    { case: 'not storable', metadata: { externalId: 'a\0', customerExternalId: '\ud800' } },
    {
      case: 'another purchase or customer of Stripe',
      metadata: { externalId: 'in_2', customerExternalId: 'cus_2', tributary_click: 'in_2' },
    },
    {
      case: 'a customer in place of a sale, and a sale in place of a customer',
      metadata: { externalId: 'cus_2', customerExternalId: 'in_2' },
    },
    { case: 'a list', metadata: [] },
    { case: 'nothing', metadata: null },
  ])('is not lost for metadata that is of no use: $case', ({ metadata }) => {
    expect(read('invoice.paid', invoice({ id: 'in_1', metadata }))).toMatchObject({
      keys: ['in_1'],
      facts: [{ externalId: null, customerExternalId: null, clickId: null }],
    })
  })

  const at = { start: 1_700_000_000, end: null }
  test.each([
    { case: 'none', fields: { discounts: [] }, coupons: [], discounts: [] },
    {
      case: 'ids alone, since 2025-03-31',
      fields: { discounts: ['di_1'] },
      coupons: [],
      discounts: ['di_1'],
    },
    {
      case: 'ids alone, of its lines',
      fields: { discounts: [], total_discount_amounts: [{ amount: 100, discount: 'di_2' }] },
      coupons: [],
      discounts: ['di_2'],
    },
    {
      case: 'expanded',
      fields: {
        discounts: [
          {
            id: 'di_1',
            source: { coupon: 'co', type: 'coupon' },
            promotion_code: 'promo_1',
            ...at,
          },
        ],
      },
      coupons: ['promo_1', 'co'],
      discounts: ['di_1'],
    },
    {
      case: 'in it, as before 2025-03-31',
      fields: {
        discount: { id: 'di_1', coupon: { id: 'co' }, promotion_code: null, ...at },
        discounts: ['di_1'],
      },
      coupons: ['co'],
      discounts: ['di_1'],
    },
    {
      case: 'in it, without an id, as in 2018',
      fields: { discount: { coupon: { id: 'co' }, ...at } },
      coupons: ['co'],
      discounts: [],
    },
    {
      case: 'in a form that is not known',
      fields: { discount: 'x', discounts: 7 },
      coupons: [],
      discounts: [],
    },
  ])('names its discounts: $case', ({ fields, coupons, discounts }) => {
    expect(factOf('invoice.paid', invoice(fields))).toMatchObject({ coupons, discounts })
  })

  test('was paid when it says so, or else when it was made', () => {
    const created = 1_700_000_000
    const paidAt = (fields: StripeObject) => factOf('invoice.paid', invoice({ created, ...fields }))
    expect(paidAt({ status_transitions: { paid_at: created + 60 } })).toMatchObject({
      paidAt: '2023-11-14T22:14:20.000Z',
    })
    for (const status_transitions of [{ paid_at: null }, null, undefined]) {
      expect(paidAt({ status_transitions })).toMatchObject({ paidAt: '2023-11-14T22:13:20.000Z' })
    }
  })
})

test.each([
  { currency: 'usd', amount: 500, cents: 500, why: 'cents' },
  { currency: 'JPY', amount: 500, cents: 500, why: 'whole yen, by Stripe as by ISO 4217' },
  { currency: 'kwd', amount: 5_120, cents: 5_120, why: 'thousandths, by both' },
  { currency: 'isk', amount: 50_000, cents: 500, why: 'hundredths by Stripe, whole by ISO 4217' },
  { currency: 'ugx', amount: 50_000, cents: 500, why: 'hundredths by Stripe, whole by ISO 4217' },
  { currency: 'mga', amount: 500, cents: 50_000, why: 'whole by Stripe, hundredths by ISO 4217' },
  { currency: 'huf', amount: 50_000, cents: 50_000, why: 'hundredths, though no coin is as small' },
])('$amount of $currency are $cents: $why', ({ currency, amount, cents }) => {
  const paid = { grossCents: cents, netCents: cents, currency: currency.toUpperCase() }
  const totals = { currency, total: amount, amount_paid: amount, total_excluding_tax: amount }
  expect(paidOf('invoice.paid', invoice(totals))).toEqual(paid)
  const session = checkoutSession({ currency, amount_total: amount })
  expect(paidOf('checkout.session.completed', session)).toEqual(paid)
  expect(factOf('refund.created', refund({ currency, amount, charge: 'ch_1' }))).toMatchObject({
    amountCents: cents,
  })
})

describe('a checkout', () => {
  const COMPLETED = 'checkout.session.completed'

  test('says who bought what, and names its payment', () => {
    const session = checkoutSession({
      id: 'cs_1',
      created: 1_700_000_000,
      payment_intent: 'pi_1',
      customer: 'cus_1',
      customer_details: { email: ' Ada@Example.com', name: 'Ada' },
      client_reference_id: 'clk_1',
      amount_total: 5_831,
      total_details: { amount_tax: 931 },
    })
    expect(read(COMPLETED, session)).toMatchObject({
      customer: 'cus_1',
      keys: ['cs_1', 'pi_1'],
      facts: [
        {
          kind: 'checkout',
          id: 'cs_1',
          createdAt: '2023-11-14T22:13:20.000Z',
          email: 'ada@example.com',
          name: 'Ada',
          clickId: 'clk_1',
          coupons: [],
          paid: usd(5_831, 4_900),
        },
      ],
    })
  })

  test.each([
    { case: 'none', discounts: null, coupons: [] },
    { case: 'a coupon', discounts: [{ coupon: 'co', promotion_code: null }], coupons: ['co'] },
    {
      case: 'the code before the coupon behind it, since a partner may have the code alone',
      discounts: [{ coupon: 'co', promotion_code: 'promo_1' }],
      coupons: ['promo_1', 'co'],
    },
    {
      case: 'several, in the order in which they were applied',
      discounts: [{ coupon: 'b', promotion_code: 'promo_b' }, { coupon: 'a' }],
      coupons: ['promo_b', 'b', 'a'],
    },
    {
      case: 'expanded ones',
      discounts: [
        { coupon: { id: 'co', object: 'coupon' }, promotion_code: { id: 'promo_1', code: 'MAYA' } },
      ],
      coupons: ['promo_1', 'co'],
    },
  ])('reads coupons: $case', ({ discounts, coupons }) => {
    expect(factOf(COMPLETED, checkoutSession({ discounts }))).toMatchObject({ coupons })
  })

  test.each([
    { case: 'not paid yet, by a bank transfer', fields: { payment_status: 'unpaid' }, paid: null },
    {
      case: 'of a trial, for which nothing is due',
      fields: {
        mode: 'subscription',
        payment_status: 'no_payment_required',
        amount_total: 0,
        invoice: 'in_1',
      },
      paid: usd(0),
    },
    { case: 'with tax', fields: { total_details: { amount_tax: 782 } }, paid: usd(4_900, 4_118) },
    { case: 'that says nothing of tax', fields: { total_details: null }, paid: usd(4_900) },
  ])('$case', ({ fields, paid }) => {
    expect(paidOf(COMPLETED, checkoutSession(fields))).toEqual(paid)
  })

  test('is paid later by a bank transfer', () => {
    expect(paidOf('checkout.session.async_payment_succeeded', checkoutSession())).toEqual(
      usd(4_900),
    )
  })

  test('that only saves a card is of no interest', () => {
    const session = checkoutSession({ mode: 'setup', currency: null, amount_total: null })
    expect(read(COMPLETED, session)).toMatchObject({ keys: [], facts: [] })
  })

  test.each([
    { by: 'user_42', clickId: null, named: 'user_42' },
    { by: 'clk_1', clickId: 'clk_1', named: undefined },
    ...['', 'clk_', 'clk_with space', `clk_${'x'.repeat(201)}`, null, 'cus_2', 'cs_2'].map(
      (by) => ({
        by,
        clickId: null,
        named: undefined,
      }),
    ),
  ])(
    'carries a click, or a customer if the backend creates all checkouts: $by',
    ({ by, clickId, named }) => {
      const of = (fields: object, backendCreatesCheckouts: boolean) => {
        const session = checkoutSession({ client_reference_id: by, ...fields })
        const fact = factOf(COMPLETED, session, { backendCreatesCheckouts })
        expect(fact).toMatchObject({ kind: 'checkout', clickId, customerExternalId: null })
        return fact && 'reference' in fact ? fact.reference : undefined
      }
      expect(of({}, true)).toBe(named)
      expect(of({}, false)).toBeUndefined()
      // Whoever opens a payment link writes the reference.
      expect(of({ payment_link: 'plink_1' }, true)).toBeUndefined()
    },
  )

  test('names its subscription, and ids of the merchant’s own in its metadata', () => {
    const session = checkoutSession({
      id: 'cs_1',
      payment_intent: null,
      invoice: 'in_1',
      mode: 'subscription',
      subscription: 'sub_1',
      client_reference_id: 'user_2',
      metadata: { externalId: 'order-1', customerExternalId: 'user_1', tributary_click: 'clk_1' },
    })
    const event = read(COMPLETED, session, { backendCreatesCheckouts: true })
    expect(event?.facts[0]).not.toHaveProperty('reference')
    expect(event).toMatchObject({
      keys: ['cs_1', 'in_1', 'report:order-1'],
      email: 'ada@example.com',
      facts: [
        {
          subscription: 'sub_1',
          externalId: 'order-1',
          customerExternalId: 'user_1',
          clickId: 'clk_1',
        },
      ],
    })
  })

  test('states its shipping', () => {
    const details = { amount_tax: 0, amount_discount: 0, amount_shipping: 900 }
    expect(paidOf(COMPLETED, checkoutSession({ total_details: details }))).toEqual({
      ...usd(4_900),
      shippingCents: 900,
    })
  })

  test.each([
    {
      case: 'one that is cut in the middle of a letter',
      name: `${'x'.repeat(254)}😀`,
      kept: 'x'.repeat(254),
    },
    { case: 'half a letter', name: 'Ada \ud83d', kept: 'Ada' },
    { case: 'NUL', name: 'A\0da', kept: 'Ada' },
    { case: 'blank', name: ' ', kept: null },
  ])('is not lost for a name that can’t be kept: $case', ({ name, kept }) => {
    const session = checkoutSession({ customer_details: { email: 'ada@example.com', name } })
    expect(factOf(COMPLETED, session)).toMatchObject({ name: kept })
  })
})

test('a sale is not lost for an address with half a letter in it, which is none', () => {
  const facts = [{ kind: 'invoice', email: null }]
  expect(read('invoice.paid', invoice({ customer_email: '\ud800@example.com' }))).toMatchObject({
    facts,
  })
})

describe('what was given back', () => {
  test('a refund, under each of its names', () => {
    const object = refund({ id: 're_1', charge: 'ch_1', payment_intent: 'pi_1', amount: 100 })
    for (const type of [
      'refund.created',
      'refund.updated',
      'refund.failed',
      'charge.refund.updated',
    ]) {
      expect(read(type, object)).toMatchObject({
        keys: ['pi_1', 'ch_1'],
        facts: [
          { kind: 'refund', id: 're_1', payment: 'pi_1', amountCents: 100, status: 'succeeded' },
        ],
      })
    }
  })

  test('a refund of no payment of ours is of no interest', () => {
    expect(read('refund.created', refund())).toMatchObject({ keys: [], facts: [] })
  })

  test('a charge, with the refunds that older versions list in it', () => {
    const object = charge({
      id: 'ch_1',
      payment_intent: 'pi_1',
      invoice: 'in_1',
      amount_refunded: 100,
      refunds: { data: [{ id: 're_1', amount: 100, currency: 'usd', status: 'succeeded' }] },
    })
    expect(read('charge.refunded', object)).toMatchObject({
      keys: ['ch_1', 'pi_1', 'in_1'],
      facts: [
        { kind: 'charge', payment: 'pi_1', amountCents: 4_900, refundedCents: 100 },
        { kind: 'payment', invoice: 'in_1' },
        { kind: 'refund', id: 're_1', payment: 'pi_1', amountCents: 100 },
      ],
    })
  })

  test('a charge without a payment intent goes by itself, in its refunds and disputes too', () => {
    const old = { charge: 'ch_1', payment_intent: null }
    expect(factOf('charge.refunded', charge({ id: 'ch_1', payment_intent: null }))).toMatchObject({
      payment: 'ch_1',
    })
    expect(factOf('refund.created', refund(old))).toMatchObject({ payment: 'ch_1' })
    expect(factOf('charge.dispute.created', dispute(old))).toMatchObject({ payment: 'ch_1' })
  })

  test('a dispute, with its status', () => {
    expect(
      read(
        'charge.dispute.closed',
        dispute({ id: 'dp_1', charge: 'ch_1', payment_intent: 'pi_1', status: 'won' }),
      ),
    ).toMatchObject({
      keys: ['pi_1', 'ch_1'],
      facts: [{ kind: 'dispute', id: 'dp_1', status: 'won' }],
    })
  })
})

test.each([
  { case: 'succeeded', from: ['succeeded', null, undefined], status: 'succeeded' },
  {
    case: 'that may still fail',
    from: ['pending', 'requires_action', 'new_status'],
    status: 'pending',
  },
  { case: 'failed or canceled', from: ['failed', 'canceled'], status: 'failed' },
])('a refund $case is $status', ({ from, status }) => {
  for (const stripeStatus of from) {
    const object = refund({ charge: 'ch_1', status: stripeStatus })
    expect(factOf('refund.updated', object)).toMatchObject({ status })
  }
})

test.each([
  {
    case: 'that is a mere inquiry',
    from: ['warning_needs_response', 'warning_under_review', 'warning_closed'],
    status: 'inquiry',
  },
  {
    case: 'without a decision',
    from: ['needs_response', 'under_review', 'new_status'],
    status: 'open',
  },
  {
    case: 'lost, or under appeal',
    from: ['lost', 'appeal_needs_response', 'appeal_under_review'],
    status: 'lost',
  },
  { case: 'won or prevented', from: ['won', 'prevented'], status: 'won' },
])('a dispute $case is $status', ({ from, status }) => {
  for (const stripeStatus of from) {
    const object = dispute({ charge: 'ch_1', status: stripeStatus })
    expect(factOf('charge.dispute.updated', object)).toMatchObject({ status })
  }
})

test('a payment of an invoice links the two', () => {
  expect(read('invoice_payment.paid', invoicePayment('in_1', 'pi_1'))).toMatchObject({
    keys: ['in_1', 'pi_1'],
    facts: [{ kind: 'payment', invoice: 'in_1' }],
  })
})

describe('a payment', () => {
  const intent = (fields: StripeObject = {}) =>
    paymentIntent({ id: 'pi_1', customer: 'cus_1', latest_charge: 'ch_1', ...fields })

  test('says who paid what, and what the merchant states in its metadata', () => {
    const metadata = {
      externalId: 'order-1',
      customerExternalId: 'user_1',
      tributary_click: 'clk_1',
    }
    expect(
      read('payment_intent.succeeded', intent({ metadata, receipt_email: 'Ada@example.com' })),
    ).toMatchObject({
      customer: 'cus_1',
      email: 'ada@example.com',
      keys: ['pi_1', 'ch_1', 'report:order-1'],
      facts: [
        {
          kind: 'intent',
          id: 'pi_1',
          charge: 'ch_1',
          paid: usd(4_900),
          pays: null,
          clickId: 'clk_1',
          externalId: 'order-1',
          customerExternalId: 'user_1',
        },
      ],
    })
  })

  test.each([
    { case: 'an invoice, as older versions name it', fields: { invoice: 'in_1' }, pays: 'in_1' },
    { case: 'an invoice', fields: { payment_details: { order_reference: 'in_1' } }, pays: 'in_1' },
    { case: 'a checkout', fields: { payment_details: { order_reference: 'cs_1' } }, pays: 'cs_1' },
    {
      case: 'an order of the merchant’s own',
      fields: { payment_details: { order_reference: 'order-1' } },
      pays: null,
    },
  ])('may name what it pays: $case', ({ fields, pays }) => {
    const { keys, facts } = read('payment_intent.succeeded', intent(fields)) ?? {}
    expect({ keys, facts }).toMatchObject({
      keys: ['pi_1', 'ch_1', ...(pays ? [pays] : [])],
      facts: [{ kind: 'intent', pays }],
    })
  })
})

describe('a customer', () => {
  const named = { metadata: { customerExternalId: 'user_1' } }

  test.each(['customer.created', 'customer.updated'])(
    'may have an id of the merchant’s own: %s',
    (type) => {
      const { facts, ...event } =
        read(type, { id: 'cus_1', email: 'Ada@example.com', ...named }) ?? {}
      expect(event).toMatchObject({ customer: 'cus_1', email: 'ada@example.com', keys: [] })
      expect(facts).toEqual([{ kind: 'identity', customer: 'cus_1', customerExternalId: 'user_1' }])
    },
  )

  test('without one is of no interest', () => {
    expect(read('customer.created', { id: 'cus_1', metadata: {} })).toMatchObject({ facts: [] })
  })

  test('may be named by its subscription', () => {
    const object = { id: 'sub_1', customer: 'cus_1', discounts: ['di_1'], ...named }
    expect(read('customer.subscription.created', object)?.facts).toEqual([
      { kind: 'identity', customer: 'cus_1', customerExternalId: 'user_1' },
    ])
  })

  const discount = {
    id: 'di_1',
    object: 'discount',
    start: 1_700_000_000,
    end: null,
    promotion_code: 'promo_1',
  }
  const fact = {
    kind: 'discount',
    id: 'di_1',
    customer: 'cus_1',
    subscription: 'sub_1',
    coupon: 'co',
    promotionCode: 'promo_1',
    start: '2023-11-14T22:13:20.000Z',
    end: null,
  }

  test.each([
    { version: 'as it is now', coupon: { source: { coupon: 'co', type: 'coupon' } } },
    { version: 'as it was before 2025-09-30', coupon: { coupon: { id: 'co', object: 'coupon' } } },
  ])('may have a discount, $version', ({ coupon }) => {
    const object = { ...discount, ...coupon, customer: 'cus_1', subscription: 'sub_1' }
    for (const type of ['created', 'updated', 'deleted']) {
      expect(read(`customer.discount.${type}`, object)).toMatchObject({
        customer: 'cus_1',
        keys: [],
      })
      expect(read(`customer.discount.${type}`, object)?.facts).toEqual([fact])
    }
  })

  test('may have a discount on a subscription that contains it', () => {
    const inIt = { ...discount, coupon: { id: 'co' } }
    expect(
      read('customer.subscription.updated', { id: 'sub_1', customer: 'cus_1', discount: inIt })
        ?.facts,
    ).toEqual([fact])
    expect(read('customer.updated', { id: 'cus_1', discount: inIt })?.facts).toEqual([
      { ...fact, subscription: null },
    ])
  })
})

test.each([
  {
    case: 'a refund',
    fields: { refunds: [{ refund: 're_1', amount_refunded: 600 }] },
    refunds: [['re_1', 600]],
  },
  { case: 'a refund, as before 2025-03-31', fields: { refund: 're_1' }, refunds: [['re_1', null]] },
  { case: 'a credit for later', fields: {}, refunds: [] },
])('a credit note of a paid invoice, with $case', ({ fields, refunds }) => {
  const note = creditNote({ id: 'cn_1', invoice: 'in_1', amount: 1_000, ...fields })
  expect(read('credit_note.created', note)).toMatchObject({ keys: ['in_1'] })
  expect(factOf('credit_note.created', note)).toEqual({
    kind: 'credit_note',
    id: 'cn_1',
    invoice: 'in_1',
    amountCents: 1_000,
    currency: 'USD',
    refunds: refunds.map(([id, amountCents]) => ({ id, amountCents })),
    isVoid: false,
  })
})

test.each([
  { case: 'an open invoice', fields: { type: 'pre_payment' }, counts: { amountCents: 0 } },
  {
    case: 'an invoice that was paid in part',
    fields: { type: 'mixed', pre_payment_amount: 600, post_payment_amount: 400 },
    counts: { amountCents: 400 },
  },
  { case: 'no force any more', fields: { status: 'void' }, counts: { isVoid: true } },
])('a credit note of $case', ({ fields, counts }) => {
  expect(factOf('credit_note.voided', creditNote({ amount: 1_000, ...fields }))).toMatchObject(
    counts,
  )
})

test.each([
  'customer.deleted',
  'invoice.created',
  'invoice.payment_failed',
  'charge.succeeded',
  'refund.x',
])('%s is of no interest, whatever its object is', (type) => {
  expect(read(type, {})).toMatchObject({ type, keys: [], facts: [], customer: null })
})

test.each([
  { case: 'nothing', input: null },
  { case: 'a list', input: [] },
  {
    case: 'an event without an id',
    input: { ...stripeEvent('invoice.paid', invoice()), id: undefined },
  },
  {
    case: 'an event with an id that can’t be stored',
    input: stripeEvent('a.b', {}, { id: 'evt_\0' }),
  },
])('is no event of Stripe’s: $case', ({ input }) => {
  expect(readEvent(input, READING)).toBeNull()
})

test.each([
  { case: 'an invoice of 1.5 billion rupiah', currency: 'idr', total: 150_000_000_000 },
  { case: 'the largest amount', currency: 'idr', total: 99_999_999_999_999 },
  {
    case: 'the largest amount in whole ariary',
    currency: 'mga',
    total: 999_999_999_999,
    cents: 99_999_999_999_900,
  },
])('is read to the cent, with its tax: $case', ({ currency, total, cents = total }) => {
  const taxed = invoice({ currency, total, amount_paid: total, total_excluding_tax: total - 7 })
  const perUnit = cents === total ? 1 : 100
  expect(read('invoice.paid', taxed)).toMatchObject({
    facts: [{ kind: 'invoice', paid: { grossCents: cents, netCents: cents - 7 * perUnit } }],
  })
})

test('a part of a very large invoice is rounded as exactly as of a small one: floating point gives a cent more', () => {
  const partly = invoice({
    currency: 'idr',
    total: 92_127_305_199_462,
    total_excluding_tax: 63_309_549_177_950,
    amount_paid: 43_346_630_736_004,
  })
  expect(read('invoice.paid', partly)?.facts[0]).toMatchObject({
    paid: { grossCents: 43_346_630_736_004, netCents: 29_787_647_042_730 },
  })
  const note = creditNote({
    currency: 'idr',
    amount: 92_127_305_199_462,
    total_excluding_tax: 63_309_549_177_950,
    post_payment_amount: 43_346_630_736_004,
  })
  expect(read('credit_note.created', note)?.facts[0]).toMatchObject({
    amountCents: 43_346_630_736_004,
    net: { netCents: 29_787_647_042_730 },
  })
})

test.each([
  {
    case: 'a thin event',
    input: {
      id: 'evt_1',
      object: 'v2.core.event',
      type: 'v1.billing.meter.error',
      created: '2026-01-01T00:00:00Z',
    },
  },
  {
    case: 'an event without a date',
    input: { ...stripeEvent('invoice.paid', invoice()), created: undefined },
  },
  {
    case: 'a date that Postgres has no word for',
    input: stripeEvent('a.b', {}, { created: 1e15 }),
  },
  {
    case: 'an invoice without an id',
    input: stripeEvent('invoice.paid', invoice({ id: undefined })),
  },
  { case: 'an amount in words', input: stripeEvent('invoice.paid', invoice({ total: '4900' })) },
  {
    case: 'an amount with a fraction',
    input: stripeEvent('invoice.paid', invoice({ total: 49.5 })),
  },
  {
    case: 'an amount over the limit',
    input: stripeEvent('invoice.paid', invoice({ total: 1e14 })),
  },
  {
    case: 'an amount in whole ariary that is over the limit in hundredths',
    input: stripeEvent(
      'invoice.paid',
      invoice({ currency: 'mga', total: 1e12, amount_paid: 1e12 }),
    ),
  },
  {
    case: 'a reversed transfer without an amount',
    input: stripeEvent('transfer.reversed', { id: 'tr_1', currency: 'usd' }),
  },
  {
    case: 'a currency that is none',
    input: stripeEvent('invoice.paid', invoice({ currency: '€' })),
  },
  { case: 'an id with NUL', input: stripeEvent('invoice.paid', invoice({ id: 'in_\0' })) },
  {
    case: 'half a letter in an id',
    input: stripeEvent('invoice.paid', invoice({ customer: '\ud800' })),
  },
])('is refused as unreadable, with the reason: $case', ({ input }) => {
  const event = readEvent(input, READING)
  expect(event).toMatchObject({ keys: [], facts: [], customer: null })
  expect(event?.refusal).toEqual({
    code: 'unreadable',
    facts: { reason: expect.stringMatching(/\w/) },
  })
})
