// @module-tag sampled
/**
 * What a payment earns follows from what was authorized, captured, overpaid and returned of it,
 * whichever events say so and in whatever order they arrive. 100.00 sold earns 20.00.
 */
import { expect, test } from 'vitest'
import { useDatabase } from '../../support/merchant.ts'
import { orders } from '../../support/permutations.ts'
import {
  charge,
  checkoutSession,
  creditNote,
  dispute,
  invoice,
  invoicePayment,
  paymentIntent,
  refund,
  type StripeObject,
  seconds,
  stripeId,
} from '../../support/stripe.ts'
import { openStripeShop } from '../../support/stripe-shop.ts'

const database = useDatabase()

/** The ids of one purchase. */
const newIds = (clickId: string) => ({
  clickId,
  payment: stripeId('pi'),
  second: stripeId('pi'),
  charge: stripeId('ch'),
  invoice: stripeId('in'),
})
type Ids = ReturnType<typeof newIds>

type Event = [type: string, object: StripeObject]

const YESTERDAY = seconds() - 24 * 60 * 60

/** A payment of 20 minutes ago waits for no other event. */
const occurredAt = (type: string, { created }: StripeObject): number =>
  type.startsWith('checkout') ? Number(created) : seconds() - (type.startsWith('pay') ? 20 * 60 : 0)

/** A checkout of 100.00 that completes before it is paid. */
const unpaid = ({ clickId, payment }: Ids, fields: StripeObject = {}): Event => [
  'checkout.session.completed',
  checkoutSession({
    payment_intent: payment,
    client_reference_id: clickId,
    payment_status: 'unpaid',
    amount_subtotal: 10_000,
    amount_total: 10_000,
    ...fields,
  }),
]

const captured = ({ payment, charge }: Ids, cents: number, fields: StripeObject = {}): Event => [
  'payment_intent.succeeded',
  paymentIntent({
    id: payment,
    latest_charge: charge,
    amount: 10_000,
    amount_received: cents,
    payment_details: null,
    ...fields,
  }),
]

/** An invoice of 100.00, of which 19% more was tax. */
const taxed = ({ invoice: id, clickId, payment }: Ids, fields: StripeObject = {}): Event => [
  'invoice.paid',
  invoice({
    id,
    metadata: { tributary_click: clickId },
    payments: { data: [{ payment: { payment_intent: payment } }] },
    amount_paid: 11_900,
    total: 11_900,
    total_excluding_tax: 10_000,
    ...fields,
  }),
]

const plain = (ids: Ids, fields: StripeObject = {}): Event =>
  taxed(ids, { amount_paid: 10_000, total: 10_000, ...fields })

const SHIPPED = {
  amount_paid: 13_090,
  total: 13_090,
  total_excluding_tax: 11_000,
  shipping_cost: { amount_subtotal: 1_000, amount_tax: 190, amount_total: 1_190 },
}

/** Two checkouts of one order, the second of them a minute later. */
const ordered = (ids: Ids, fields: StripeObject = {}, second: StripeObject = {}): Event[] => {
  const metadata = { externalId: `order-${ids.payment}` }
  return [
    unpaid(ids, { metadata, created: seconds() - 60, ...fields }),
    unpaid({ ...ids, payment: ids.second }, { metadata, ...fields, ...second }),
  ]
}

/** A payment in euros. */
const inEuros = (ids: Ids, cents: number): Event =>
  captured(ids, cents, { amount: cents, currency: 'eur' })

/** The second payment of an invoice. */
const secondOf = (ids: Ids): Ids => ({
  ...ids,
  payment: ids.second,
  charge: `${ids.charge}_second`,
})

/** A credit note of 50.00 by a refund of 44.00 euros. */
const notedInEuros = (ids: Ids, fields: StripeObject): Event[] => [
  plain(ids),
  ['credit_note.created', creditNote({ invoice: ids.invoice, amount: 5_000, ...fields })],
]

const refunded = ({ payment }: Ids, amount: number, fields: StripeObject = {}): Event => [
  'refund.created',
  refund({ payment_intent: payment, amount, ...fields }),
]

/**
 * The authorization was for 200.00, and 120.00 were captured: Stripe reports the rest as refunded.
 */
