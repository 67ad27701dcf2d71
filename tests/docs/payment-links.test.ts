/**
 * docs/guide-payment-links.md: its page in a browser, and Stripe's events of the payment that
 * follows.
 */
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Listening, listen } from '../../dev/runtime/ports.ts'
import { sharedBrowser } from '../support/browser.ts'
import { filesOf } from '../support/guides.ts'
import { useDatabase } from '../support/merchant.ts'
import { checkoutSession, refund, seconds, stripeId } from '../support/stripe.ts'
import { openStripeShop } from '../support/stripe-shop.ts'

const database = useDatabase()

let page = ''
let site: Listening
beforeAll(async () => {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end(page)
  })
  site = await listen(server)
})
afterAll(() => site.stop())

test('the link carries the visitor’s click to Stripe, whose payment and refund then count', async () => {
  const { merchant, deliver } = await openStripeShop(database)
  const files = filesOf('payment-links', { baseUrl: inject('baseUrl'), ...merchant })
  expect([...files.keys()]).toEqual(['index.html'])
  page = files.get('index.html') ?? ''

  const context = await (await sharedBrowser()).newContext()
  const tab = await context.newPage()
  await tab.goto(`${site.url}/?via=maya`)
  const clickId = await tab.evaluate<string>('tributary.ready')
  expect(clickId).toMatch(/^clk_/)
  const link = new URL((await tab.getByRole('link').getAttribute('href')) ?? '')
  expect([link.hostname, link.searchParams.get('client_reference_id')]).toEqual([
    'buy.stripe.com',
    clickId,
  ])
  await context.close()

  const payment = stripeId('pi')
  const paidAt = seconds() + 1
  const checkout = checkoutSession({
    payment_link: stripeId('plink'),
    payment_intent: payment,
    client_reference_id: link.searchParams.get('client_reference_id'),
    created: paidAt,
  })
  for (const _copy of [1, 2]) await deliver('checkout.session.completed', checkout, paidAt)
  await deliver('refund.created', refund({ payment_intent: payment, amount: 1_000 }), paidAt)
  expect(await merchant.explainReport('sale', payment)).toMatchObject({
    attributedBy: 'click',
    partner: { slug: 'maya' },
    commission: { amountCents: 980, reversedCents: 200 },
  })
  expect(await database.counts(merchant)).toMatchObject({ events: 1, commissions: 2 })
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})
