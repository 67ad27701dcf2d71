/**
 * A partner who buys through the own link under another person's name and address, with the card
 * that has paid its own purchases too, earns nothing unseen.
 */
import { describe, expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { replanCustomer } from '../../lib/purchases/apply/replan.service.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import {
  cardCharge,
  checkoutSession,
  invoice,
  invoicePayment,
  type StripeObject,
  stripeEvent,
  stripeId,
  useStripe,
} from '../support/stripe.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

type Setting = 'hold' | 'allow' | 'refuse'
type Order = 'card first' | 'card last'

/** What a purchase is paid with, and by whom. */
type Buyer = {
  email: string | null
  card: string | null
  /** Absent for a guest. */
  customer?: string
  order?: Order
  clickId?: string | null
  billingEmail?: string | null
  fields?: StripeObject
}

/** The partner is "maya", who signs in with maya@partner.example. */
const OWN = 'maya@partner.example'
const FRIEND = 'friend@shop.example'

const open = async (selfReferrals: Setting = 'hold') => {
  const merchant = await createMerchant({ program: { self_referrals: selfReferrals } })
  const { id: workspace } = merchant.workspace
  const stripe = await useStripe(merchant)
  const click = await merchant.click()

  /** A paid checkout, as Stripe reports it. @returns the id of its sale */
  const buy = async ({ email, card, customer, order = 'card first', ...more }: Buyer) => {
    const payment = stripeId('pi')
    const { clickId = null, billingEmail = email, fields = {} } = more
    const charged = cardCharge(card ?? '', {
      payment_intent: payment,
      customer: customer ?? null,
      billing_details: { email: billingEmail },
      ...fields,
    })
    const events = [
      ...(card ? [stripeEvent('charge.succeeded', charged)] : []),
      stripeEvent(
        'checkout.session.completed',
        checkoutSession({
          payment_intent: payment,
          customer: customer ?? null,
          client_reference_id: clickId,
          customer_details: { email, name: 'Somebody' },
        }),
      ),
    ]
    for (const event of order === 'card first' ? events : events.reverse())
      expect((await stripe.deliver(event)).status).toBe(200)
    return payment
  }
  /** Plans again what is marked, as the cron does. */
  const replan = async () => {
    const marked = await database.query<{ id: string }>(
      'select id from customers where workspace_id = $1 and replan_from is not null',
      [workspace],
    )
    for (const { id } of marked)
      await replanCustomer(connect(inject('database')), workspace, id, new Date())
  }
  /** Each commission, and what it is held for. */
  const holds = async () =>
    (
      await database.query<{ row: string }>(
        `select e.external_id || coalesce(' ' || h.reason || coalesce(' ' || h.resolution, ''), '') as row
         from commissions c join events e on e.id = c.event_id left join commission_holds h on h.commission_id = c.id
         where c.workspace_id = $1 and c.kind = 'sale' order by c.id`,
        [workspace],
      )
    ).map(({ row }) => row)
  const lastStep = async (sale: string) =>
    (await merchant.explainReport('sale', sale))?.steps.at(-1)
  const events = () =>
    database.query<{ type: string; facts: StripeObject[] }>(
      'select type, facts from processor_events where workspace_id = $1',
      [workspace],
    )
  return {
    ...{ merchant, workspace, stripe, click, buy, replan, holds, lastStep, events },
    violations: () => database.violations(workspace),
  }
}

const GUEST = { own: {}, friend: {} }
const accounts = () => ({
  own: { customer: stripeId('cus') },
  friend: { customer: stripeId('cus') },
})
const ORDERS: Order[] = ['card first', 'card last']
const BUYERS = [
  { who: 'guests', ids: () => GUEST },
  { who: 'customers of Stripe', ids: accounts },
]
const CASES = BUYERS.flatMap((buyers) => ORDERS.map((order) => ({ ...buyers, order })))

