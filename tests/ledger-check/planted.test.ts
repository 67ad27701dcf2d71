/**
 * Faults that systems of this kind have had, planted into a sound ledger: each leaves rows that
 * agree with each other, and is found because the money does not. 100.00 sold earns 20.00.
 */

import { expect, test } from 'vitest'
import { differencesOf, violationsOf } from '../support/ledger.ts'
import { useDatabase } from '../support/merchant.ts'
import { useRolledBack } from '../support/rolled-back.ts'
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
} from '../support/stripe.ts'
import { openStripeShop } from '../support/stripe-shop.ts'

const database = useDatabase()
const query = useRolledBack()

type Event = [type: string, object: StripeObject]
type Shop = Awaited<ReturnType<typeof openStripeShop>>

const newIds = () => ({
  payment: stripeId('pi'),
  second: stripeId('pi'),
  charge: stripeId('ch'),
  invoice: stripeId('in'),
  customer: stripeId('cus'),
})
type Ids = ReturnType<typeof newIds>

/** An invoice of 100.00, and 19.00 of tax if it is taxed. */
const billed = ({ invoice: id, customer, payment }: Ids, clickId: string, tax = 0): Event => [
  'invoice.paid',
  invoice({
    ...{ id, customer, metadata: { tributary_click: clickId } },
    payments: { data: [{ payment: { payment_intent: payment } }] },
    ...{ amount_paid: 10_000 + tax, total: 10_000 + tax, total_excluding_tax: 10_000 },
  }),
]

/** A checkout of an authorization of 200.00, of which 120.00 was captured. */
const halfCaptured = ({ payment, charge, customer }: Ids, clickId: string): Event[] => [
  [
    'checkout.session.completed',
    checkoutSession({
      ...{
        payment_intent: payment,
        customer,
        client_reference_id: clickId,
        payment_status: 'unpaid',
      },
      ...{ amount_subtotal: 20_000, amount_total: 20_000 },
    }),
  ],
  [
    'payment_intent.succeeded',
    paymentIntent({
      ...{ id: payment, latest_charge: charge, customer, amount: 20_000, amount_received: 12_000 },
      payment_details: null,
    }),
  ],
]

/** Reverses or reinstates a part of the shop's only commission. */
const reverse = ({ merchant }: Shop, cents: number) =>
  query(
    `insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind, reverses_id,
                              amount_cents, currency, payable_at, created_at)
     select gen_random_uuid(), workspace_id, program_id, partner_id, customer_id, event_id, reward_id, 'reversal', id, $2,
            currency, payable_at, created_at
     from commissions where workspace_id = $1 and kind = 'sale'`,
    [merchant.workspace.id, cents],
  )

/** Forgets the sale and what it has earned. */
const forget = async ({ merchant }: Shop) => {
  const of = [merchant.workspace.id]
  await query('update processor_events set event_id = null where workspace_id = $1', of)
  await query('update events set commission_id = null where workspace_id = $1', of)
  await query('delete from one_time_rewards where workspace_id = $1', of)
  await query('delete from commissions where workspace_id = $1', of)
  await query(`delete from events where workspace_id = $1 and kind = 'sale'`, of)
}

/** Records another amount of the sale, which earns its part. */
const resell = async ({ merchant }: Shop, cents: number) => {
  await query('set local session_replication_role = replica')
  await query('update events set amount_cents = $2 where workspace_id = $1', [
    merchant.workspace.id,
    cents,
  ])
  await query(
    `update commissions set amount_cents = $2 where workspace_id = $1 and kind = 'sale'`,
    [merchant.workspace.id, Math.round(cents / 5)],
  )
}

