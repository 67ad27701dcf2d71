/** Sales whose lines Stripe names: stored with the sale, and rewarded by rules line by line. */
import Stripe from 'stripe'
import { describe, expect, inject, test } from 'vitest'
import { encryptSecret } from '../../../lib/platform/secrets.ts'
import type { Rule } from '../../../lib/rules/rewards/rewards.ts'
import { inEveryOrder, ofSubscription, openShop, type Shop } from '../../support/buyers.ts'
import { useDatabase } from '../../support/merchant.ts'
import { usePaidByStripe } from '../../support/paid-by-stripe.ts'
import { SECRETS_KEY } from '../../support/secrets.ts'
import {
  checkoutSession,
  invoice,
  invoicePayment,
  seconds,
  stripeId,
} from '../../support/stripe.ts'
import { basilLine, formerLine, pageOf } from '../../support/stripe-lines.ts'
import { openStripeShop } from '../../support/stripe-shop.ts'

const database = useDatabase()
const { connectStripe } = usePaidByStripe(database)

/** Gives a program rules before anything is paid. */
const setRules = (programId: string, rules: Rule[]) =>
  database.query(
    `with reward as (
       insert into rewards (id, workspace_id, kind, basis_points, rules)
       select gen_random_uuid(), workspace_id, 'percent', 2000, $2 from programs where id = $1
       returning id)
     update programs set reward_id = reward.id from reward where programs.id = $1`,
    [programId, JSON.stringify(rules)],
  )

const RULES: Rule[] = [
  {
    name: 'Annual plans',
    when: { all: [{ fact: 'billingInterval', in: ['year'] }] },
    pay: { kind: 'percent', basisPoints: 3000 },
  },
  {
    name: 'Setup',
    when: { all: [{ fact: 'product', in: ['prod_setup'] }] },
    pay: { kind: 'flat', amountCents: 1_000, currency: 'USD', per: 'sale' },
  },
]

const YEAR = { start: Date.UTC(2026, 0, 15) / 1_000, end: Date.UTC(2027, 0, 15) / 1_000 }
const tax = (amount: number) => [{ amount, tax_behavior: 'exclusive' }]

/**
 * Three products for 580.00 less 10% of two of them, less 20.00 of unused time, and 19% tax:
 *
 * | line   | amount | discount |    net |    tax |
 * | annual | 480.00 |    48.00 | 432.00 |  82.08 |
 * | seats  | 100.00 |          | 100.00 |  19.00 |
 * | setup  |  59.00 |     5.90 |  53.10 |  10.09 |
 * | unused | -20.00 |          | -20.00 |  -3.80 |
 * |        |        |          | 565.10 | 107.37 |
 */
const INVOICE = {
  total: 67_247,
  amount_paid: 67_247,
  total_excluding_tax: 56_510,
  customer_address: { country: 'DE' },
}
const LINES = [
  basilLine('annual', {
    amount: 48_000,
    period: YEAR,
    discount_amounts: [{ amount: 4_800 }],
    taxes: tax(8_208),
  }),
  basilLine('seats', { amount: 10_000, quantity: 2, taxes: tax(1_900) }, { proration: true }),
  basilLine('setup', {
    amount: 5_900,
    parent: null,
    discount_amounts: [{ amount: 590 }],
    taxes: tax(1_009),
  }),
  basilLine('unused', { amount: -2_000, taxes: tax(-380) }, { proration: true }),
]

/** What is recorded of a sale's lines, and what each earned. */
const linesOf = async ({ merchant }: Pick<Shop, 'merchant'>, externalId: string) => {
  const [row] = await database.query<{ lines: unknown; country: string | null; steps: unknown }>(
    `select lines, country,
            (select jsonb_agg(jsonb_build_array(s -> 'facts' -> 'rule', s -> 'facts' -> 'amountCents',
                                                s -> 'facts' -> 'earnedCents'))
             from jsonb_array_elements(steps) s where s ->> 'code' = 'line_reward') as steps
     from events where workspace_id = $1 and external_id = $2`,
    [merchant.workspace.id, externalId],
  )
  return row
}