describe('a card that has paid the partner’s own purchase', () => {
  test.each(everyNth(3, CASES))(
    'holds a purchase by its link: $who, $order',
    { tags: 'sampled' },
    async ({ ids, order }) => {
      for (const setting of ['hold', 'refuse'] as const) {
        const { buy, click, holds, lastStep, violations } = await open(setting)
        const { own, friend } = ids()
        await buy({ email: OWN, card: 'fp_1', ...own })
        const sale = await buy({ email: FRIEND, card: 'fp_1', clickId: click, order, ...friend })
        expect(await holds()).toEqual([`${sale} self_referral`])
        expect(await lastStep(sale)).toMatchObject({
          code: 'self_referral',
          facts: { slug: 'maya', by: 'card' },
        })
        expect(await violations()).toEqual([])
      }
    },
  )

  test.each(everyNth(3, CASES))(
    'holds a purchase from before it: $who, $order',
    { tags: 'sampled' },
    async ({ ids, order }) => {
      const { buy, click, holds, replan, violations } = await open()
      const { own, friend } = ids()
      const sale = await buy({ email: FRIEND, card: 'fp_1', clickId: click, ...friend })
      const other = await buy({ email: 'other@shop.example', card: 'fp_2', clickId: click })
      expect(await holds()).toEqual([sale, other])
      await buy({ email: OWN, card: 'fp_1', order, ...own })
      await replan()
      expect(await holds()).toEqual([`${sale} self_referral`, other])
      expect(await violations()).toEqual([])
    },
  )

  test('holds the renewals of a subscription, by invoices', async () => {
    const { buy, stripe, click, holds } = await open()
    const customer = stripeId('cus')
    await buy({ email: OWN, card: 'fp_1' })
    const sale = await buy({ email: FRIEND, card: 'fp_2', clickId: click, customer })
    const [renewal, payment] = [stripeId('in'), stripeId('pi')]
    for (const event of [
      stripeEvent('invoice.paid', invoice({ id: renewal, customer, customer_email: FRIEND })),
      stripeEvent('charge.succeeded', cardCharge('fp_1', { payment_intent: payment, customer })),
      stripeEvent('invoice_payment.paid', invoicePayment(renewal, payment)),
    ])
      await stripe.deliver(event)
    expect(await holds()).toEqual([sale, `${renewal} self_referral`])
  })

  test('counts by the address that the merchant reported of its customer', async () => {
    const { merchant, buy, click, holds, lastStep } = await open()
    const customer = stripeId('cus')
    await merchant.lead({ externalId: customer, customerEmail: OWN, clickId: click })
    const own = await buy({ email: null, card: 'fp_1', customer })
    const sale = await buy({ email: FRIEND, card: 'fp_1', clickId: click })
    expect(await holds()).toEqual([`${own} self_referral`, `${sale} self_referral`])
    expect(await lastStep(sale)).toMatchObject({ facts: { by: 'card' } })
  })

  test.each(
    everyNth(3, [
      {
        method: 'sepa_debit',
        details: { type: 'sepa_debit', sepa_debit: { fingerprint: 'fp_1' } },
      },
      {
        method: 'a bank account',
        details: { type: 'us_bank_account', us_bank_account: { fingerprint: 'fp_1' } },
      },
      {
        method: 'a card at a till',
        details: { type: 'card_present', card_present: { fingerprint: 'fp_1' } },
      },
    ]),
  )('is any method with a fingerprint: $method', { tags: 'sampled' }, async ({ details }) => {
    const { buy, click, holds } = await open()
    const fields = { payment_method_details: details }
    await buy({ email: OWN, card: 'fp_1', fields })
    const sale = await buy({ email: FRIEND, card: 'fp_1', clickId: click, fields })
    expect(await holds()).toEqual([`${sale} self_referral`])
  })

  test('a tag of the partner’s address counts too', async () => {
    const { buy, click, holds } = await open()
    await buy({ email: 'maya+x@partner.example', card: 'fp_1' })
    const sale = await buy({ email: FRIEND, card: 'fp_1', clickId: click })
    expect(await holds()).toEqual([`${sale} self_referral`])
  })

  test('what the merchant reports is held by the card of its payment', async () => {
    const { merchant, buy, click, holds } = await open()
    await (await merchant.asManager()).patch('/settings', { salesFrom: 'api' })
    await buy({ email: OWN, card: 'fp_1' })
    const payment = await buy({ email: FRIEND, card: 'fp_1' })
    await merchant.sale({ externalId: payment, clickId: click })
    expect(await holds()).toEqual([`${payment} self_referral`])
  })
})

