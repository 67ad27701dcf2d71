/**
 * A buyer who writes somebody else's id into a checkout, to be paid for what that customer buys.
 */
import { describe, expect, inject, test } from 'vitest'
import type { PossibleMergeResponse } from '../../lib/customers/possible-merges.responses.ts'
import { connect } from '../../lib/db/connection.ts'
import { recordListed } from '../../lib/purchases/reconcile/reconcile.service.ts'
import { readEvent } from '../../lib/purchases/stripe/objects/events.schemas.ts'
import { type Buyer, endOf, openShop, type Shop } from '../support/buyers.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { checkoutSession, stripeEvent, useStripe } from '../support/stripe.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

/** What the victim pays next, at 20 per cent. */
const NEXT = { amount_paid: 80_000, total: 80_000, total_excluding_tax: 80_000 }

/** A shop that says, or does not, that its backend creates all checkouts. */
const openOffice = async (backendCreatesCheckouts: boolean) => {
  const shop = await openShop(database)
  expect((await shop.manager.patch('/settings', { backendCreatesCheckouts })).status).toBe(200)
  const merges = async (query = '') =>
    (await shop.manager.get(`/possible-merges${query}`)).body.data as PossibleMergeResponse[]
  return { ...shop, merges }
}

/**
 * The two: the victim pays under an id that its merchant's backend names, and the thief under a
 * customer of its own.
 */
const between = (buyer: Buyer) => {
  const own = { customer: buyer.id('cus'), metadata: { customerExternalId: buyer.id('user') } }
  const thief = { customer: buyer.id('cus', 'thief') }
  return {
    first: () => buyer.invoice({ id: buyer.id('in', 'first'), at: -60, ...own }),
    next: () => buyer.invoice({ id: buyer.id('in', 'next'), at: 600, ...NEXT, ...own }),
    thiefs: () =>
      buyer.checkout({
        ...{ id: buyer.id('cs_test', 'old'), payment_intent: buyer.id('pi', 'old') },
        ...{ at: -30, amount_total: 100, discounts: [{ coupon: 'LEO' }], ...thief },
      }),
    invoice: () => buyer.invoice({ at: 65, amount_paid: 100, total: 100, ...thief }),
    /** The session that names the victim. */
    takes: (fields: object = {}) =>
      buyer.checkout({
        ...{ at: 60, amount_total: 100, invoice: buyer.id('in'), discounts: [{ coupon: 'LEO' }] },
        ...{ client_reference_id: buyer.id('user'), ...thief, ...fields },
      }),
  }
}

const verify = ({ merchant }: Shop) => database.violations(merchant.workspace.id)

