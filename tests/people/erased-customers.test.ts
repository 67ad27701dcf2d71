/**
 * After a customer's erasure, its sales stay credited when they are planned again: an erased
 * address still ties what it tied.
 */
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { inEnglish } from '../../lib/languages/message.ts'
import { replanCustomer } from '../../lib/purchases/apply/replan.service.ts'
import { erasedMark } from '../../lib/rules/identities/identities.ts'
import { evidenceWords } from '../../lib/tracking/checks/uncredited.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import {
  checkoutSession,
  paymentIntent,
  stripeEvent,
  stripeId,
  useStripe,
} from '../support/stripe.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

/**
 * A customer who was imported with an address, and bought under it as another customer of Stripe's.
 */
const bought = async (program = {}, address?: string) => {
  const merchant = await createMerchant({ program })
  const manager = await merchant.asManager()
  const email = address ?? `u4.${merchant.workspace.slug}@buyer.example`
  await manager.post('/customers/import', {
    rows: [
      { customerExternalId: 'u4', customerEmail: email, partnerEmail: 'maya@partner.example' },
    ],
  })
  const stripe = await useStripe(merchant)
  const session = checkoutSession({
    customer: stripeId('cus'),
    customer_details: { email, name: 'Jo' },
  })
  const deliver = (fields = {}) =>
    stripe.deliver(stripeEvent('checkout.session.completed', { ...session, ...fields }))
  await deliver()
  const idOf = async (externalId: unknown) => {
    const [row] = await database.query<{ id: string }>(
      'select id from customers where workspace_id = $1 and external_id = $2',
      [merchant.workspace.id, externalId],
    )
    return row?.id ?? ''
  }
  const erase = async (externalId: unknown) =>
    expect((await manager.post(`/customers/${await idOf(externalId)}/erase`)).status).toBe(200)
  return { merchant, deliver, erase, stripeCustomer: session.customer, email, manager, stripe }
}

/** What the sales of a workspace earned, with what was taken back. */
const earned = ({ workspace }: Merchant) =>
  database.query(
    'select kind, amount_cents::int as cents from commissions where workspace_id = $1 order by id',
    [workspace.id],
  )

/** Plans all sales of all customers again, as the cron does. */
const replanAll = async ({ workspace }: Merchant) => {
  const customers = await database.query<{ id: string }>(
    `update customers set replan_from = now() - interval '1 day' where workspace_id = $1 and merged_into is null returning id`,
    [workspace.id],
  )
  for (const { id } of customers)
    await replanCustomer(connect(inject('database')), workspace.id, id, new Date())
}

const CREDITED = [{ kind: 'sale', cents: 980 }]

