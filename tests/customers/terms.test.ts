// @module-tag sampled
/**
 * The terms that count are those of the sale's time. Design section 5, "Terms of the time",
 * "Rewards".
 */
import { describe, expect, test } from 'vitest'
import { type Buyer, inEveryOrder, ofSubscription, openShop, paidBy } from '../support/buyers.ts'
import { useDatabase } from '../support/merchant.ts'
import { charge, oldInvoice, refund, seconds, stripeId } from '../support/stripe.ts'
import { openStripeShop } from '../support/stripe-shop.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

const HOUR = 3_600

/** Changes of a program's terms after a sale at 20% was paid. */
const EDITS: { edit: string; change: Record<string, unknown> }[] = [
  { edit: 'the reward was lowered', change: { reward: { kind: 'percent', percent: 5 } } },
  { edit: 'the reward was made one-time', change: { rewardInterval: 'one-time' } },
  {
    edit: 'the reward was made flat',
    change: { reward: { kind: 'flat', amountCents: 100, currency: 'USD' } },
  },
]

test.each(everyNth(3, EDITS))(
  'sales that were paid before $edit earn 20%, in whatever order they, their tax and the edit arrive',
  async ({ change }) => {
    const shop = await openShop(database)
    await inEveryOrder(
      shop,
      async (buyer) => {
        const clickId = await buyer.click('maya', 1)
        return {
          report: () => buyer.sale({ externalId: buyer.id('in'), amountCents: 5_880, clickId }),
          invoice: () =>
            buyer.invoice({
              at: -60,
              amount_paid: 5_880,
              total: 5_880,
              total_excluding_tax: 4_900,
            }),
          checkout: () =>
            buyer.checkout({ at: -30, amount_total: 2_000, client_reference_id: clickId }),
        }
      },
      { sales: { in: 'maya 980', pi: 'maya 400' } },
      {
        once: async () => {
          const { status } = await shop.manager.patch(
            `/programs/${shop.merchant.programId}`,
            change,
          )
          expect(status).toBe(200)
        },
      },
    )
  },
)

test('a sale that was paid before its partner was banned is earned, and none after, whenever they are received', async () => {
  const shop = await openShop(database)
  const [maya] = await database.query<{ id: string }>(
    "select id from partners where workspace_id = $1 and slug = 'maya'",
    [shop.merchant.workspace.id],
  )
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya', 1)
      return {
        before: () => buyer.checkout({ at: -60, client_reference_id: clickId }),
        invoice: () => buyer.invoice({ at: -30, ...paidBy(buyer.id('pi', 'in')) }),
      }
    },
    { sales: { pi: 'maya 980', in: 'maya 980', in_after: 'nobody 0' }, customers: 1 },
    {
      last: (buyer) => buyer.invoice({ id: buyer.id('in', 'after'), at: HOUR }),
      once: async () => {
        const { status } = await shop.manager.patch(`/partners/${maya?.id}`, { status: 'banned' })
        expect(status).toBe(200)
      },
    },
  )
})

test('a recurring flat reward pays once per period, nothing on prorations, and never more than the sale', async () => {
  const shop = await openShop(database, {
    program: { reward: { amountCents: 1_000n, currency: 'USD' } },
  })
  await inEveryOrder(
    shop,
    async (buyer) => {
      const subscription = buyer.id('sub')
      const clickId = await buyer.click()
      const small = { amount_paid: 50, total: 50, total_excluding_tax: 50 }
      return {
        checkout: () =>
          buyer.checkout({
            at: 60,
            subscription,
            invoice: buyer.id('in'),
            client_reference_id: clickId,
          }),
        first: () =>
          buyer.invoice({ at: 65, ...ofSubscription(subscription, 'subscription_create') }),
        update: () =>
          buyer.invoice({
            ...{ id: buyer.id('in', 'update'), at: 600, ...small },
            ...ofSubscription(subscription, 'subscription_update'),
          }),
        small: () =>
          buyer.invoice({
            id: buyer.id('in', 'small'),
            at: 3_600,
            ...small,
            ...ofSubscription(subscription),
          }),
      }
    },
    { sales: { in: 'maya 1000', in_update: 'maya 0', in_small: 'maya 50' }, customers: 1 },
  )
})

