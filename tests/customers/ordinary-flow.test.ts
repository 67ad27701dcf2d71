// @module-tag sampled
/**
 * The ordinary flow: a visitor clicks, signs up with an address, and pays under a new Stripe
 * customer. Stripe's events and the backend's lead overtake each other, and nothing is held for
 * that. Design section 5, "Who a customer is".
 */
import { describe, expect, test } from 'vitest'
import { type Buyer, inEveryOrder, ofSubscription, openShop } from '../support/buyers.ts'
import { codes, useDatabase } from '../support/merchant.ts'
import { paymentIntent } from '../support/stripe.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

const HOUR = 3_600
const isoAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString()

type Facts = Record<string, () => Promise<unknown>>

/** What Stripe reports of the payment, so many seconds after the shop was opened. */
const PAYMENTS: { payment: string; facts: (buyer: Buyer, at: number) => Facts; sale: string }[] = [
  {
    payment: 'a subscription',
    facts: (buyer, at) => ({
      checkout: () =>
        buyer.checkout({ at, invoice: buyer.id('in'), subscription: buyer.id('sub') }),
      invoice: () =>
        buyer.invoice({ at, ...ofSubscription(buyer.id('sub'), 'subscription_create') }),
    }),
    sale: 'in',
  },
  {
    payment: 'a checkout',
    facts: (buyer, at) => ({ checkout: () => buyer.checkout({ at }) }),
    sale: 'pi',
  },
  {
    payment: 'a guest’s checkout',
    facts: (buyer, at) => ({ checkout: () => buyer.checkout({ at, customer: null }) }),
    sale: 'pi',
  },
  {
    payment: 'a guest’s checkout of before the click, which is captured after it',
    facts: (buyer, at) => ({
      captured: () =>
        buyer.event('payment_intent.succeeded', paymentIntent({ id: buyer.id('pi') }), at),
      checkout: () =>
        buyer.checkout({ at: at - 2 * HOUR, customer: null, payment_status: 'unpaid' }),
    }),
    sale: 'pi',
  },
  {
    payment: 'an invoice with the merchant’s id',
    facts: (buyer, at) => ({
      invoice: () => buyer.invoice({ at, metadata: { customerExternalId: buyer.id('user') } }),
    }),
    sale: 'in',
  },
]

/**
 * The lead of a buyer who clicked an hour ago. `paidAt`: in seconds, before or after it is
 * received.
 */
const LEADS = [
  { lead: 'before the payment', paidAt: 60, body: () => ({}) },
  { lead: 'a minute after the payment', paidAt: -60, body: () => ({}) },
  { lead: 'four minutes after the payment', paidAt: -240, body: () => ({}) },
  {
    lead: 'an hour after it took place and the payment, with its own time',
    paidAt: -HOUR / 2,
    body: () => ({ occurredAt: isoAgo(HOUR / 2 + 10) }),
  },
]

const cases = PAYMENTS.flatMap((payment) => LEADS.map((lead) => ({ ...payment, ...lead })))

test.each(everyNth(5, cases))(
  'a lead that is received $lead credits $payment in every order, without a hold',
  async ({ facts, sale, paidAt, body }) => {
    const shop = await openShop(database)
    await inEveryOrder(
      shop,
      async (buyer) => {
        const clickId = await buyer.click('maya', 1)
        return { lead: () => buyer.lead({ clickId, ...body() }), ...facts(buyer, paidAt) }
      },
      { sales: { [sale]: 'maya 980' } },
    )
  },
)

test.each(everyNth(2, PAYMENTS))(
  'a lead in a batch credits $payment before it, without a hold',
  async ({ facts, sale }) => {
    const shop = await openShop(database)
    await inEveryOrder(
      shop,
      async (buyer) => {
        const clickId = await buyer.click('maya', 1)
        const lead = {
          kind: 'lead',
          externalId: buyer.id('user'),
          customerEmail: buyer.address,
          clickId,
        }
        const batch = () => shop.merchant.post('/api/track/batch', { events: [lead] })
        return { lead: batch, ...facts(buyer, -60) }
      },
      { sales: { [sale]: 'maya 980' } },
    )
  },
)

test('a lead that races a sale of a known customer by API credits it without a hold', async () => {
  const shop = await openShop(database, { program: { attribute_known_customers: true } })
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya', 1)
      return { lead: () => buyer.lead({ clickId }), sale: () => buyer.sale() }
    },
    { sales: { order: 'maya 980' } },
  )
})

describe('a program that holds what only an unverified address credits', () => {
  const HOLDS = { program: { unverified_addresses: 'hold' } } as const
  const byAddress = PAYMENTS.slice(0, 4)

  test.each(byAddress)(
    'holds $payment in every order, and its step says why',
    async ({ facts, sale }) => {
      const shop = await openShop(database, HOLDS)
      const step = { because: 'owner', byAddress: 'unverified', slug: 'maya' }
      await inEveryOrder(
        shop,
        async (buyer) => {
          const clickId = await buyer.click('maya', 1)
          return { lead: () => buyer.lead({ clickId }), ...facts(buyer, -60) }
        },
        { sales: { [sale]: 'maya 980 of which 980 held' } },
      )
      const { body } = await shop.merchant.get('/events?kind=sale&limit=1')
      const [event] = body.data as { steps: { code: string; facts: object }[] }[]
      expect(event?.steps[0]).toMatchObject({ code: 'customer', facts: step })
      expect(codes({ steps: event?.steps as never })).toContain('unverified_address')
    },
  )

  test.each(byAddress)(
    'does not hold $payment if the lead says emailVerified',
    async ({ facts, sale }) => {
      const shop = await openShop(database, HOLDS)
      await inEveryOrder(
        shop,
        async (buyer) => {
          const clickId = await buyer.click('maya', 1)
          return { lead: () => buyer.lead({ clickId, emailVerified: true }), ...facts(buyer, -60) }
        },
        { sales: { [sale]: 'maya 980' } },
      )
    },
  )
})