const ERASURES: [string, string[]][] = [
  ['both customers, the imported one first', ['u4', 'stripe']],
  ['both customers, Stripe’s first', ['stripe', 'u4']],
  ['the imported customer', ['u4']],
  ['Stripe’s customer, who has the same address', ['stripe']],
  ['the imported customer, twice', ['u4', 'u4']],
]
test.each(everyNth(3, ERASURES))('erased: %s', { tags: 'sampled' }, async (_, order) => {
  const { merchant, deliver, erase, stripeCustomer, email } = await bought()
  // What Stripe's customer buys under another address, only its own id names.
  const other = { email: `other.${email}`, name: 'Jo' }
  await deliver(checkoutSession({ customer: stripeCustomer, customer_details: other }))
  expect(await earned(merchant)).toEqual(CREDITED)
  for (const who of order) await erase(who === 'stripe' ? stripeCustomer : who)

  await replanAll(merchant)
  expect(await earned(merchant)).toEqual(CREDITED)
  // Stripe reports the purchase once more, with the address.
  await deliver({ metadata: { plan: 'pro' } })
  await replanAll(merchant)
  expect(await earned(merchant)).toEqual(CREDITED)
  for (const who of order) await erase(who === 'stripe' ? stripeCustomer : who)
  await replanAll(merchant)
  await deliver({ metadata: { plan: 'team' } })
  await replanAll(merchant)
  expect(await earned(merchant)).toEqual(CREDITED)
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('an address that is reported again after an erasure is erased again, also as an id', async () => {
  const { merchant, erase, email, manager, deliver } = await bought()
  const address = `u4.${merchant.workspace.slug}@office.example`
  await merchant.lead({ externalId: 'l1', customerExternalId: 'u4', customerEmail: address })
  await erase('u4')
  await merchant.lead({ externalId: 'l2', customerExternalId: 'u4', customerEmail: email })
  await merchant.lead({ externalId: 'l3', customerExternalId: 'u4', customerEmail: address })
  await deliver({ metadata: { plan: 'pro' } })
  await erase('u4')
  const { body } = await manager.get('/customers')
  expect(JSON.stringify(body)).not.toContain(address)
  await replanAll(merchant)
  expect(await earned(merchant)).toEqual(CREDITED)
})

test.each(
  everyNth(2, [
    ['hold', ['sale 980']],
    ['refuse', []],
  ]),
)(
  'a self-referral stays one after the erasure of its customer: %s',
  { tags: 'sampled' },
  async (selfReferrals, holds) => {
    const { merchant, deliver, erase } = await bought(
      { self_referrals: selfReferrals },
      'maya@partner.example',
    )
    const held = async () =>
      (
        await database.query<{ row: string }>(
          `select concat_ws(' ', c.kind, c.amount_cents, h.resolution) as row
         from commissions c left join commission_holds h on h.commission_id = c.id where c.workspace_id = $1 order by c.id`,
          [merchant.workspace.id],
        )
      ).map(({ row }) => row)
    expect(await held()).toEqual(holds)
    await erase('u4')
    await replanAll(merchant)
    await deliver({ metadata: { plan: 'pro' } })
    expect(await held()).toEqual(holds)
    const [sale] = await database.query<{ steps: { code: string }[] }>(
      `select steps from events where workspace_id = $1 and kind = 'sale'`,
      [merchant.workspace.id],
    )
    expect(sale?.steps.map(({ code }) => code)).toContain('self_referral')
  },
)

test('an address that was typed into a checkout of before its payment is exported and erased', async () => {
  const { merchant, deliver, erase, manager, stripe } = await bought()
  const address = `u4.${merchant.workspace.slug}@office.example`
  const payment = stripeId('pi')
  const unpaid = { payment_intent: payment, payment_status: 'unpaid', customer: null }
  const typed = { customer_details: { email: address, name: 'Jo' } }
  const checkout = { ...unpaid, ...typed, metadata: { customerExternalId: 'u4' } }
  await deliver(checkoutSession(checkout))
  await stripe.deliver(stripeEvent('payment_intent.succeeded', paymentIntent({ id: payment })))

  const { body } = await manager.get('/customers?externalId=u4')
  const [customer] = body.data as { id: string }[]
  const exported = await manager.get(`/customers/${customer?.id}/personal-data`)
  expect(JSON.stringify(exported.body)).toContain(address)
  await erase('u4')
  expect(
    await database.query(
      'select id from processor_events where email = $1 or facts::text like $2',
      [address, `%${address}%`],
    ),
  ).toEqual([])
})

test.each(everyNth(2, ['the customer’s', 'the one typed into a checkout']))(
  'a what-if counts no self-referral whose address is erased: %s',
  { tags: 'sampled' },
  async (whose) => {
    const { merchant, erase, manager, stripe } = await bought({}, 'maya@partner.example')
    if (whose !== 'the customer’s') {
      const customer = stripeId('cus')
      const session = checkoutSession({
        client_reference_id: await merchant.click(),
        ...{ customer, customer_details: { email: 'maya@partner.example', name: 'Jo' } },
      })
      await stripe.deliver(stripeEvent('checkout.session.completed', session))
      await erase(customer)
    }
    const earnings = async () => {
      const path = `/programs/${merchant.programId}/what-if`
      const { body } = await manager.post(path, { selfReferrals: 'refuse' })
      const [{ currentCents, changedCents } = { currentCents: 0, changedCents: 0 }] =
        body.currencies as {
          currentCents: number
          changedCents: number
        }[]
      return [currentCents, changedCents]
    }
    const before = await earnings()
    expect(before[0]).toBeGreaterThan(0)
    expect(before[1]).toBe(0)
    await erase('u4')
    expect(await earnings()).toEqual(before)
  },
)

test('an erased address is listed nowhere: not as the customer’s, nor as another’s who had the same', async () => {
  const { merchant, erase, email, manager } = await bought()
  await manager.post('/customers/import', {
    rows: [
      { customerExternalId: 'u5', customerEmail: email, partnerEmail: 'maya@partner.example' },
    ],
  })
  const ofKind = (identities: { kind: string; value: string }[], kind: string) =>
    identities.filter((identity) => identity.kind === kind).map(({ value }) => value)
  type Customer = { id: string; externalId: string; identities: { kind: string; value: string }[] }
  const customers = async () => (await manager.get('/customers')).body.data as Customer[]
  const find = async (externalId: unknown) => {
    const found = (await customers()).find((customer) => customer.externalId === externalId)
    return found ?? expect.fail(`No customer is ${externalId}.`)
  }
  expect(ofKind((await find('u5')).identities, 'email')).toEqual([email])
  await erase('u4')

  const pages = await openPages(merchant)
  for (const [externalId, addresses] of [
    ['u4', []],
    ['u5', [email]],
  ] as const) {
    const customer = await find(externalId)
    expect(customer.identities.map(({ value }) => value)).toEqual(
      expect.arrayContaining([externalId, ...addresses]),
    )
    const data = (await manager.get(`/customers/${customer.id}/personal-data`)).body.data
    const { identities, stripeEvents } = data as {
      identities: Customer['identities']
      stripeEvents: object[]
    }
    for (const listed of [customer.identities, identities])
      expect(ofKind(listed, 'email')).toEqual(addresses)
    for (const event of stripeEvents)
      expect(event).not.toMatchObject({ email: expect.stringMatching(/^erased-/) })
    expect((await pages.get(`/customers/${customer.id}`)).html).not.toContain('erased-')
  }
  expect((await manager.get('/export/customers.csv')).body.text).not.toContain('erased-')
})

test('the evidence of an uncredited sale says that an address was erased, and not by what it was replaced', () => {
  const partner = { id: '1', slug: 'maya', name: null, isActive: true }
  const found = {
    kind: 'address',
    clickedAt: null,
    expiresAt: null,
    customerId: '2',
    partner,
  } as const
  const words = (value: string) => evidenceWords(inEnglish, { ...found, value }, new Date())
  expect(words('ann@x.example')).toBe(
    'A customer with the address “ann@x.example” belongs to “maya”.',
  )
  expect(words(erasedMark('1'))).toBe(
    'A customer with the same address, which was erased, belongs to “maya”.',
  )
})
