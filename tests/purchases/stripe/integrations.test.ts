/**
 * The integrations of docs/stripe.md, carried out with the examples of that page as they are
 * written there.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Stripe from 'stripe'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { startStripe } from '../../../dev/fakes/stripe.ts'
import { ROOT } from '../../../dev/root.ts'
import { createMerchant } from '../../support/merchant.ts'
import { SECRETS_KEY, signingSecret } from '../../support/secrets.ts'
import { everyNth } from '../../support/thorough.ts'

const PAGE = readFileSync(join(ROOT, 'docs/stripe.md'), 'utf8')

/** The examples of an integration, in order. */
const examplesOf = (integration: string): string[] => {
  const [, section = ''] = PAGE.split(`\n### ${integration}\n`)
  const [own = ''] = section.split(/\n##/)
  return [...own.matchAll(/```\w+\n(.*?)```/gs)].map(([, code = '']) => code)
}

const [LEAD, CHECKOUT] = examplesOf('Stripe bills, you report leads')
const [ORDER] = examplesOf('You report everything by API')
const [INVOICE] = examplesOf('Both')

const AsyncFunction: new (
  ...code: string[]
) => (stripe: Stripe) => Promise<Stripe.Checkout.Session> = Object.getPrototypeOf(
  async () => {},
).constructor

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/**
 * A merchant with an account at Stripe, where a plan costs 49 USD. Each sale earns 20%: 9.80 USD.
 */
const openShop = async ({ salesFrom = 'both' }: { salesFrom?: 'stripe' | 'api' | 'both' } = {}) => {
  const merchant = await createMerchant()
  const { seed, workspace, programId, apiKey } = merchant
  await seed.addPartner(workspace.id, programId, { slug: 'leo' })
  const secret = signingSecret()
  await seed.addStripeSecret(workspace.id, secret, SECRETS_KEY)
  const manager = await merchant.asManager()
  expect(await manager.patch('/settings', { salesFrom })).toMatchObject({ status: 200 })

  const fake = await startStripe()
  stops.push(fake.stop)
  const { hostname: host, port } = new URL(fake.url)
  const stripe = new Stripe('sk_test_any', { host, port, protocol: 'http', telemetry: false })
  const url = `${inject('baseUrl')}/api/webhooks/stripe/${workspace.slug}`
  const { id: price } = await stripe.prices.create({
    currency: 'usd',
    unit_amount: 4_900,
    recurring: { interval: 'month' },
    product_data: { name: 'A plan' },
  })
  const clickId = await merchant.click()
  const placeholders: Record<string, string> = { 'clk_...': clickId, 'price_...': price }
  /** An example without placeholders. */
  const fill = (example = '') => {
    const code = Object.entries(placeholders).reduce(
      (text, [name, id]) => text.replaceAll(name, id),
      example,
    )
    expect(code).not.toMatch(/\w_\.\.\./)
    return code
  }

  return {
    merchant,
    manager,
    stripe,
    fake,
    placeholders,
    /** Sends what a `curl` example sends. @returns the answer */
    curl: async (example: string | undefined, change = (code: string) => code) => {
      const command = change(fill(example)).replace('$KEY', apiKey)
      const [, path, authorization, type, body] =
        /curl \$TRIBUTARY(\S+) -H "([^"]+)" -H '([^']+)' \\\n +-d '(.+)'\n/.exec(command) ?? []
      const headers = [authorization, type].map(
        (header = '') => header.split(': ') as [string, string],
      )
      const response = await fetch(`${inject('baseUrl')}${path}`, {
        method: 'POST',
        headers,
        body: body ?? null,
      })
      expect(response.status).toBe(200)
      return (await response.json()) as { attributed: boolean }
    },
    /** Creates the checkout of the example, changed if need be, and pays it. */
    buy: async (change = (code: string) => code) => {
      const code = change(fill(CHECKOUT))
      const { id } = await new AsyncFunction('stripe', code.replace('await ', 'return '))(stripe)
      const { invoice, subscription } = fake.pay(id, { email: 'ada@example.com' })
      placeholders['in_...'] = String(invoice)
      await fake.settled()
      return { invoice: String(invoice), subscription: String(subscription) }
    },
    /**
     * Connects Stripe to Tributary, which receives everything that has happened at Stripe so far.
     */
    connect: async () => {
      fake.addEndpoint({ url, secret })
      for (const { id } of fake.events()) fake.resend(id)
      await fake.settled()
    },
    refund: async (invoice: string, amount?: number) => {
      const { data } = await stripe.invoicePayments.list({ invoice })
      fake.refund(String(data[0]?.payment.payment_intent), amount)
      await fake.settled()
    },
    /** What is earned, by the merchant's id of the customer, oldest first. */
    earned: async (customer = 'user_1042') => {
      const { body } = await merchant.get(`/commissions?customerExternalId=${customer}`)
      return (body as unknown as { data: { amountCents: number; status: string }[] }).data
        .map(({ amountCents, status }) => (status === 'held' ? `${amountCents} held` : amountCents))
        .reverse()
    },
    sale: (externalId: string) => merchant.explainReport('sale', externalId),
  }
}