test.each<{
  fault: string
  events: (ids: Ids, clickId: string) => Event[]
  plant: (shop: Shop, ids: Ids) => Promise<unknown>
  found: string
}>([
  {
    fault: 'a checkout that is captured later earns nothing',
    events: halfCaptured,
    plant: forget,
    found: '120.00 USD was received, and no sale is recorded',
  },
  {
    fault: 'a part capture earns what was authorized',
    events: halfCaptured,
    plant: (shop) => resell(shop, 20_000),
    found:
      '120.00 USD was received, of which 120.00 USD counts. The ledger has a sale of 200.00 USD',
  },
  {
    fault: 'the release of what was not captured counts as a refund',
    events: (ids, clickId) => [
      ...halfCaptured(ids, clickId),
      [
        'charge.refunded',
        charge({
          ...{ id: ids.charge, payment_intent: ids.payment, amount: 20_000 },
          ...{ amount_captured: 12_000, amount_refunded: 8_000 },
        }),
      ],
    ],
    plant: (shop) => reverse(shop, -1_600),
    found: '120.00 USD was received, and 0.00 USD of it was returned',
  },
  {
    fault: 'the second payment of an invoice is refunded, and takes the commission',
    events: (ids, clickId) => [
      billed(ids, clickId),
      ['invoice_payment.paid', invoicePayment(ids.invoice, ids.second)],
      ...[ids.payment, ids.second].map(
        (id): Event => [
          'payment_intent.succeeded',
          paymentIntent({ id, amount: 10_000, amount_received: 10_000, payment_details: null }),
        ],
      ),
      ['refund.created', refund({ payment_intent: ids.second, amount: 10_000 })],
    ],
    plant: (shop) => reverse(shop, -2_000),
    found: '100.00 USD was received, and 0.00 USD of it was returned',
  },
  {
    fault: 'a credit note that gives the tax back takes a part of the commission',
    events: (ids, clickId) => [
      billed(ids, clickId, 1_900),
      [
        'credit_note.created',
        creditNote({ invoice: ids.invoice, amount: 1_900, total_excluding_tax: 0 }),
      ],
    ],
    plant: (shop) => reverse(shop, -319),
    found: '119.00 USD was received, and 0.00 USD of it was returned',
  },
  {
    fault: 'a refund in another currency counts by its own cents',
    events: (ids, clickId) => [
      billed(ids, clickId),
      ['refund.created', refund({ payment_intent: ids.payment, amount: 4_400, currency: 'eur' })],
      [
        'payment_intent.succeeded',
        paymentIntent({
          ...{ id: ids.payment, amount: 8_800, amount_received: 8_800, currency: 'eur' },
          payment_details: null,
        }),
      ],
    ],
    plant: (shop) => reverse(shop, 120),
    found:
      '50.00 USD of it was returned. So 10.00 USD of the commission of 20.00 USD is to be reversed',
  },
  {
    fault: 'a refund in another currency, whose payment is not known, takes everything',
    events: (ids, clickId) => [
      billed(ids, clickId),
      ['refund.created', refund({ payment_intent: ids.payment, amount: 4_400, currency: 'eur' })],
    ],
    plant: (shop) => reverse(shop, -2_000),
    found: '0.00 USD of it was returned',
  },
  {
    fault: 'a reversal is rounded down',
    events: (ids, clickId) => [
      billed(ids, clickId),
      ['refund.created', refund({ payment_intent: ids.payment, amount: 3_333 })],
    ],
    plant: (shop) => reverse(shop, 1),
    found:
      'So 6.67 USD of the commission of 20.00 USD is to be reversed. The ledger has reversed 6.66 USD',
  },
  {
    fault: 'a refund reverses nothing',
    events: (ids, clickId) => [
      billed(ids, clickId),
      ['refund.created', refund({ payment_intent: ids.payment, amount: 10_000 })],
    ],
    plant: (shop) => reverse(shop, 2_000),
    found: '100.00 USD of it was returned',
  },
  {
    fault: 'a dispute that is lost reverses nothing',
    events: (ids, clickId) => [
      billed(ids, clickId),
      [
        'charge.dispute.closed',
        dispute({ payment_intent: ids.payment, amount: 10_000, status: 'lost' }),
      ],
    ],
    plant: (shop) => reverse(shop, 2_000),
    found: '100.00 USD of it was returned',
  },
  {
    fault: 'tax counts',
    events: (ids, clickId) => [billed(ids, clickId, 1_900)],
    plant: (shop) => resell(shop, 11_900),
    found:
      '119.00 USD was received, of which 100.00 USD counts. The ledger has a sale of 119.00 USD',
  },
  {
    fault: 'a commission is more than its reward says',
    events: (ids, clickId) => [billed(ids, clickId)],
    plant: async ({ merchant }) => {
      await query('set local session_replication_role = replica')
      await query('update commissions set amount_cents = 2400 where workspace_id = $1', [
        merchant.workspace.id,
      ])
    },
    found: '20% of the sale of 100.00 USD is 20.00 USD. The ledger has a commission of 24.00 USD',
  },
  {
    fault: 'a refund of a sale that earns nothing is not stored with the sale',
    events: (ids) => [
      billed(ids, '', 1_900),
      ['refund.created', refund({ payment_intent: ids.payment, amount: 2_380 })],
    ],
    plant: ({ merchant }) =>
      query('update events set returned_cents = 0 where workspace_id = $1', [
        merchant.workspace.id,
      ]),
    found: 'So 20.00 USD of the sale of 100.00 USD was returned. The ledger says 0.00 USD.',
  },
])('is found: $fault', async ({ events, plant, found }) => {
  const shop = await openStripeShop(database)
  const { id } = shop.merchant.workspace
  const ids = newIds()
  for (const [type, object] of events(ids, await shop.clickBefore()))
    await shop.deliver(type, object, seconds() - (type.startsWith('pay') ? 1_200 : 0))
  expect(await differencesOf(query, id)).toEqual([])
  await plant(shop, ids)
  expect(await differencesOf(query, id)).toEqual([expect.stringContaining(found)])
  // What agrees with itself is not found otherwise.
  const ownTotals = (await violationsOf(query, id)).filter(
    ({ invariant }) => !invariant.startsWith('totals'),
  )
  expect(ownTotals).toEqual([])
})