describe('under a recurring flat reward', () => {
  const SMALL = { amount_paid: 50, total: 50, total_excluding_tax: 50 }
  const FREE = { amount_paid: 0, total: 0, total_excluding_tax: 0 }
  const openFlat = () =>
    openShop(database, { program: { reward: { amountCents: 1_000n, currency: 'USD' } } })
  /** An invoice of a subscription. */
  const bill = (
    buyer: Buyer,
    name: string,
    at: number,
    reason: string,
    more: object = {},
    of = 'sub',
  ) =>
    buyer.invoice({
      id: buyer.id('in', name),
      at,
      ...ofSubscription(buyer.id(of), reason),
      ...more,
    })

  test('the first payment of a subscription earns it, also an upgrade from a free plan, and later changes do not', async () => {
    await inEveryOrder(
      await openFlat(),
      async (buyer) => {
        const clickId = await buyer.click()
        return {
          checkout: () =>
            buyer.checkout({
              ...{ at: 60, amount_total: 0, subscription: buyer.id('sub') },
              ...{ invoice: buyer.id('in', 'free'), client_reference_id: clickId },
            }),
          free: () => bill(buyer, 'free', 65, 'subscription_create', FREE),
          upgrade: () => bill(buyer, 'upgrade', 600, 'subscription_update'),
          seat: () => bill(buyer, 'seat', 900, 'subscription_update', SMALL),
        }
      },
      {
        sales: { in_upgrade: 'maya 1000', in_seat: 'maya 0', in_cycle: 'maya 1000' },
        customers: 1,
      },
      { last: (buyer) => bill(buyer, 'cycle', 3_600, 'subscription_cycle') },
    )
  })

  test('a change earns none after a first payment that was refunded, which was rewarded all the same', async () => {
    await inEveryOrder(
      await openFlat(),
      (buyer) => ({
        import: () => buyer.import(),
        first: () =>
          buyer.invoice(
            {
              ...{ id: buyer.id('in', 'first'), at: 60, subscription: buyer.id('sub') },
              ...{ billing_reason: 'subscription_create', charge: buyer.id('ch') },
            },
            oldInvoice,
          ),
        refund: () =>
          buyer.event(
            'charge.refunded',
            charge({ id: buyer.id('ch'), amount_refunded: 4_900 }),
            90,
          ),
        upgrade: () => bill(buyer, 'upgrade', 600, 'subscription_update'),
      }),
      { sales: { in_first: 'maya 0', in_upgrade: 'maya 0' }, customers: 1 },
    )
  })

  test('a change earns it where nobody was rewarded for its subscription before, whatever else the customer bought', async () => {
    await inEveryOrder(
      await openFlat(),
      async (buyer) => {
        await buyer.import()
        return {
          other: () => bill(buyer, 'other', 60, 'subscription_create', {}, 'sub2'),
          old: () => bill(buyer, 'old', -600, 'subscription_create'),
          upgrade: () => bill(buyer, 'upgrade', 600, 'subscription_update'),
        }
      },
      {
        sales: { in_old: 'nobody 0', in_other: 'maya 1000', in_upgrade: 'maya 1000' },
        customers: 1,
      },
    )
  })

  const CREDIT = { amount: -2_000, period: { start: 1, end: 2 } }
  const FULL = { amount: 6_900, period: { start: 1, end: 2 } }
  const LINES = {
    'since API 2025-03-31': [
      {
        ...CREDIT,
        parent: { type: 'invoice_item_details', invoice_item_details: { proration: true } },
      },
      {
        ...FULL,
        parent: {
          type: 'subscription_item_details',
          subscription_item_details: { proration: false },
        },
      },
    ],
    'before API 2025-03-31': [
      { ...CREDIT, type: 'invoiceitem', proration: true },
      { ...FULL, type: 'subscription', proration: false },
    ],
  }
  test.each(everyNth(2, Object.entries(LINES)))(
    'a change to another interval earns it, because it bills a period that begins: lines %s',
    async (_, [credit, full]) => {
      await inEveryOrder(
        await openFlat(),
        (buyer) => ({
          import: () => buyer.import(),
          monthly: () => bill(buyer, 'monthly', 60, 'subscription_create'),
          yearly: () =>
            bill(buyer, 'yearly', 600, 'subscription_update', { lines: { data: [credit, full] } }),
          seat: () =>
            bill(buyer, 'seat', 900, 'subscription_update', {
              ...SMALL,
              lines: { data: [credit] },
            }),
        }),
        {
          sales: { in_monthly: 'maya 1000', in_yearly: 'maya 1000', in_seat: 'maya 0' },
          customers: 1,
        },
      )
    },
  )
})

