// @module-tag thorough
import { expect, test } from 'vitest'
import { inspect, tabTo, useBrowser, WALKS } from '../support/browser.ts'
import { createMerchant } from '../support/merchant.ts'

const browser = useBrowser()

const open = async (options: Parameters<typeof browser.as>[1]) => {
  const merchant = await createMerchant({ group: { name: 'Stars' } })
  const cookie = await merchant.manager()
  const path = `/programs/${merchant.programId}`
  const page = await browser.as(cookie, options)
  const as = merchant.as(cookie)
  return {
    page,
    goto: (name: string) => page.goto(`/app/${merchant.workspace.slug}${path}/${name}`),
    change: async (terms: object) => expect((await as.patch(path, terms)).status).toBe(200),
    saved: async () => (await merchant.get(path)).body,
  }
}

const PAGES = [
  { name: 'tiers', list: 'levels', add: 'Add tier', save: 'Save tiers' },
  { name: 'bonuses', list: 'bonuses', add: 'Add bonus', save: 'Save bonuses' },
]

test.each(WALKS.flatMap((screen) => [true, false].map((has) => ({ ...screen, has }))))(
  'a tier and a bonus are added by keyboard alone, with script: $has, $width px wide',
  async ({ has, ...screen }) => {
    const { page, goto, saved } = await open({ ...screen, javaScriptEnabled: has })
    const focused = () => page.locator(':focus').getAttribute('name')
    for (const { name, list, add } of PAGES) {
      await goto(name)
      await tabTo(page, 'button', add)
      await page.keyboard.press('Enter')
      await page.locator(`[name="${list}.0.name"]`).waitFor()
      expect(await focused()).toBe(`${list}.0.name`)
      await page.keyboard.type('Gold')
      await tabTo(page, 'textbox', name === 'tiers' ? 'Begins at' : 'Reached at')
      await page.keyboard.type('5000')
      if (name === 'bonuses') {
        await tabTo(page, 'textbox', 'Bonus')
        await page.keyboard.type('250')
      }
      // Enter saves, and removes nothing.
      await page.keyboard.press('Enter')
      await page.getByRole('status').waitFor()
    }
    expect(await saved()).toMatchObject({
      tiers: { by: 'netSales', levels: [{ name: 'Gold', atLeastCents: 500_000 }] },
      bonuses: [{ name: 'Gold', pays: { amountCents: 25_000, currency: 'USD' } }],
    })
  },
)

test('with all rows, and with errors, the pages are accessible on all screens', async () => {
  const { page, goto, change } = await open(undefined)
  const rows = Array.from({ length: 10 }, (_, i) => ({
    name: `A name that is rather long, number ${i + 1}`,
    atLeastCents: 100_000 * (i + 1),
  }))
  const measure = { by: 'netSales', currency: 'USD' }
  const pays = { amountCents: 25_000, currency: 'EUR' }
  await change({
    tiers: { ...measure, period: 'month', levels: rows },
    bonuses: rows.map((row) => ({ ...measure, ...row, pays })),
  })
  for (const { name, list, save, add } of PAGES) {
    await goto(name)
    await inspect(page, `${name}-10`)
    expect(await page.getByRole('button', { name: add }).count()).toBe(0)
    await page.locator(`[name="${list}.1.name"]`).fill('')
    await page.getByRole('button', { name: save }).last().click()
    await page.getByRole('alert').waitFor()
    await inspect(page, `${name}-errors`)
    await page.getByRole('alert').getByRole('link').first().click()
    expect(await page.evaluate('document.activeElement.name')).toBe(`${list}.1.name`)
  }
})
