// @module-tag thorough
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { STRIPE_PATH } from '../../dev/fakes/stripe.ts'
import { inspect, sharedBrowser, WALKS, watch } from '../support/browser.ts'
import { type SharedSystem, sharedSystem } from '../support/shared-system.ts'

let system: SharedSystem
let browser: Browser
const complaints: string[] = []
beforeAll(async () => {
  ;[system, browser] = await Promise.all([sharedSystem(), sharedBrowser()])
})
afterAll(async () => {
  for (const context of browser.contexts()) await context.close()
  expect(complaints).toEqual([])
})

/** A visitor without cookies. */
const newVisitor = async (
  { width, scheme }: (typeof WALKS)[number] = { width: 1280, scheme: 'light' },
) => {
  const context = await browser.newContext({
    baseURL: system.demo.shopUrl,
    colorScheme: scheme,
    viewport: { width, height: 844 },
  })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  watch(page, complaints)
  return page
}

const get = async <T>(path: string): Promise<T[]> => {
  const { baseUrl, workspace, apiKey } = system.demo
  const answer = await fetch(`${baseUrl}/api/workspaces/${workspace}${path}`, {
    headers: { Authorization: `Bearer ${apiKey}` },
  })
  const { data } = (await answer.json()) as { data: T[] }
  return data
}
type Commission = { amountCents: number; kind: string; partnerId: string; eventId: string }
type Sale = {
  attributedBy: string | null
  partner: { slug: string } | null
  commission: object | null
}

/** The commissions of an invoice's sale, oldest first. */
const commissionsOf = async (invoice: string): Promise<Commission[]> => {
  const [sale] = await get<Sale & { id: string }>(`/events?kind=sale&externalId=${invoice}`)
  return sale ? (await get<Commission>(`/commissions?eventId=${sale.id}`)).reverse() : []
}
const amountsOf = async (invoice: string) =>
  (await commissionsOf(invoice)).map(({ amountCents }) => amountCents)

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const receiptOf = async (page: Page): Promise<string> => {
  await page.waitForURL('**/receipts/in_*')
  return page.url().split('/').at(-1) ?? ''
}
const story = async (page: Page): Promise<string> =>
  (
    await page.getByRole('region', { name: 'What Tributary made of this sale' }).innerText()
  ).replaceAll(/\s+/g, ' ')

const goToStripe = async (page: Page): Promise<void> => {
  await page.goto('/pricing')
  await page.getByText('This browser remembers').waitFor()
  await press(page, 'Get Grove with Stripe')
  await page.getByRole('heading', { name: 'Checkout' }).waitFor()
}
const pay = async (page: Page, email: string): Promise<string> => {
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: /^Subscribe for/ }).click()
  return receiptOf(page)
}

test('a coupon without a cookie credits its partner, as does the renewal', async () => {
  const page = await newVisitor()
  await goToStripe(page)
  expect(page.url()).toContain(`${system.demo.baseUrl}${STRIPE_PATH}/pay/cs_test_`)
  await page.getByLabel('Promotion code').fill('maya10')
  await press(page, 'Apply')
  await page.getByText('The code MAYA10 is applied.').waitFor()
  const invoice = await pay(page, 'ines@example.com')

  const shown = await story(page)
  expect(shown).toContain('Maya Lindqvist earned 5.22 USD pending')
  expect(shown).toMatch(
    /invoice\.paid evt_\w+ delivered.*checkout\.session\.completed evt_\w+ delivered/,
  )
  const [sale] = await get<Sale>(`/events?kind=sale&externalId=${invoice}`)
  expect(sale).toMatchObject({ attributedBy: 'coupon', partner: { slug: system.demo.partnerSlug } })
  expect(await amountsOf(invoice)).toEqual([522])

  await page.getByRole('link', { name: 'Go to your account' }).click()
  await press(page, 'Renew now (as Stripe will next month)')
  await page.getByText('Your plan is renewed for another month.').waitFor()
  const renewal = await receiptOf(page)
  expect(renewal).not.toBe(invoice)
  expect(await story(page)).toContain('Maya Lindqvist earned 5.22 USD pending')
  const [renewed] = await get<Sale>(`/events?kind=sale&externalId=${renewal}`)
  // The coupon is for ever, and Stripe's invoice of the renewal has it too: the subscription
  // decides.
  expect(renewed).toMatchObject({
    attributedBy: 'customer',
    partner: { slug: system.demo.partnerSlug },
  })
  expect(await amountsOf(renewal)).toEqual([522])
})