const ofPartCapture = ({ payment, charge: id }: Ids, refundedCents: number): Event => [
  'charge.refunded',
  charge({
    id,
    payment_intent: payment,
    amount: 20_000,
    amount_captured: 12_000,
    amount_refunded: refundedCents,
  }),
]

const halfOfAuthorized = (ids: Ids): Event[] => [
  unpaid(ids, { amount_total: 20_000 }),
  captured(ids, 12_000, { amount: 20_000 }),
]

test.each<{ case: string; events: (ids: Ids) => Event[]; earned: number | null }>([
  {
    case: 'a checkout that is never captured earns nothing',
    events: (ids) => [unpaid(ids)],
    earned: null,
  },
  {
    case: 'a checkout that is captured later',
    events: (ids) => [unpaid(ids), captured(ids, 10_000)],
    earned: 2_000,
  },
  {
    case: 'a checkout of which 60.00 is captured later',
    events: (ids) => [unpaid(ids), captured(ids, 6_000)],
    earned: 1_200,
  },
  {
    case: 'a checkout whose tax is a sixth, of which 60.00 is captured',
    events: (ids) => [
      unpaid(ids, {
        amount_total: 12_000,
        total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 2_000 },
      }),
      captured(ids, 6_000, { amount: 12_000 }),
    ],
    earned: 1_000,
  },
  {
    case: 'a delayed method whose own event of success is sent too',
    events: (ids) => {
      const [, session] = unpaid(ids)
      return [
        ['checkout.session.completed', session],
        ['checkout.session.async_payment_succeeded', { ...session, payment_status: 'paid' }],
        captured(ids, 10_000),
      ]
    },
    earned: 2_000,
  },
  {
    case: 'a checkout that is said to be paid, of which 60.00 was captured',
    events: (ids) => [unpaid(ids, { payment_status: 'paid' }), captured(ids, 6_000)],
    earned: 1_200,
  },
  {
    case: 'a checkout in euros that was paid in dollars, of which 60% was captured',
    events: (ids) => [
      unpaid(ids, { currency: 'eur' }),
      captured(ids, 7_200, { amount: 12_000, currency: 'usd' }),
    ],
    earned: 1_200,
  },
  {
    case: 'a payment by a payment element of which 60.00 was captured, with a sixth of tax',
    events: (ids) => [
      captured(ids, 6_000, {
        amount: 12_000,
        amount_details: { tax: { total_tax_amount: 2_000 } },
        metadata: { tributary_click: ids.clickId },
      }),
    ],
    earned: 1_000,
  },
  {
    case: 'a partial capture, with the release of the rest in the total of the charge',
    events: (ids) => [...halfOfAuthorized(ids), ofPartCapture(ids, 8_000)],
    earned: 2_400,
  },
  {
    case: 'a partial capture, with the release of the rest as a refund',
    events: (ids) => [...halfOfAuthorized(ids), refunded(ids, 8_000, { created: YESTERDAY })],
    earned: 2_400,
  },
  {
    case: 'a partial capture, a release in both forms, and a refund of 60.00 of what was captured',
    events: (ids) => [
      ...halfOfAuthorized(ids),
      refunded(ids, 8_000, { created: YESTERDAY }),
      refunded(ids, 6_000),
      ofPartCapture(ids, 14_000),
    ],
    earned: 1_200,
  },
  {
    case: 'a partial capture whose charge alone says so, of a checkout that is said to be paid',
    events: (ids) => [
      unpaid(ids, { amount_total: 20_000, payment_status: 'paid' }),
      ofPartCapture(ids, 8_000),
    ],
    earned: 2_400,
  },
  {
    case: 'a partial capture that is refunded, as much as was released',
    events: (ids) => [...halfOfAuthorized(ids), refunded(ids, 8_000), ofPartCapture(ids, 16_000)],
    earned: 800,
  },
  {
    case: 'a partial capture that is refunded in full',
    events: (ids) => [...halfOfAuthorized(ids), ofPartCapture(ids, 20_000)],
    earned: 0,
  },
  {
    case: 'a partial capture, half of which is disputed',
    events: (ids) => [
      ...halfOfAuthorized(ids),
      ofPartCapture(ids, 8_000),
      ['charge.dispute.created', dispute({ payment_intent: ids.payment, amount: 6_000 })],
    ],
    earned: 1_200,
  },
  {
    case: 'an invoice that is paid twice, whose second payment is refunded',
    events: (ids) => [
      plain(ids),
      ['invoice_payment.paid', invoicePayment(ids.invoice, ids.second)],
      captured(ids, 10_000),
      captured({ ...ids, payment: ids.second, charge: stripeId('ch') }, 10_000),
      refunded({ ...ids, payment: ids.second }, 10_000),
    ],
    earned: 2_000,
  },
  {
    case: 'an invoice that says what was overpaid, of which as much and half of the rest is refunded',
    events: (ids) => [plain(ids, { amount_overpaid: 4_000 }), refunded(ids, 9_000)],
    earned: 1_000,
  },
  {
    case: 'an order that is paid by two checkouts, one of which is refunded',
    events: (ids) => [...ordered(ids, { payment_status: 'paid' }), refunded(secondOf(ids), 10_000)],
    earned: 2_000,
  },
  {
    case: 'an order that is paid by two checkouts, one of them in euros, which is refunded',
    events: (ids) => [
      ...ordered(ids, { payment_status: 'paid' }, { currency: 'eur', amount_total: 8_800 }),
      refunded(secondOf(ids), 8_800, { currency: 'eur' }),
    ],
    earned: 2_000,
  },
  {
    case: 'an order of two checkouts, the first of which is never captured',
    events: (ids) => [...ordered(ids), captured(secondOf(ids), 10_000)],
    earned: 2_000,
  },
  {
    case: 'a credit note that gives the tax back',
    events: (ids) => [
      taxed(ids),
      [
        'credit_note.created',
        creditNote({ invoice: ids.invoice, amount: 1_900, total_excluding_tax: 0 }),
      ],
    ],
    earned: 2_000,
  },
  {
    case: 'a credit note of an older version that gives the tax back by a refund',
    events: (ids) => [
      taxed(ids),
      refunded(ids, 1_900, { id: 're_tax' }),
      [
        'credit_note.created',
        creditNote({
          invoice: ids.invoice,
          amount: 1_900,
          tax_amounts: [{ amount: 1_900 }],
          refund: 're_tax',
        }),
      ],
    ],
    earned: 2_000,
  },
  {
    case: 'a credit note of half the price, without its tax',
    events: (ids) => [
      taxed(ids),
      [
        'credit_note.created',
        creditNote({ invoice: ids.invoice, amount: 5_000, total_excluding_tax: 5_000 }),
      ],
    ],
    earned: 1_000,
  },
  {
    case: 'a credit note of the shipping, which the program does not reward',
    events: (ids) => [
      taxed(ids, SHIPPED),
      [
        'credit_note.created',
        creditNote({
          invoice: ids.invoice,
          amount: 1_190,
          total_excluding_tax: 1_000,
          shipping_cost: { amount_subtotal: 1_000, amount_tax: 190, amount_total: 1_190 },
        }),
      ],
    ],
    earned: 2_000,
  },
  {
    case: 'a credit note for tax whose refund failed, and a refund of half',
    events: (ids) => [
      taxed(ids),
      [
        'refund.failed',
        refund({ id: 're_f', payment_intent: ids.payment, amount: 1_900, status: 'failed' }),
      ],
      refunded(ids, 5_950),
      [
        'credit_note.created',
        creditNote({
          invoice: ids.invoice,
          amount: 1_900,
          total_excluding_tax: 0,
          refunds: [{ refund: 're_f', amount_refunded: 1_900 }],
        }),
      ],
    ],
    earned: 1_000,
  },
  {
    case: 'a refund in another currency, whose payment is not known: it waits',
    events: (ids) => [plain(ids), refunded(ids, 4_400, { currency: 'eur' })],
    earned: 2_000,
  },
  {
    case: 'a refund in another currency of half of its payment',
    events: (ids) => [
      plain(ids),
      refunded(ids, 4_400, { currency: 'eur' }),
      captured(ids, 8_800, { amount: 8_800, currency: 'eur' }),
    ],
    earned: 1_000,
  },
  {
    case: 'a refund of one of two payments in another currency, which paid an invoice together',
    events: (ids) => [
      plain(ids),
      ['invoice_payment.paid', invoicePayment(ids.invoice, ids.second)],
      inEuros(ids, 4_400),
      inEuros(secondOf(ids), 4_400),
      refunded(secondOf(ids), 4_400, { currency: 'eur' }),
    ],
    earned: 1_000,
  },
  {
    case: 'a refund in another currency of what had paid 40.00 of an invoice',
    events: (ids) => [
      plain(ids),
      ['invoice_payment.paid', invoicePayment(ids.invoice, ids.second)],
      captured(ids, 6_000, { amount: 6_000 }),
      inEuros(secondOf(ids), 3_600),
      refunded(secondOf(ids), 3_600, { currency: 'eur' }),
    ],
    earned: 1_200,
  },
  {
    case: 'a credit note of half, by a refund in another currency',
    events: (ids) => [
      ...notedInEuros(ids, {
        total_excluding_tax: 5_000,
        refunds: [{ refund: `re_${ids.payment}`, amount_refunded: 5_000 }],
      }),
      inEuros(ids, 8_800),
      refunded(ids, 4_400, { id: `re_${ids.payment}`, currency: 'eur' }),
    ],
    earned: 1_000,
  },
  {
    case: 'a credit note of an older version of half, by a refund in another currency',
    events: (ids) => [
      ...notedInEuros(ids, { refund: `re_${ids.payment}` }),
      inEuros(ids, 8_800),
      refunded(ids, 4_400, { id: `re_${ids.payment}`, currency: 'eur' }),
    ],
    earned: 1_000,
  },
  {
    case: 'a credit note of half, by a refund in another currency in the total of its charge alone',
    events: (ids) => [
      ...notedInEuros(ids, { refunds: [{ refund: 're_unseen', amount_refunded: 5_000 }] }),
      [
        'charge.refunded',
        charge({
          id: ids.charge,
          payment_intent: ids.payment,
          amount: 8_800,
          amount_refunded: 4_400,
          currency: 'eur',
        }),
      ],
    ],
    earned: 1_000,
  },
  {
    case: 'a credit note of half, by a refund in another currency that failed',
    events: (ids) => [
      ...notedInEuros(ids, {
        total_excluding_tax: 5_000,
        refunds: [{ refund: `re_${ids.payment}`, amount_refunded: 5_000 }],
      }),
      inEuros(ids, 8_800),
      [
        'refund.failed',
        refund({
          id: `re_${ids.payment}`,
          payment_intent: ids.payment,
          amount: 4_400,
          currency: 'eur',
          status: 'failed',
        }),
      ],
    ],
    earned: 2_000,
  },
  {
    case: 'a refund in another currency of half of its charge',
    events: (ids) => [
      plain(ids),
      refunded(ids, 4_400, { currency: 'eur' }),
      [
        'charge.refunded',
        charge({
          id: ids.charge,
          payment_intent: ids.payment,
          amount: 8_800,
          amount_refunded: 4_400,
          currency: 'eur',
        }),
      ],
    ],
    earned: 1_000,
  },
])('$case', async ({ events, earned }) => {
  const all = orders(events(newIds('')).map((_, at) => at))
  // Reversed, rotated and swapped: each event comes first, last and in between.
  const some = all.length > 24 ? all.filter((_, at) => at % 11 === 0 || at === all.length - 1) : all
  for (const order of some) {
    const shop = await openStripeShop(database)
    const deliveries = events(newIds(await shop.clickBefore()))
    for (const at of order) {
      const [type, object] = deliveries[at] ?? []
      if (type && object) await shop.deliver(type, object, occurredAt(type, object))
    }
    const sales = await shop.sales()
    const cents = sales.reduce((sum, sale) => sum + (sale.earned ?? 0), 0)
    expect([order, sales.length > 0 ? cents : null]).toEqual([order, earned])
    expect(await database.violations(shop.merchant.workspace.id)).toEqual([])
    expect([order, await database.differences(shop.merchant.workspace.id)]).toEqual([order, []])
  }
})
