// @module-tag thorough
import { expect, test } from 'vitest'
import { inspect, tabTo, useBrowser, WALKS } from '../support/browser.ts'
import { createMerchant } from '../support/merchant.ts'

const browser = useBrowser()

const WHENS = [
  {
    all: [
      { fact: 'product', in: ['prod_1', 'prod_2'] },
      { fact: 'tier', in: ['Gold', 'Renamed'] },
      { fact: 'billingInterval', in: ['year'] },
    ],
  },
  {
    any: [
      { fact: 'customerMonths', atLeast: 12 },
      { all: [{ fact: 'saleAmount', currency: 'USD', atLeastCents: 10_000 }, { fact: 'coupon' }] },
    ],
  },
  {
    all: [
      { fact: 'country', in: ['DE'] },
      { fact: 'metadata', key: 'plan', in: [' kept '] },
      { fact: 'day', from: '2026-11-01' },
      { fact: 'payment', atMost: 1 },
    ],
  },
]

const PAYS = [
  { kind: 'percent', percent: 30 },
  { kind: 'none' },
  { kind: 'flat', amountCents: 500, currency: 'USD', per: 'unit' },
]

const rulesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    name: `A rule with a name that is rather long, number ${i + 1}`,
    when: WHENS[i % 3],
    pay: PAYS[i % 3],
    ...(i % 2 === 0 && { durationMonths: 12 }),
  }))

const TIERS = {
  by: 'sales',
  period: 'month',
  levels: ['Silver', 'Gold'].map((name, i) => ({ name, atLeast: i + 1 })),
}

const capsOf = (count: number) =>
  ['sale', 'customer', 'partner_month']
    .flatMap((per) =>
      ['USD', 'EUR', 'GBP'].map((currency) => ({ per, amountCents: 50_000, currency })),
    )
    .slice(0, count)

const openReward = async (count: number, options = {}) => {
  const merchant = await createMerchant()
  const cookie = await merchant.manager()
  const path = `/programs/${merchant.programId}`
  const reward = { kind: 'percent', percent: 20, rules: rulesOf(count), caps: capsOf(count) }
  expect((await merchant.as(cookie).patch(path, { reward, tiers: TIERS })).status).toBe(200)
  const page = await browser.as(cookie, { width: 1280, scheme: 'light', ...options })
  await page.goto(`/app/${merchant.workspace.slug}${path}/reward`)
  const saved = async () => (await merchant.get(path)).body.reward
  return { page, saved }
}

test.each([0, 3, 30])(
  'with %i rules, all open, the page is accessible on all screens',
  async (count) => {
    const { page } = await openReward(count)
    await inspect(page, `reward-${count}`)
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    await inspect(page, `reward-${count}-open`)
  },
)

test('the page of rewards for leads is accessible on all screens', async () => {
  const merchant = await createMerchant({ group: { name: 'Gold' } })
  const cookie = await merchant.manager()
  const { body } = await merchant.as(cookie).get(`/programs/${merchant.programId}/groups`)
  const [group] = body.data as { id: string }[]
  const usd = { kind: 'flat', amountCents: 500, currency: 'USD' }
  const when = { all: [{ fact: 'country', in: ['DE'] }, { any: [{ fact: 'coupon' }] }] }
  const leadReward = { ...usd, rules: [{ name: 'Germany', when, pay: usd }] }
  const path = `/groups/${group?.id}`
  expect((await merchant.as(cookie).patch(path, { leadReward })).status).toBe(200)
  const page = await browser.as(cookie)
  await page.goto(`/app/${merchant.workspace.slug}${path}`)
  await page.getByRole('link', { name: 'Lead reward rules (1)…' }).click()
  await inspect(page, 'lead-reward')
  await page.getByRole('textbox', { name: 'Country', exact: true }).fill('DE')
  await page.getByRole('textbox', { name: 'Coupon', exact: true }).fill('SPRING')
  await page.keyboard.press('Enter')
  await page.getByText('the rule “Germany” pays').waitFor()
  await inspect(page, 'lead-reward-tried')
})

test('with errors, conflicts and a comparison, the page is accessible on all screens', async () => {
  const { page } = await openReward(30)
  await page.getByRole('button', { name: 'Preview the difference' }).click()
  await page.getByRole('heading', { name: 'Preview' }).waitFor()
  await inspect(page, 'reward-compared')
  await page.locator('summary').first().click()
  await page.locator('[name="rules.0.name"]').fill('')
  await page.getByRole('button', { name: 'Save reward' }).first().click()
  await page.getByRole('alert').waitFor()
  await inspect(page, 'reward-errors')
  await page.getByRole('alert').getByRole('link').first().click()
  expect(await page.evaluate('document.activeElement.name')).toBe('rules.0.name')
})

test.each(WALKS.flatMap((screen) => [true, false].map((has) => ({ ...screen, has }))))(
  'a rule is built by keyboard alone, with script: $has, $width px wide',
  async ({ has, ...screen }) => {
    const { page, saved } = await openReward(0, { ...screen, javaScriptEnabled: has })
    const focused = () => page.locator(':focus').getAttribute('name')
    await tabTo(page, 'button', 'Add rule')
    await page.keyboard.press('Enter')
    await page.locator('[name="rules.0.name"]').waitFor()
    expect(await focused()).toBe('rules.0.name')
    await page.keyboard.type('Annual')
    await tabTo(page, 'button', /^Add condition/)
    await page.keyboard.press('Enter')
    await page.locator('[name="rules.0.when.0.in"]').waitFor()
    expect(await focused()).toBe('rules.0.when.0.in')
    await page.keyboard.type('prod_1')
    await tabTo(page, 'textbox', 'Percentage')
    await page.keyboard.type('30')
    // Enter shows what the sale earns, and saves nothing.
    await page.keyboard.press('Enter')
    await page.getByText('no rule applies, so the base pays 20%').waitFor()
    expect(await saved()).toEqual({ kind: 'percent', percent: 20 })
    await page.locator('[name="try.product"]').first().fill('prod_1')
    await page.keyboard.press('Enter')
    await page.getByText('The partner would earn $30.00.').waitFor()

    await page.locator('[id="rules.add"]').focus()
    await page.keyboard.press('Enter')
    await page.locator('[name="rules.1.name"]').fill('Second')
    await page.locator('[id="rules.1.up"]').focus()
    await page.keyboard.press('Enter')
    await page.locator('.rules > li:first-child').filter({ hasText: '1. Second' }).waitFor()
    expect(await page.locator('[name="rules.0.name"]').inputValue()).toBe('Second')
    await page.locator('[id="rules.0.remove"]').focus()
    await page.keyboard.press('Enter')
    await page.locator('[name="rules.1.name"]').waitFor({ state: 'detached' })
    await tabTo(page, 'button', 'Save reward')
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: 'Reward saved.' }).waitFor()
    expect(await saved()).toMatchObject({
      rules: [{ name: 'Annual', when: { all: [{ fact: 'product', in: ['prod_1'] }] } }],
    })
  },
)