/** A shop whose customer has paid an invoice, and once more without one. */
const paidTwice = async ({ names }: { names: boolean }) => {
  const shop = await openStripeShop(database)
  const ids = newIds()
  const [type, object] = billed(ids, await shop.clickBefore())
  const paid = { ...object, status_transitions: { paid_at: seconds() - 1_300 } }
  await shop.deliver(type, names ? paid : { ...paid, payments: { data: [] } })
  const { second: id, customer } = ids
  const payment = { id, customer, amount: 10_000, amount_received: 10_000, payment_details: null }
  await shop.deliver('payment_intent.succeeded', paymentIntent(payment), seconds() - 1_200)
  // That both earn is planted, whatever holds them by now.
  await query('delete from commission_holds where workspace_id = $1', [shop.merchant.workspace.id])
  return differencesOf(query, shop.merchant.workspace.id)
}

test('is found: an invoice earns, and so does its payment, which nothing ties to it', async () => {
  expect(await paidTwice({ names: false })).toEqual([
    expect.stringContaining('look like one payment of 100.00 USD, and each of them earns'),
  ])
})

test('an invoice whose payment is known, and another payment of the same amount, are two purchases', async () => {
  expect(await paidTwice({ names: true })).toEqual([])
})

test('is found: a checkout earns, and so does its receipt invoice', async () => {
  const shop = await openStripeShop(database)
  const ids = newIds()
  const [type, object] = billed(ids, await shop.clickBefore())
  await shop.deliver(
    'checkout.session.completed',
    checkoutSession({
      ...{
        payment_intent: ids.payment,
        customer: ids.customer,
        client_reference_id: await shop.clickBefore(),
      },
      ...{ amount_subtotal: 10_000, amount_total: 10_000 },
    }),
  )
  await shop.deliver(type, { ...object, payments: { data: [] } })
  await query('delete from commission_holds where workspace_id = $1', [shop.merchant.workspace.id])
  expect(await differencesOf(query, shop.merchant.workspace.id)).toEqual([
    expect.stringContaining('look like one payment of 100.00 USD, and each of them earns'),
  ])
})