describe('nothing is held', () => {
  test.each<{ case: string; setting?: Setting; own: Partial<Buyer>; friend: Partial<Buyer> }>([
    { case: 'the program allows it', setting: 'allow', own: {}, friend: {} },
    { case: 'by another card', own: {}, friend: { card: 'fp_2' } },
    { case: 'by a card of somebody else', own: { email: 'leo@partner.example' }, friend: {} },
    { case: 'without the event of the partner’s card', own: { card: null }, friend: {} },
    { case: 'without the event of the buyer’s card', own: {}, friend: { card: null } },
    {
      case: 'by Link, which has no fingerprint',
      own: {},
      friend: { fields: { payment_method_details: { type: 'link', link: { country: 'DE' } } } },
    },
    {
      case: 'in an unknown form',
      own: {},
      friend: { fields: { payment_method_details: 'card' } },
    },
  ])('$case', async ({ setting, own, friend }) => {
    const { buy, click, holds, replan } = await open(setting)
    await buy({ email: OWN, card: 'fp_1', ...own })
    const sale = await buy({ email: FRIEND, card: 'fp_1', clickId: click, ...friend })
    await replan()
    expect(await holds()).toEqual([sale])
  })

  test('by the same card in another workspace', async () => {
    const [one, other] = [await open(), await open()]
    await one.buy({ email: OWN, card: 'fp_1' })
    const sale = await other.buy({ email: FRIEND, card: 'fp_1', clickId: other.click })
    expect(await other.holds()).toEqual([sale])
  })

  test('in the other mode', async () => {
    const { buy, stripe, click, holds } = await open()
    const charged = cardCharge('fp_1', { billing_details: { email: OWN } })
    await stripe.deliver(stripeEvent('charge.succeeded', charged, { livemode: true }))
    const sale = await buy({ email: FRIEND, card: 'fp_1', clickId: click })
    expect(await holds()).toEqual([sale])
  })
})

test('the event of a card is no sale, alone, repeated or before its payment', async () => {
  const { merchant, stripe, buy, click, holds, violations } = await open()
  const alone = cardCharge('fp_1', { billing_details: { email: FRIEND } })
  for (const _ of [1, 2]) await stripe.deliver(stripeEvent('charge.succeeded', alone))
  expect((await merchant.get('/events')).body.data).toEqual([])
  await buy({ email: OWN, card: 'fp_1' })
  const sale = await buy({ email: FRIEND, card: 'fp_1', clickId: click })
  const again = cardCharge('fp_1', { payment_intent: sale, billing_details: { email: FRIEND } })
  for (const _ of [1, 2]) await stripe.deliver(stripeEvent('charge.succeeded', again))
  expect(await holds()).toEqual([`${sale} self_referral`])
  expect(await violations()).toEqual([])
})

test('what a manager has released stays released when the partner buys again', async () => {
  const { merchant, buy, click, holds, replan } = await open()
  await buy({ email: OWN, card: 'fp_1' })
  const sale = await buy({ email: FRIEND, card: 'fp_1', clickId: click })
  const [{ id } = { id: '' }] = (await merchant.get('/commissions')).body.data as { id: string }[]
  await (await merchant.asManager()).post(`/commissions/${id}/release`)
  await buy({ email: OWN, card: 'fp_1' })
  await replan()
  expect(await holds()).toEqual([`${sale} self_referral released`])
})

describe('an erasure', () => {
  test.each(everyNth(2, BUYERS))(
    'of a customer removes the card, and what it held stays held: $who',
    { tags: 'sampled' },
    async ({ ids }) => {
      const { merchant, workspace, buy, click, holds, replan, events, violations } = await open()
      const { own, friend } = ids()
      await buy({ email: OWN, card: 'fp_1', billingEmail: 'billing@shop.example', ...own })
      await buy({ email: OWN, card: 'fp_1', ...own })
      const sale = await buy({ email: FRIEND, card: 'fp_1', clickId: click, ...friend })
      const customers = await database.query<{ id: string }>(
        'select id from customers where workspace_id = $1',
        [workspace],
      )
      expect(JSON.stringify(await events())).toContain('fp_1')
      for (const { id } of customers)
        await (await merchant.asManager()).post(`/customers/${id}/erase`)
      const left = JSON.stringify(await events())
      for (const erased of ['fp_1', OWN, FRIEND, 'billing@shop.example'])
        expect(left).not.toContain(erased)
      await database.query(
        "update customers set replan_from = now() - interval '1 day' where workspace_id = $1",
        [workspace],
      )
      await replan()
      expect(await holds()).toEqual([`${sale} self_referral`])
      expect(await violations()).toEqual([])
    },
  )

  test.each(everyNth(2, BUYERS))(
    'is preceded by an export that names the card: $who',
    { tags: 'sampled' },
    async ({ ids }) => {
      const { merchant, workspace, buy } = await open()
      await buy({ email: FRIEND, card: 'fp_1', ...ids().friend })
      const [{ id } = { id: '' }] = await database.query<{ id: string }>(
        'select id from customers where workspace_id = $1',
        [workspace],
      )
      const { body } = await (await merchant.asManager()).get(`/customers/${id}/personal-data`)
      expect(JSON.stringify(body)).toContain('fp_1')
    },
  )
})