test('an invoice of three products with a discount, a tax and a proration earns by line, in every order', {
  tags: 'sampled',
}, async () => {
  const shop = await openShop(database)
  await setRules(shop.merchant.programId, RULES)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const { id } = buyer
      const clickId = await buyer.click('maya')
      return {
        invoice: () =>
          buyer.invoice({
            at: 60,
            ...INVOICE,
            ...ofSubscription(id('sub'), 'subscription_create'),
            lines: pageOf(LINES),
          }),
        payment: () => buyer.event('invoice_payment.paid', invoicePayment(id('in'), id('pi')), 60),
        checkout: () =>
          buyer.checkout({
            at: 60,
            invoice: id('in'),
            subscription: id('sub'),
            amount_total: 67_247,
            total_details: { amount_tax: 10_737 },
            client_reference_id: clickId,
            customer_details: { email: buyer.address, address: { country: 'AT' } },
          }),
        report: () =>
          buyer.sale({ externalId: id('in'), amountCents: 56_510, currency: 'USD', clickId }),
      }
    },
    // 125.17 + 19.32 + 10.00, see below.
    { sales: { in: 'maya 15449' } },
    {
      last: async ({ id }) => {
        // The credit of 20.00 is spread over 585.10: each line keeps 565.10/585.10 of its amount.
        expect(await linesOf(shop, id('in'))).toEqual({
          country: 'DE',
          lines: [
            expect.objectContaining({
              productId: 'prod_annual',
              amountCents: 41_723,
              billingInterval: 'year',
            }),
            expect.objectContaining({
              productId: 'prod_seats',
              amountCents: 9_658,
              quantity: 2,
              isProration: true,
            }),
            expect.objectContaining({ productId: 'prod_setup', amountCents: 5_129 }),
          ],
          // 30% of 417.23 is 125.169; 20% of 96.58 is 19.316.
          steps: [
            ['Annual plans', 41_723, 12_517],
            [null, 9_658, 1_932],
            ['Setup', 5_129, 1_000],
          ],
        })
      },
    },
  )
})

test('the same invoice is read alike in the shape of 2024', async () => {
  const shop = await openStripeShop(database)
  await setRules(shop.merchant.programId, RULES)
  const id = stripeId('in')
  const former = (line: Record<string, unknown>, name: string, proration = false) =>
    formerLine(
      name,
      {
        amount: line.amount,
        discount_amounts: line.discount_amounts,
        proration,
        tax_amounts: (line.taxes as { amount: number }[]).map(({ amount }) => ({
          amount,
          inclusive: false,
        })),
      },
      { interval: name === 'annual' ? 'year' : 'month', interval_count: 1 },
    )
  const [annual = {}, seats = {}, setup = {}, unused = {}] = LINES
  const lines = pageOf([
    former(annual, 'annual'),
    former(seats, 'seats', true),
    former(setup, 'setup'),
    former(unused, 'unused', true),
  ])
  await shop.deliver(
    'checkout.session.completed',
    checkoutSession({
      mode: 'subscription',
      invoice: id,
      client_reference_id: await shop.clickBefore(),
    }),
  )
  await shop.deliver('invoice.paid', invoice({ id, ...INVOICE, lines }))
  expect(await shop.sales()).toMatchObject([{ external_id: id, slug: 'maya', earned: 15_449 }])
})

test('a change of a subscription that nothing was earned by before earns a flat amount per sale', async () => {
  const shop = await openStripeShop(database)
  await setRules(shop.merchant.programId, [
    {
      name: 'Seats',
      when: { all: [{ fact: 'product', in: ['prod_seats'] }] },
      pay: { kind: 'flat', amountCents: 700, currency: 'USD', per: 'sale' },
    },
  ])
  const customer = stripeId('cus')
  const clickId = await shop.clickBefore()
  await shop.merchant.lead({ externalId: customer, clickId })
  const paid = (subscription: string, secondsAgo: number) =>
    shop.deliver(
      'invoice.paid',
      invoice({
        customer,
        status_transitions: { paid_at: seconds() - secondsAgo },
        ...ofSubscription(subscription, 'subscription_update'),
        lines: pageOf([basilLine('seats', {}, { proration: true })]),
      }),
    )
  const subscription = stripeId('sub')
  await paid(subscription, 20)
  await paid(subscription, 10)
  expect((await shop.sales()).map(({ earned }) => earned)).toEqual([null, 700, null])
})

describe('a sale that the merchant reported with lines of its own', () => {
  const open = async () => {
    const shop = await openStripeShop(database)
    const id = stripeId('in')
    const lines = [{ productId: 'mine', quantity: 1, amountCents: 4_900 }]
    const sale = { externalId: id, customerExternalId: 'user_1', amountCents: 4_900 }
    const clickId = await shop.clickBefore()
    const reported = { ...sale, clickId, lines, customerCountry: 'DE' }
    return { shop, id, lines, report: () => shop.merchant.sale(reported) }
  }

  test('keeps them as long as Stripe names no product', async () => {
    const { shop, id, lines, report } = await open()
    await report()
    await shop.deliver('invoice.paid', invoice({ id }))
    expect(await linesOf(shop, id)).toMatchObject({ lines, country: 'DE' })
    expect(await database.violations(shop.merchant.workspace.id)).toEqual([])
  })

  test.each(['before', 'after'])(
    'has Stripe’s lines and country if it names them, also if it is reported %s',
    async (when) => {
      const { shop, id, report } = await open()
      if (when === 'before') await report()
      await shop.deliver(
        'invoice.paid',
        invoice({ id, customer_address: { country: 'FR' }, lines: pageOf([basilLine('pro')]) }),
      )
      if (when === 'after') await report()
      expect(await linesOf(shop, id)).toMatchObject({
        lines: [{ productId: 'prod_pro' }],
        country: 'FR',
      })
      expect(await database.violations(shop.merchant.workspace.id)).toEqual([])
    },
  )
})