test('is found: two sales of one invoice, which its payment ties, both earn', async () => {
  const shop = await openStripeShop(database)
  const ids = newIds()
  const [type, object] = billed(ids, await shop.clickBefore())
  await shop.deliver(type, object)
  const of = [shop.merchant.workspace.id]
  await query('set local session_replication_role = replica')
  await query(
    `insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id, amount_cents, currency,
                         partner_id, attributed_by, steps, occurred_at)
     select gen_random_uuid(), workspace_id, kind, $2, event_name, customer_external_id, customer_id, amount_cents, currency,
            partner_id, attributed_by, steps, occurred_at from events where workspace_id = $1`,
    [...of, ids.payment],
  )
  await query(
    `insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind, amount_cents,
                              currency, payable_at, created_at)
     select gen_random_uuid(), c.workspace_id, c.program_id, c.partner_id, c.customer_id, e.id, c.reward_id, c.kind, c.amount_cents,
            c.currency, c.payable_at, c.created_at
     from commissions c join events e on e.workspace_id = c.workspace_id and e.id <> c.event_id where c.workspace_id = $1`,
    of,
  )
  expect(await differencesOf(query, of[0] ?? '')).toContainEqual(
    `${ids.invoice} and ${ids.payment} are one purchase, and each of them earns.`,
  )
})

test('is found: the first payment of a subscription that earns nothing, as if it were a change of it', async () => {
  const shop = await openStripeShop(database, {
    program: { reward: { amountCents: 1_000n, currency: 'USD' } },
  })
  const ids = newIds()
  const [type, object] = billed(ids, await shop.clickBefore())
  const parent = {
    type: 'subscription_details',
    subscription_details: { subscription: stripeId('sub') },
  }
  await shop.deliver(type, { ...object, billing_reason: 'subscription_update', parent })
  const of = [shop.merchant.workspace.id]
  expect(await differencesOf(query, of[0] ?? '')).toEqual([])
  await query('set local session_replication_role = replica')
  await query(
    `update events set commission_id = null, steps = '[{"code": "proration", "facts": {}}]' where workspace_id = $1`,
    of,
  )
  await query('delete from commissions where workspace_id = $1', of)
  expect(await differencesOf(query, of[0] ?? '')).toEqual([
    `${ids.invoice}: no earlier sale of its subscription was rewarded, and it earns nothing as a change of it.`,
  ])
})

test('is found: an event that could not be read', async () => {
  const shop = await openStripeShop(database)
  const [type, object] = billed(newIds(), await shop.clickBefore())
  await shop.deliver(type, object)
  const of = [shop.merchant.workspace.id]
  await query(
    `update processor_events set outcome = '{"code": "unreadable", "facts": {"reason": "amount_paid is too large"}}', keys = '{}',
                                 facts = '[]' where workspace_id = $1`,
    of,
  )
  expect(await differencesOf(query, of[0] ?? '')).toEqual([
    expect.stringMatching(
      /^evt_\w+ \(invoice\.paid\) could not be read, .* amount_paid is too large\.$/,
    ),
  ])
})

test('what managers reversed by hand and what the merchant reports as refunded are counted', async () => {
  const shop = await openStripeShop(database)
  const { merchant } = shop
  const manager = await merchant.asManager()
  const ids = newIds()
  const [type, object] = billed(ids, await shop.clickBefore(), 1_900)
  await shop.deliver(type, object)
  const [commission] = await database.query<{ id: string }>(
    'select id from commissions where workspace_id = $1',
    [merchant.workspace.id],
  )
  const reversal = { amountCents: 300, reason: 'Agreed', externalId: 'rev-1' }
  expect((await manager.post(`/commissions/${commission?.id}/reverse`, reversal)).status).toBe(201)
  expect((await merchant.refund({ saleExternalId: ids.invoice, amountCents: 2_500 })).status).toBe(
    200,
  )
  expect(await differencesOf(query, merchant.workspace.id)).toEqual([])
  await reverse(shop, -300)
  expect(await differencesOf(query, merchant.workspace.id)).toEqual([
    expect.stringContaining(
      'Managers reversed 3.00 USD by hand. So 8.00 USD of the commission of 20.00 USD is to be reversed',
    ),
  ])
})
