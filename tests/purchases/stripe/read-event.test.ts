import { describe, expect, test } from 'vitest'
import type { Fact } from '../../../lib/purchases/facts.ts'
import { readEvent } from '../../../lib/purchases/stripe/events.schemas.ts'
import {
  charge,
  checkoutSession,
  dispute,
  invoice,
  invoicePayment,
  oldInvoice,
  refund,
  type StripeObject,
  stripeEvent,
} from '../../support/stripe.ts'

const read = (type: string, object: StripeObject) => readEvent(stripeEvent(type, object))

/** The first fact of an event. */
const factOf = (type: string, object: StripeObject): Fact | undefined => read(type, object)?.facts[0]

/** What an invoice, or a checkout, says was paid. */
const paidOf = (type: string, object: StripeObject) => {
  const fact = factOf(type, object)
  return fact?.kind === 'invoice' || fact?.kind === 'checkout' ? fact.paid : undefined
}

const usd = (grossCents: number, netCents = grossCents) => ({ grossCents, netCents, currency: 'USD' })

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
      fields: { total: 5_831, amount_paid: 5_831, total_excluding_tax: null, total_taxes: [{ amount: 931 }] },
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
      paid: usd(5_950, 5_000),
    },
    {
      case: 'a third of which was paid: the part without tax is rounded',
      fields: { total: 119, amount_paid: 40, total_excluding_tax: 100 },
      paid: usd(40, 34),
    },
    {
      case: 'that the balance paid in full',
      fields: { amount_paid: 0 },
      paid: usd(0),
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
      paid: usd(4_900),
    },
    {
      case: 'that was marked as paid outside of Stripe, which Stripe counts as paid',
      fields: { paid_out_of_band: true },
      paid: usd(4_900),
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
      fields: { tax: undefined, total_tax_amounts: [{ amount: 931 }], total_excluding_tax: undefined },
    },
    { case: 'by its total without tax', fields: { tax: 931, total_excluding_tax: 4_900 } },
  ])('from before 2025-03-31 leaves out tax $case', ({ fields }) => {
    expect(paidOf('invoice.paid', oldInvoice({ total: 5_831, amount_paid: 5_831, ...fields }))).toEqual(
      usd(5_831, 4_900),
    )
  })

  test('names its payments, in either shape', () => {
    const names = { charge: 'ch_1', payment_intent: 'pi_1' }
    expect(read('invoice.paid', oldInvoice({ id: 'in_1', ...names }))?.keys).toEqual(['in_1', 'pi_1', 'ch_1'])
    const payments = {
      data: [{ payment: { payment_intent: 'pi_1' } }, { payment: { charge: 'ch_2', type: 'charge' } }],
    }
    expect(read('invoice.paid', invoice({ id: 'in_1', payments }))?.keys).toEqual(['in_1', 'pi_1', 'ch_2'])
    expect(read('invoice.paid', invoice({ id: 'in_1' }))?.keys).toEqual(['in_1'])
  })

  test('is the same with its customer, charge and payment intent expanded', () => {
    const fields = { id: 'in_1', created: 1_700_000_000 }
    const plain = oldInvoice({ ...fields, customer: 'cus_1', charge: 'ch_1', payment_intent: 'pi_1' })
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
    expect(paidOf('checkout.session.async_payment_succeeded', checkoutSession())).toEqual(usd(4_900))
  })

  test('that only saves a card is of no interest', () => {
    const session = checkoutSession({ mode: 'setup', currency: null, amount_total: null })
    expect(read(COMPLETED, session)).toMatchObject({ keys: [], facts: [] })
  })

  test.each(['user_42', '', 'clk_', 'clk_with space', `clk_${'x'.repeat(201)}`, null])(
    'carries a reference of the merchant’s own: %j',
    (reference) => {
      const session = checkoutSession({ client_reference_id: reference })
      expect(factOf(COMPLETED, session)).toMatchObject({ kind: 'checkout', clickId: null })
    },
  )

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
  expect(read('invoice.paid', invoice({ customer_email: '\ud800@example.com' }))).toMatchObject({ facts })
})

describe('what was given back', () => {
  test('a refund, under each of its names', () => {
    const object = refund({ id: 're_1', charge: 'ch_1', payment_intent: 'pi_1', amount: 100 })
    for (const type of ['refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated']) {
      expect(read(type, object)).toMatchObject({
        keys: ['pi_1', 'ch_1'],
        facts: [{ kind: 'refund', id: 're_1', payment: 'pi_1', amountCents: 100, status: 'succeeded' }],
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
    ).toMatchObject({ keys: ['pi_1', 'ch_1'], facts: [{ kind: 'dispute', id: 'dp_1', status: 'won' }] })
  })
})

test.each([
  { case: 'succeeded', from: ['succeeded', null, undefined], status: 'succeeded' },
  { case: 'that may still fail', from: ['pending', 'requires_action', 'new_status'], status: 'pending' },
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
  { case: 'without a decision', from: ['needs_response', 'under_review', 'new_status'], status: 'open' },
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

test.each(['customer.created', 'invoice.created', 'invoice.payment_failed', 'charge.succeeded', 'refund.x'])(
  '%s is of no interest, whatever its object is',
  (type) => {
    expect(readEvent(stripeEvent(type, {}))).toMatchObject({ type, keys: [], facts: [], customer: null })
  },
)

test.each([
  { case: 'nothing', input: null },
  { case: 'a list', input: [] },
  { case: 'a thin event', input: { id: 'evt_1', object: 'v2.core.event', type: 'v1.billing.meter.error' } },
  {
    case: 'an event without a date',
    input: { ...stripeEvent('invoice.paid', invoice()), created: undefined },
  },
  { case: 'a date that Postgres has no word for', input: stripeEvent('a.b', {}, { created: 1e15 }) },
  { case: 'an invoice without an id', input: stripeEvent('invoice.paid', invoice({ id: undefined })) },
  { case: 'an amount in words', input: stripeEvent('invoice.paid', invoice({ total: '4900' })) },
  { case: 'an amount with a fraction', input: stripeEvent('invoice.paid', invoice({ total: 49.5 })) },
  { case: 'a currency that is none', input: stripeEvent('invoice.paid', invoice({ currency: '€' })) },
  { case: 'an id with NUL', input: stripeEvent('invoice.paid', invoice({ id: 'in_\0' })) },
  { case: 'half a letter in an id', input: stripeEvent('invoice.paid', invoice({ customer: '\ud800' })) },
])('is no event of Stripe’s: $case', ({ input }) => {
  expect(readEvent(input)).toBeNull()
})