describe('an id that a buyer writes', () => {
  test.each(
    everyNth(3, [
      { by: 'a pricing table, or a backend that passes a request’s id', on: false, fields: {} },
      { by: 'a payment link', on: false, fields: { payment_link: 'plink_1' } },
      {
        by: 'a payment link of a shop whose backend creates checkouts',
        on: true,
        fields: { payment_link: 'p' },
      },
    ]),
  )('by $by takes over no customer', { tags: 'sampled' }, async ({ on, fields }) => {
    const shop = await openOffice(on)
    const buyer = shop.buyer()
    const { first, next } = between(buyer)
    await first()
    await buyer.checkout({
      ...{ at: 60, amount_total: 100, customer: buyer.id('cus', 'thief'), ...fields },
      ...{
        client_reference_id: buyer.id('user'),
        metadata: { tributary_click: await buyer.click('leo') },
      },
    })
    await next()
    expect(await endOf(shop, buyer)).toEqual({
      sales: { in_first: 'nobody 0', in_next: 'nobody 0', pi: 'leo 20' },
      customers: 2,
    })
    expect(await shop.merges()).toEqual([])
  })

  test('names nobody before that customer is known, nor if the buyer has no customer at Stripe', async () => {
    const shop = await openOffice(false)
    for (const customer of ['cus_thief', null]) {
      const buyer = shop.buyer()
      const { next } = between(buyer)
      await buyer.checkout({
        ...{
          at: 60,
          amount_total: 100,
          customer: customer && buyer.id(customer),
          customer_details: null,
        },
        ...{ client_reference_id: buyer.id('user'), discounts: [{ coupon: 'LEO' }] },
      })
      await next()
      expect((await endOf(shop, buyer)).sales).toEqual({ in_next: 'nobody 0', pi: 'leo 20' })
    }
  })

  test('while the setting is off is never read later: by a repeat, a lead, or a reconciliation', async () => {
    const shop = await openOffice(false)
    const { merchant, manager } = shop
    const buyer = shop.buyer()
    const { next } = between(buyer)
    const stripe = await useStripe(merchant)
    const session = checkoutSession({
      ...{
        id: buyer.id('cs_test'),
        payment_intent: buyer.id('pi'),
        customer: buyer.id('cus', 'thief'),
      },
      ...{
        client_reference_id: buyer.id('user'),
        discounts: [{ coupon: 'LEO', promotion_code: null }],
      },
      customer_details: null,
    })
    const event = stripeEvent('checkout.session.completed', session)
    await stripe.deliver(event)
    await manager.patch('/settings', { backendCreatesCheckouts: true })
    await stripe.deliver(event)
    await buyer.lead({ clickId: await buyer.click('maya') })
    const listed = readEvent({ ...event, id: 'reconcile_1' }, { backendCreatesCheckouts: true })
    if (!listed) throw new Error('The session was not read.')
    const purchase = { paidAt: new Date(), events: [listed] }
    await recordListed(connect(inject('database')), merchant.workspace.id, purchase, new Date())
    await next()
    expect((await endOf(shop, buyer)).sales).toMatchObject({ in_next: 'maya 16000' })
    expect(await shop.merges()).toEqual([])
  })

  test('counts for what is received while the setting is on, in each order, and goes on after it is off', async () => {
    const shop = await openOffice(true)
    const buyers = [shop.buyer(), shop.buyer()]
    for (const [place, buyer] of buyers.entries()) {
      const { invoice, takes } = between(buyer)
      await buyer.lead({ clickId: await buyer.click('maya') })
      const steps = [invoice, () => takes({ discounts: [] })]
      for (const step of place ? steps : steps.reverse()) await step()
    }
    await shop.manager.patch('/settings', { backendCreatesCheckouts: false })
    for (const buyer of buyers) {
      const renewal = { id: buyer.id('in', 'next'), at: 900, customer: buyer.id('cus', 'thief') }
      await buyer.invoice({ ...renewal, customer_email: null })
      expect(await endOf(shop, buyer)).toEqual({
        sales: { in: 'maya 20', in_next: 'maya 980' },
        customers: 1,
      })
    }
    expect(await shop.merges()).toEqual([])
  })
})