test('what Stripe says again changes nothing', async () => {
  const shop = await openStripeShop(database)
  const object = invoice({ lines: pageOf([basilLine('pro'), basilLine('x', { amount: 0 })]) })
  await shop.deliver('invoice.paid', object)
  await shop.deliver('invoice.paid', object)
  const outcomes = await database.query(
    `select outcome ->> 'code' as code from processor_events where workspace_id = $1 order by id`,
    [shop.merchant.workspace.id],
  )
  expect(outcomes).toEqual([{ code: 'sale_not_credited' }, { code: 'nothing_changed' }])
})

describe('lines that an event leaves out are read with the stored key', () => {
  /** A merchant with a key, and what somebody paid for at its Stripe account. */
  const open = async ({ readsLines = true, key: named = '' } = {}) => {
    const shop = await openStripeShop(database)
    const key = await connectStripe(shop.merchant)
    if (named) await replaceKey(shop, key.replace('sk_', 'rk_') + named)
    await database.query('update stripe_keys set reads_lines = $2 where workspace_id = $1', [
      shop.merchant.workspace.id,
      readsLines,
    ])
    const url = new URL(inject('stripeUrl'))
    const client = new Stripe(key, {
      host: url.hostname,
      port: url.port,
      protocol: 'http',
      telemetry: false,
    })
    const buy = async (products: number, hasInvoice: boolean) => {
      const { id } = await client.checkout.sessions.create({
        mode: 'payment',
        line_items: Array.from({ length: products }, (_, i) => ({
          quantity: 1,
          price_data: { currency: 'usd', unit_amount: 100 + i, product_data: { name: `No. ${i}` } },
        })),
        success_url: 'https://shop.example/',
        ...(hasInvoice && { invoice_creation: { enabled: true } }),
      })
      await fetch(`${url.origin}/dev/stripe/pay/${id}`, {
        method: 'POST',
        headers: { Origin: url.origin, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'email=ada@example.com',
        redirect: 'manual',
      })
      const session = await client.checkout.sessions.retrieve(id)
      return JSON.parse(JSON.stringify(session))
    }
    return { shop, client, buy }
  }

  const replaceKey = async ({ merchant }: Pick<Shop, 'merchant'>, key: string) => {
    await database.query('update stripe_keys set ciphertext = $2 where workspace_id = $1', [
      merchant.workspace.id,
      await encryptSecret(SECRETS_KEY, merchant.workspace.id, key),
    ])
  }

  const namesOf = async (shop: Pick<Shop, 'merchant'>, id: string) =>
    ((await linesOf(shop, id))?.lines as { name: string }[] | null)?.map(({ name }) => name)

  test('of a checkout', async () => {
    const { shop, buy } = await open()
    const session = await buy(2, false)
    await shop.deliver('checkout.session.completed', session)
    expect(await linesOf(shop, session.payment_intent)).toMatchObject({
      lines: [
        { name: 'No. 0', amountCents: 100, productId: expect.stringMatching(/^prod_/) },
        { name: 'No. 1', amountCents: 101 },
      ],
    })
  })

  test('of an invoice of more than ten', async () => {
    const { shop, client, buy } = await open()
    const session = await buy(25, true)
    const paid = JSON.parse(JSON.stringify(await client.invoices.retrieve(session.invoice)))
    expect(paid.lines.data).toHaveLength(10)
    await shop.deliver('invoice.paid', paid)
    expect(await namesOf(shop, paid.id)).toEqual(Array.from({ length: 25 }, (_, i) => `No. ${i}`))
  })

  test.each([
    { case: 'that may not', key: { readsLines: false } },
    { case: 'that no longer may', key: { key: '_lacks_invoice_read_and_checkout_session_read' } },
  ])('and without one $case, they are one line, or none', async ({ key }) => {
    const { shop, client, buy } = await open(key)
    const session = await buy(2, false)
    await shop.deliver('checkout.session.completed', session)
    expect(await linesOf(shop, session.payment_intent)).toMatchObject({ lines: null })

    const { invoice: id } = await buy(12, true)
    const paid = JSON.parse(JSON.stringify(await client.invoices.retrieve(id)))
    await shop.deliver('invoice.paid', paid)
    expect((await namesOf(shop, id))?.slice(9)).toEqual(['No. 9', 'Further lines'])
  })
})
