// @module-tag sampled
/**
 * A sale is decided with the terms in force when it was paid or reported, however late its events
 * arrive. Design, section 5.
 */
import { describe, expect, test } from 'vitest'
import type { Merchant } from '../../support/merchant.ts'
import { orders } from '../../support/permutations.ts'
import {
  deliver,
  earlier,
  later,
  paidCheckout,
  paidInvoice,
  type Shop,
  saved,
  useShops,
} from '../../support/shops.ts'
import { stripeId } from '../../support/stripe.ts'

const { database, openShop, earned } = useShops()

type Edit = (shop: Shop) => Promise<void>
const EDITS: Record<string, Edit> = {
  'the reward is edited to 5%': ({ manager, merchant }) =>
    saved(
      manager.patch(`/programs/${merchant.programId}`, { reward: { kind: 'percent', percent: 5 } }),
    ),
  'the program is switched to one-time': ({ manager, merchant }) =>
    saved(manager.patch(`/programs/${merchant.programId}`, { rewardInterval: 'one-time' })),
  'the partner is moved to a group that earns 50%': ({ manager, partnerId, groupId }) =>
    saved(manager.patch(`/partners/${partnerId}`, { groupId })),
  'the partner is banned': ({ manager, partnerId }) =>
    saved(manager.patch(`/partners/${partnerId}`, { status: 'banned' })),
}

describe.each(Object.entries(EDITS))('when %s', (name, edit) => {
  test.each([
    { amount: 'the reported amount', netCents: 4_900, cents: 980 },
    { amount: 'a net amount without the tax', netCents: 4_000, cents: 800 },
  ])(
    'a sale paid before earns 20% of $amount, in any order of report, edit and invoice',
    async (given) => {
      for (const order of orders(['report', 'edit', 'invoice'] as const)) {
        // The merchant's report names the partner by a click, which a banned partner's report cannot.
        if (name.includes('banned') && order.indexOf('edit') < order.indexOf('report')) continue
        const shop = await openShop()
        const { merchant, stripe } = shop
        const clickId = await merchant.click()
        await database.query(
          "update clicks set created_at = created_at - interval '2 hours' where workspace_id = $1",
          [merchant.workspace.id],
        )
        // An earlier sale, which a one-time reward would have rewarded instead.
        const customer = stripeId('cus')
        await deliver(stripe, paidCheckout(earlier() - 60, { customer }))
        const id = stripeId('in')
        const steps = {
          report: () =>
            saved(
              merchant.sale({
                externalId: id,
                customerExternalId: customer,
                amountCents: 4_900,
                clickId,
              }),
            ),
          edit: () => edit(shop),
          invoice: () =>
            deliver(
              stripe,
              paidInvoice({ id, customer, total_excluding_tax: given.netCents }, earlier()),
            ),
        }
        for (const step of order) await steps[step]()
        expect({ order, cents: await earned(merchant, id) }).toEqual({ order, cents: given.cents })
      }
    },
  )
})

test('a sale that was reported before its invoice was paid keeps the reward that it was made with when its tax is corrected', async () => {
  for (const edit of Object.values(EDITS)) {
    const shop = await openShop()
    const { merchant, stripe } = shop
    const clickId = await merchant.click()
    const [first, id, customer] = [stripeId('in'), stripeId('in'), stripeId('cus')]
    for (const externalId of [first, id]) {
      await saved(
        merchant.sale({ externalId, customerExternalId: customer, amountCents: 4_900, clickId }),
      )
    }
    await edit(shop)
    for (const _ of ['once', 'twice']) {
      await deliver(stripe, paidInvoice({ id, customer, total_excluding_tax: 4_000 }, later()))
      expect(await earned(merchant, id)).toBe(800)
    }
  }
})