describe('Stripe bills, you report leads', () => {
  test('the lead, the checkout, a renewal and half a refund are one customer’s, though Stripe’s id was never reported', async () => {
    const { connect, curl, buy, fake, refund, earned, sale } = await openShop({
      salesFrom: 'stripe',
    })
    await connect()
    expect(await curl(LEAD)).toMatchObject({ attributed: true })
    const { invoice, subscription } = await buy()
    expect(await earned()).toEqual([980])
    expect(await sale(invoice)).toMatchObject({
      attributedBy: 'customer',
      partner: { slug: 'maya' },
    })

    fake.renew(subscription)
    await fake.settled()
    await refund(invoice, 2_450)
    expect(await earned()).toEqual([980, 980, -490])
  })

  test('a lead that is reported after the payment earns the same', async () => {
    const { connect, curl, buy, fake, earned } = await openShop({ salesFrom: 'stripe' })
    await connect()
    const { subscription } = await buy()
    expect(await earned()).toEqual([])
    await curl(LEAD)
    expect(await earned()).toEqual([980])
    fake.renew(subscription)
    await fake.settled()
    expect(await earned()).toEqual([980, 980])
  })

  test('without the session’s metadata, that of Stripe’s customer does', async () => {
    const { connect, curl, buy, stripe, earned } = await openShop({ salesFrom: 'stripe' })
    await connect()
    await curl(LEAD, (code) => code.replace('"customerEmail": "ada@example.com", ', ''))
    const metadata = { customerExternalId: 'user_1042' }
    const { id } = await stripe.customers.create({ email: 'other@example.com', metadata })
    const buyer = /metadata.*\n *customer_email.*/
    await buy((code) => code.replace(buyer, `customer: '${id}',`))
    expect(await earned()).toEqual([980])
  })

  test('an id in client_reference_id counts if the workspace says that its backend creates all checkouts', async () => {
    const { merchant, connect, curl, buy, sale } = await openShop({ salesFrom: 'stripe' })
    await connect()
    await curl(LEAD, (code) => code.replace('"customerEmail": "ada@example.com", ', ''))
    const asReference = (code: string) =>
      code.replace(
        "metadata: { customerExternalId: 'user_1042' }",
        "client_reference_id: 'user_1042'",
      )
    expect(await sale((await buy(asReference)).invoice)).toMatchObject({ partner: null })
    const manager = await merchant.asManager()
    await manager.patch('/settings', { backendCreatesCheckouts: true })
    expect(await sale((await buy(asReference)).invoice)).toMatchObject({
      partner: { slug: 'maya' },
    })
  })

  test('a customer who returns by another partner’s link brings that click to the session', async () => {
    const { merchant, connect, curl, buy, sale } = await openShop({ salesFrom: 'stripe' })
    await connect()
    await curl(LEAD)
    const click = `, tributary_click: '${await merchant.click('leo')}' }`
    const { invoice } = await buy((code) => code.replace("'user_1042' }", `'user_1042'${click}`))
    expect(await sale(invoice)).toMatchObject({ attributedBy: 'click', partner: { slug: 'leo' } })
  })

  test('a sale that is reported all the same earns nothing', async () => {
    const { connect, curl, buy, earned, sale } = await openShop({ salesFrom: 'stripe' })
    await connect()
    await curl(LEAD)
    await buy()
    expect(await curl(ORDER)).toMatchObject({ attributed: true })
    expect(await earned()).toEqual([980])
    expect((await sale('order-7'))?.steps.map(({ code }) => code)).toContain(
      'sale_expected_from_stripe',
    )
  })
})

describe('You report everything by API', () => {
  test('the sale is credited by its click, and a renewal without one by attributeKnownCustomers', async () => {
    const { merchant, manager, curl, earned } = await openShop()
    await curl(LEAD)
    expect(await curl(ORDER)).toMatchObject({ attributed: true })
    const { status } = await manager.patch(`/programs/${merchant.programId}`, {
      attributeKnownCustomers: true,
    })
    expect(status).toBe(200)
    await curl(ORDER, (code) =>
      code.replace('order-7', 'order-8').replace(/, "clickId": "\w+"/, ''),
    )
    expect(await earned()).toEqual([980, 980])
  })

  test('a sale under Stripe’s id of the invoice earns once, and Stripe’s refund reverses it', async () => {
    const { connect, curl, buy, refund, earned } = await openShop({ salesFrom: 'api' })
    await connect()
    await curl(LEAD)
    const { invoice } = await buy()
    expect(await earned()).toEqual([])
    await curl(ORDER, (code) => code.replace('order-7', invoice))
    expect(await earned()).toEqual([980])
    await refund(invoice)
    expect(await earned()).toEqual([980, -980])
  })
})

describe('Both', () => {
  test('a sale that the merchant reports after Stripe is one sale', async () => {
    const { connect, curl, buy, earned } = await openShop()
    await connect()
    await curl(LEAD)
    await buy()
    await curl(INVOICE)
    expect(await earned()).toEqual([980])
  })

  test('a sale that the merchant reports before Stripe is one sale', async () => {
    const { connect, curl, buy, earned } = await openShop()
    await curl(LEAD)
    await buy()
    await curl(INVOICE)
    await connect()
    expect(await earned()).toEqual([980])
  })

  test.each(everyNth(2, ['before', 'after']))(
    'a sale under an id of the merchant that Stripe knows earns once, reported %s',
    { tags: 'sampled' },
    async (order) => {
      const { connect, curl, buy, earned } = await openShop()
      await curl(LEAD)
      const metadata = `metadata: { externalId: 'order-7' },`
      if (order === 'after') await connect()
      await buy((code) => code.replace('line_items', `${metadata}\n  line_items`))
      await curl(ORDER)
      if (order === 'before') await connect()
      // Reported after Stripe's event, it may be two rows, of which one is reversed.
      const rows = await earned()
      expect(rows.filter((row) => typeof row === 'string')).toEqual([])
      expect(rows.reduce<number>((total, row) => total + Number(row), 0)).toBe(980)
    },
  )

  test('a sale under an id that Stripe does not know is held for a manager', async () => {
    const { connect, curl, buy, earned } = await openShop()
    await connect()
    await curl(LEAD)
    await buy()
    await curl(ORDER)
    expect(await earned()).toEqual([980, '980 held'])
  })
})