test('a click without a coupon credits its partner', async () => {
  const page = await newVisitor()
  await page.goto('/?via=leo')
  await page.getByText('This browser remembers the click clk_').waitFor()
  await goToStripe(page)
  const invoice = await pay(page, 'leos-reader@example.com')
  expect(await story(page)).toContain('Leo Okafor earned 8.70 USD')
  const [sale] = await get<Sale>(`/events?kind=sale&externalId=${invoice}`)
  expect(sale).toMatchObject({ attributedBy: 'click', partner: { slug: 'leo' } })
})

test('a purchase with neither is not credited', async () => {
  const page = await newVisitor()
  await goToStripe(page)
  const invoice = await pay(page, 'nobodys@example.com')
  expect(await story(page)).toContain('No partner is credited with this sale.')
  expect(await amountsOf(invoice)).toEqual([])
})

test('a customer of the shop is one customer to Tributary, under the shop’s id and under Stripe’s', async () => {
  const page = await newVisitor()
  await page.goto('/?via=maya')
  await page.getByText('This browser remembers the click clk_').waitFor()
  await page.goto('/sign-up?plan=seedling')
  await page.getByText('This browser remembers').waitFor()
  await page.getByLabel('Name').fill('Tom')
  await page.getByLabel('Email').fill('tom@example.com')
  await press(page, 'Create account')
  await page.getByRole('link', { name: 'Continue to checkout' }).click()
  await press(page, 'Pay with Stripe')
  expect(await page.getByLabel('Email').inputValue()).toBe('tom@example.com')
  await page.getByRole('button', { name: 'Subscribe for 9.00 USD' }).click()
  const invoice = await receiptOf(page)
  await page.getByRole('heading', { name: 'Thank you, Tom.' }).waitFor()
  const shown = await story(page)
  expect(shown).toMatch(/The shop’s lead user_\d{10} tom@example\.com, referred by Maya Lindqvist/)
  expect(shown).toMatch(new RegExp(`Stripe’s customer cus_\\w+ paid invoice ${invoice}`))
  expect(shown).toMatch(/metadata: \{ customerExternalId: 'user_\d{10}' \}/)
  expect(shown).toContain('To Tributary, for this payment Nothing. Stripe reported it.')

  const back = await page.evaluate<string>('document.referrer')
  expect(back).toContain(system.demo.baseUrl)
  const stranger = await newVisitor()
  expect((await stranger.request.get(`/receipts/${invoice}`, { maxRedirects: 0 })).status()).toBe(
    303,
  )
})

describe('an action in the Stripe fake', () => {
  test('reverses the commission: half for half a refund, all for a dispute, until it is won', async () => {
    const page = await newVisitor()
    await goToStripe(page)
    await page.getByLabel('Promotion code').fill('MAYA10')
    await press(page, 'Apply')
    const invoice = await pay(page, 'refunded@example.com')
    await story(page)

    const about = '26.10 USD of refunded@example.com'
    const becomes = (...amounts: number[]) =>
      vi.waitFor(async () => expect(await amountsOf(invoice)).toEqual(amounts), { timeout: 10_000 })
    await page.goto(`${system.demo.baseUrl}${STRIPE_PATH}`)
    await press(page, `Refund half: ${about}`)
    await becomes(522, -261)
    await press(page, `Dispute: ${about}`)
    await becomes(522, -261, -261)
    await press(page, `Win dispute: ${about}`)
    await becomes(522, -261, -261, 261)
    await page.getByText('dispute: won').waitFor()
  })
})

describe.each(WALKS)('at $width pixels, $scheme', (screen) => {
  test('the pages of the Stripe fake and the shop have no axe violations or horizontal overflow', async () => {
    const page = await newVisitor(screen)
    await page.goto('/pricing')
    await inspect(page)
    await goToStripe(page)
    await inspect(page)
    await page.getByLabel('Promotion code').fill('NONE')
    await press(page, 'Apply')
    await page.getByRole('alert').waitFor()
    await inspect(page)
    await page.getByLabel('Promotion code').fill('MAYA10')
    await press(page, 'Apply')
    await inspect(page)
    await page.getByRole('button', { name: /^Subscribe for/ }).click()
    await page.getByText('Enter an address like').waitFor()
    await inspect(page)
    await pay(page, `looked-at-${screen.width}@example.com`)
    await inspect(page)
    await page.goto('/account')
    await inspect(page)
    await page.goto(`${system.demo.baseUrl}${STRIPE_PATH}`)
    await inspect(page)
  })
})