test('an edited reward, group reward, interval and holding period apply to sales paid from then on', async () => {
  const { merchant, stripe, manager, partnerId, groupId } = await openShop()
  await saved(
    manager.patch(`/programs/${merchant.programId}`, {
      reward: { kind: 'percent', percent: 5 },
      holdingDays: 1,
    }),
  )
  const pay = async (paidAt: number) => {
    const payment = stripeId('pi')
    await deliver(
      stripe,
      paidCheckout(paidAt, { payment_intent: payment, customer: stripeId('cus') }),
    )
    return earned(merchant, payment)
  }
  expect([await pay(earlier()), await pay(later())]).toEqual([980, 245])
  await saved(manager.patch(`/partners/${partnerId}`, { groupId }))
  await saved(manager.patch(`/groups/${groupId}`, { saleReward: { kind: 'percent', percent: 40 } }))
  expect([await pay(earlier()), await pay(later())]).toEqual([980, 1_960])
  const held = await database.query<{ days: number }>(
    `select extract(day from payable_at - created_at)::int as days from commissions
     where workspace_id = $1 order by id`,
    [merchant.workspace.id],
  )
  expect(held.map(({ days }) => days)).toEqual([30, 1, 30, 1])
})

test('net terms count from the month of the payment, and a later change or correction does not move the payable date', async () => {
  const { merchant, stripe, manager } = await openShop()
  const terms = (netDays: number | null) =>
    saved(manager.patch(`/programs/${merchant.programId}`, { netDays, holdingDays: 0 }))
  const payable = async () =>
    (
      await database.query<{ cents: number; at: Date }>(
        `select amount_cents::int as cents, payable_at as at from commissions
         where workspace_id = $1 and kind = 'sale' order by id`,
        [merchant.workspace.id],
      )
    ).map(({ cents, at }) => [cents, at.toISOString()])
  const net = (paidAt: number, days: number) => {
    const day = new Date(paidAt * 1_000)
    return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, days)).toISOString()
  }
  await terms(15)
  await database.query(
    `update programs set terms_since = terms_since - interval '1 day' where id = $1`,
    [merchant.programId],
  )
  await database.query(
    `update former_program_terms set until = until - interval '1 day' where program_id = $1`,
    [merchant.programId],
  )
  const [reported, customer] = [stripeId('in'), stripeId('cus')]
  const clickId = await merchant.click()
  const report = { externalId: reported, customerExternalId: customer, amountCents: 4_900, clickId }
  await saved(merchant.sale(report))
  const [[, first] = []] = await payable()
  expect(first).toBe(net(Date.now() / 1_000, 15))

  await terms(60)
  const paid = later()
  await deliver(stripe, paidInvoice({ id: reported, customer, total_excluding_tax: 4_000 }, paid))
  expect(await payable()).toEqual([
    [980, first],
    [800, first],
  ])

  await deliver(
    stripe,
    paidCheckout(paid, { payment_intent: stripeId('pi'), customer: stripeId('cus') }),
  )
  expect((await payable()).at(-1)).toEqual([980, net(paid, 60)])
})