describe('with the setting on, two customers who both have payments or an owner', () => {
  const ORDERS = ['checkout, invoice', 'invoice, checkout', 'checkout, checkout, invoice, checkout']

  test.each(everyNth(3, ORDERS))(
    'stay apart, and a manager decides: %s',
    { tags: 'sampled' },
    async (order) => {
      const shop = await openOffice(true)
      const buyer = shop.buyer()
      const { first, next, thiefs, invoice, takes } = between(buyer)
      await first()
      await thiefs()
      for (const name of order.split(', ')) await (name === 'invoice' ? invoice() : takes())
      await next()
      expect(await endOf(shop, buyer)).toEqual({
        sales: { in: 'leo 20', in_first: 'nobody 0', in_next: 'nobody 0', pi_old: 'leo 20' },
        customers: 2,
      })
      expect(await shop.merges('?status=open')).toEqual([
        {
          id: expect.any(String),
          status: 'open',
          customer: expect.objectContaining({
            externalId: buyer.id('cus', 'thief'),
            partnerId: expect.any(String),
            paid: [{ currency: 'USD', sales: 2, amountCents: 200 }],
          }),
          namedCustomer: expect.objectContaining({
            externalId: buyer.id('user'),
            partnerId: null,
            paid: [{ currency: 'USD', sales: 2, amountCents: 84_900 }],
          }),
          checkoutId: buyer.id('cs_test'),
          saleId: expect.any(String),
          createdAt: expect.any(String),
          resolvedAt: null,
          resolvedBy: null,
        },
      ])
      const { get } = await openPages(shop.merchant)
      expect((await get('')).text).toContain('1 pair of customers may be one')
      const page = (await get('/possible-merges')).text
      for (const said of [
        buyer.id('cus', 'thief'),
        buyer.id('user'),
        '$849.00',
        '$2.00',
        'Merge customers',
      ])
        expect(page).toContain(said)
      expect(await verify(shop)).toEqual([])
    },
  )

  test.each(
    everyNth(3, [
      {
        has: 'an owner by a lead',
        victim: (buyer: Buyer, clickId: string) => buyer.lead({ clickId }),
      },
      {
        has: 'an owner by an import',
        victim: (buyer: Buyer) => buyer.import({ customerExternalId: buyer.id('user') }),
      },
      { has: 'sales that nobody is credited with', victim: (buyer: Buyer) => buyer.sale() },
    ]),
  )('also if the one who is named has only $has', { tags: 'sampled' }, async ({ victim }) => {
    const shop = await openOffice(true)
    const buyer = shop.buyer()
    const { thiefs, takes } = between(buyer)
    await thiefs()
    await victim(buyer, await buyer.click('maya'))
    await takes({ customer_details: null })
    expect(await shop.merges()).toHaveLength(1)
    expect(await verify(shop)).toEqual([])
  })

  test.each(
    everyNth(3, [
      {
        has: 'an owner',
        thief: (buyer: Buyer) => buyer.import({ customerExternalId: buyer.id('cus', 'thief') }),
      },
      {
        has: 'sales under Stripe’s id',
        thief: (buyer: Buyer) => buyer.sale({ customerExternalId: buyer.id('cus', 'thief') }),
      },
      {
        has: 'a payment that an address credits',
        thief: async (buyer: Buyer) => {
          const customerEmail = `other-${buyer.address}`
          await buyer.lead({
            externalId: buyer.id('user', 'o'),
            customerEmail,
            clickId: await buyer.click('leo'),
          })
          await buyer.invoice({
            ...{ id: buyer.id('in', 'typed'), at: 30, customer_email: customerEmail },
            customer: buyer.id('cus', 'thief'),
          })
        },
      },
    ]),
  )('also if the one who paid has only $has', { tags: 'sampled' }, async ({ thief }) => {
    const shop = await openOffice(true)
    const buyer = shop.buyer()
    const { first, takes, next } = between(buyer)
    await first()
    await thief(buyer)
    await takes({ customer_details: null })
    await next()
    expect((await endOf(shop, buyer)).sales).toMatchObject({ in_next: 'nobody 0' })
    expect(await shop.merges()).toHaveLength(1)
    expect(await verify(shop)).toEqual([])
  })

  test('are one if the merchant’s own words tie them, and then are no possible merge', async () => {
    const shop = await openOffice(true)
    const buyer = shop.buyer()
    const { first, thiefs, takes } = between(buyer)
    await first()
    await thiefs()
    await takes()
    const metadata = { customerExternalId: buyer.id('user') }
    await buyer.event('customer.updated', {
      ...{ id: buyer.id('cus', 'thief'), object: 'customer', email: null, metadata },
    })
    expect(await endOf(shop, buyer)).toMatchObject({ customers: 1 })
    expect(await shop.merges('?status=open')).toEqual([])
    expect(await shop.merges()).toMatchObject([{ status: 'merged', resolvedBy: null }])
  })
})