test('a one-time reward goes to the sale that was paid first, whichever is received first', async () => {
  const shop = await openShop(database, { program: { reward_interval: 'one-time' } })
  await inEveryOrder(
    shop,
    (buyer) => ({
      import: () => buyer.import(),
      first: () => buyer.invoice({ at: 60, ...paidBy(buyer.id('pi', 'first')) }),
      second: () =>
        buyer.invoice({
          id: buyer.id('in', 'second'),
          at: 600,
          ...paidBy(buyer.id('pi', 'second')),
        }),
      third: () => buyer.checkout({ at: HOUR }),
    }),
    { sales: { in: 'maya 980', in_second: 'maya 0', pi: 'maya 0' }, customers: 1 },
  )
})

test.each([
  { attribution: 'first', second: 'maya 980' },
  { attribution: 'last', second: 'leo 980' },
] as const)(
  'two checkouts of a new customer through two links credit the same partners in every order, under “$attribution”',
  async ({ attribution, second }) => {
    const shop = await openShop(database, { program: { attribution } })
    await inEveryOrder(
      shop,
      async (buyer) => {
        const [maya, leo] = [await buyer.click('maya'), await buyer.click('leo')]
        return {
          first: () =>
            buyer.checkout({ at: 60, invoice: buyer.id('in'), client_reference_id: maya }),
          invoice: () => buyer.invoice({ at: 65 }),
          second: () =>
            buyer.checkout({
              ...{ id: buyer.id('cs_test', '2'), at: 600, invoice: buyer.id('in', 'second') },
              client_reference_id: leo,
            }),
          invoice2: () => buyer.invoice({ id: buyer.id('in', 'second'), at: 605 }),
        }
      },
      { sales: { in: 'maya 980', in_second: second }, customers: 1 },
    )
  },
)

test('one refund that one event reports by its charge and another by its payment counts once', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    (buyer) => {
      const [payment_intent, charged] = [buyer.id('pi'), buyer.id('ch')]
      return {
        import: () => buyer.import(),
        invoice: () => buyer.invoice({ at: 60, payment_intent, charge: charged }, oldInvoice),
        refund: () =>
          buyer.event(
            'refund.created',
            refund({ id: buyer.id('re'), payment_intent, amount: 1_000 }),
            600,
          ),
        charge: () =>
          buyer.event(
            'charge.refunded',
            charge({ id: charged, payment_intent: null, amount_refunded: 1_000 }),
            600,
          ),
      }
    },
    { sales: { in: 'maya 780' }, customers: 1 },
  )
})

test('a renewal that was paid while its partner was banned says so, also if its subscription was credited by hand only later', async () => {
  const { merchant, deliver } = await openStripeShop(database)
  const manager = await merchant.asManager()
  const hoursAgo = (hours: number) => seconds(Date.now() - hours * 3_600_000)
  const customer = stripeId('cus')
  const paid = (id: string, at: number) =>
    deliver(
      'invoice.paid',
      oldInvoice({
        id,
        customer,
        subscription: 'sub_hand',
        created: at,
        status_transitions: { paid_at: at },
      }),
      at,
    )
  const [first, renewal] = [stripeId('in'), stripeId('in')]
  await paid(first, hoursAgo(48))
  await manager.patch(`/partners/${merchant.partnerId}`, { status: 'banned' })
  await database.query(
    `with former as (
       update former_partner_terms set until = until - interval '2 hours' where partner_id = $1 returning until
     ) update partners set terms_since = until from former where id = $1`,
    [merchant.partnerId],
  )
  await paid(renewal, hoursAgo(1))
  await manager.patch(`/partners/${merchant.partnerId}`, { status: 'approved' })
  expect((await merchant.explainReport('sale', renewal))?.steps).toMatchObject([
    { code: 'unreferred_subscription' },
  ])

  const sale = await merchant.explainReport('sale', first)
  const credited = await manager.post(`/events/${sale?.id}/credit`, {
    partnerId: merchant.partnerId,
    reason: 'Referred by phone',
    customer: false,
  })
  expect(credited.status).toBe(200)
  expect(await merchant.explainReport('sale', renewal)).toMatchObject({
    partner: null,
    steps: [{ code: 'partner_inactive' }],
  })
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})