describe('a ban', () => {
  /** Moves all bans of a merchant and their ends in time. */
  const shift = (merchant: Merchant, by: string) =>
    database.query(
      `with moved as (
         update partners set terms_since = terms_since + $2::interval where workspace_id = $1 and terms_since is not null)
       update former_partner_terms set until = until + $2::interval where workspace_id = $1`,
      [merchant.workspace.id, by],
    )

  test('takes nothing of sales paid before it, by coupon, click or customer, whenever they are received', async () => {
    const shop = await openShop()
    const { merchant, stripe } = shop
    const clickId = await merchant.click()
    await database.ageClicks(merchant)
    const customer = stripeId('cus')
    const [byCoupon, byClick, byCustomer] = [stripeId('pi'), stripeId('pi'), stripeId('in')]
    await EDITS['the partner is banned']?.(shop)
    const before = earlier()
    await deliver(stripe, paidCheckout(before, { payment_intent: byCoupon, customer }))
    await deliver(
      stripe,
      paidCheckout(before, {
        payment_intent: byClick,
        discounts: [],
        client_reference_id: clickId,
      }),
    )
    await deliver(stripe, paidInvoice({ id: byCustomer, customer }, before + 1))
    for (const id of [byCoupon, byClick, byCustomer]) expect(await earned(merchant, id)).toBe(980)
  })

  test('ends the credit for sales paid after it, and its end restores it', async () => {
    const shop = await openShop()
    const { merchant, stripe, manager, partnerId } = shop
    await EDITS['the partner is banned']?.(shop)
    await shift(merchant, '-2 hours')
    await saved(manager.patch(`/partners/${partnerId}`, { status: 'approved' }))
    const during = stripeId('pi')
    const after = stripeId('pi')
    await deliver(stripe, paidCheckout(earlier(), { payment_intent: during }))
    await deliver(stripe, paidCheckout(later(), { payment_intent: after }))
    expect([await earned(merchant, during), await earned(merchant, after)]).toEqual([0, 980])
  })

  test('takes what a sale earned that was paid during it and reported after its end, in either order of report and invoice', async () => {
    for (const order of orders(['report', 'invoice'] as const)) {
      const shop = await openShop()
      const { merchant, stripe, manager, partnerId } = shop
      await EDITS['the partner is banned']?.(shop)
      await shift(merchant, '-2 hours')
      await saved(manager.patch(`/partners/${partnerId}`, { status: 'approved' }))
      const [id, customer, clickId] = [stripeId('in'), stripeId('cus'), await merchant.click()]
      const steps = {
        report: () =>
          saved(
            merchant.sale({
              externalId: id,
              customerExternalId: customer,
              amountCents: 4_900,
              clickId,
            }),
          ),
        invoice: () => deliver(stripe, paidInvoice({ id, customer }, earlier())),
      }
      for (const step of order) await steps[step]()
      expect({ order, cents: await earned(merchant, id) }).toEqual({ order, cents: 0 })
    }
  })

  test.each([
    { case: 'in the second of the payment', after: '0.4 seconds', cents: 980 },
    { case: 'in the second before the payment', after: '-0.6 seconds', cents: 0 },
  ])('$case, whose time is in whole seconds: the sale earns $cents', async ({ after, cents }) => {
    const shop = await openShop()
    const { merchant, stripe } = shop
    await EDITS['the partner is banned']?.(shop)
    const paidAt = earlier()
    await database.query(
      `with moved as (
         update partners set terms_since = to_timestamp($2) + $3::interval where workspace_id = $1)
       update former_partner_terms set until = to_timestamp($2) + $3::interval where workspace_id = $1`,
      [merchant.workspace.id, paidAt, after],
    )
    const payment = stripeId('pi')
    await deliver(
      stripe,
      paidCheckout(paidAt, { payment_intent: payment, customer: stripeId('cus') }),
    )
    expect(await earned(merchant, payment)).toBe(cents)
  })
})

test('an edit in the second of a payment counts, however often the payment is received', async () => {
  const shop = await openShop()
  const { merchant, stripe } = shop
  const customer = stripeId('cus')
  await deliver(stripe, paidCheckout(earlier() - 60, { customer }))
  await EDITS['the reward is edited to 5%']?.(shop)
  const paidAt = earlier()
  await database.query(
    `with moved as (
       update programs set terms_since = to_timestamp($2) + interval '0.4 seconds' where workspace_id = $1)
     update former_program_terms set until = to_timestamp($2) + interval '0.4 seconds' where workspace_id = $1`,
    [merchant.workspace.id, paidAt],
  )
  const id = stripeId('in')
  for (const _ of ['once', 'twice']) {
    await deliver(stripe, paidInvoice({ id, customer }, paidAt))
    expect(await earned(merchant, id)).toBe(245)
  }
})

test('a sale reported by API is decided with the terms at its receipt', async () => {
  const shop = await openShop()
  const { merchant } = shop
  const clickId = await merchant.click()
  await EDITS['the reward is edited to 5%']?.(shop)
  await saved(merchant.sale({ externalId: 'order-1', clickId }))
  expect(await earned(merchant, 'order-1')).toBe(245)
})