describe('a decision about a possible merge', () => {
  /** The thief's checkout named the victim. */
  const openCase = async () => {
    const shop = await openOffice(true)
    const buyer = shop.buyer()
    const steps = between(buyer)
    await steps.first()
    await steps.thiefs()
    await steps.takes()
    const [pair] = await shop.merges()
    return { shop, buyer, steps, path: `/possible-merges/${pair?.id}` }
  }

  test('to merge makes them one and decides their sales again, once, whoever repeats it', async () => {
    const { shop, buyer, steps, path } = await openCase()
    const answers = await Promise.all([1, 2, 3].map(() => shop.manager.post(`${path}/merge`)))
    answers.push(await shop.manager.post(`${path}/merge`))
    for (const { status, body } of answers) {
      expect(status).toBe(200)
      expect(body).toMatchObject({
        status: 'merged',
        resolvedBy: expect.stringContaining('manager@'),
      })
    }
    await steps.next()
    expect(await endOf(shop, buyer)).toEqual({
      sales: { in: 'leo 20', in_first: 'nobody 0', in_next: 'leo 16000', pi_old: 'leo 20' },
      customers: 1,
    })
    expect((await shop.manager.post(`${path}/dismiss`)).body.error?.code).toBe('conflict')
    const entries = await database.audit(shop.merchant)
    expect(entries.filter(({ action }) => action.startsWith('customer.'))).toMatchObject([
      {
        action: 'customer.merged',
        details: { externalId: buyer.id('cus', 'thief'), namedExternalId: buyer.id('user') },
      },
    ])
    expect(await verify(shop)).toEqual([])
  })

  test('to dismiss keeps them apart for good: no later checkout, and no merge with a third, asks again', async () => {
    const { shop, buyer, steps, path } = await openCase()
    for (const _ of [1, 2]) expect((await shop.manager.post(`${path}/dismiss`)).status).toBe(200)
    const more = (name: string, customer: string) =>
      steps.takes({ id: buyer.id('cs_test', name), invoice: buyer.id('in', name), customer })
    await more('again', buyer.id('cus', 'thief'))
    // Another customer of the thief's at Stripe, who turns out to be the same.
    const third = {
      customer: buyer.id('cus', 'third'),
      metadata: { customerExternalId: buyer.id('t') },
    }
    await buyer.invoice({ id: buyer.id('in', 'third'), at: 700, ...third })
    await buyer.invoice({
      ...{ id: buyer.id('in', 'tied'), at: 710, customer: buyer.id('cus', 'thief') },
      metadata: third.metadata,
    })
    await more('third', buyer.id('cus', 'third'))
    await steps.next()
    expect((await endOf(shop, buyer)).sales).toMatchObject({ in_next: 'nobody 0' })
    expect(await shop.merges('?status=open')).toEqual([])
    expect(await shop.merges()).toMatchObject([{ status: 'dismissed' }])
    expect((await shop.manager.post(`${path}/merge`)).body.error?.code).toBe('conflict')
    expect(await verify(shop)).toEqual([])
  })

  test('is made on the page, too, and says so if another one was made before', async () => {
    const { shop, path } = await openCase()
    const pages = await openPages(shop.merchant)
    expect((await pages.post(`${path}/dismiss`, {})).location).toMatch(
      /possible-merges\?done=dismissed$/,
    )
    expect((await pages.get('/possible-merges?done=dismissed')).text).toMatch(
      /kept apart.*No possible merges/,
    )
    const refused = await pages.post(`${path}/merge`, {})
    expect(refused).toMatchObject({ status: 409, text: expect.stringContaining('was dismissed') })
    expect(await shop.merges()).toMatchObject([{ status: 'dismissed' }])
  })

  test('is a fresh manager’s of the same workspace alone', async () => {
    const { shop, path } = await openCase()
    const { merchant } = shop
    const other = await (await createMerchant()).asManager()
    const key = merchant.withHeaders({ Authorization: `Bearer ${merchant.apiKey}` })
    const member = merchant.as(await merchant.member())
    for (const decision of ['merge', 'dismiss']) {
      expect((await other.post(`${path}/${decision}`)).status).toBe(404)
      expect((await member.post(`${path}/${decision}`)).body.error?.code).toBe('manager_required')
      expect((await key.post(`${path}/${decision}`)).status).toBe(401)
    }
    expect((await other.get('/possible-merges')).body.data).toEqual([])
    expect((await member.get('/possible-merges')).body.data).toHaveLength(1)
    await database.query(
      `update sign_in.sessions set created_at = created_at - interval '13 hours'
       where user_id = (select id from sign_in.users where email = $1)`,
      [`manager@${merchant.workspace.slug}.example`],
    )
    for (const call of [
      shop.manager.post(`${path}/merge`),
      shop.manager.post(`${path}/dismiss`),
      shop.manager.patch('/settings', { backendCreatesCheckouts: false }),
    ])
      expect((await call).body.error?.code).toBe('fresh_sign_in_required')
    expect(await shop.merges()).toMatchObject([{ status: 'open' }])
  })
})
