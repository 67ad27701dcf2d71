import { expect, test } from 'vitest'
import { inspect, useBrowser } from '../support/browser.ts'
import { createMerchant } from '../support/merchant.ts'

const browser = useBrowser()

test('the docs can be read and searched by everybody, without a mouse', async () => {
  const page = await browser.as('')
  for (const path of ['/docs', '/docs/snippet', '/docs/errors']) {
    await page.goto(path)
    await inspect(page, `docs${path.replaceAll('/', '-')}`)
  }
  await page.goto('/docs/')
  await page.keyboard.press('/')
  await page.keyboard.type('pin version')
  await page.getByRole('option', { name: 'Pin a version' }).waitFor()
  await inspect(page, 'docs-search')
  await page.getByRole('combobox', { name: 'Search the docs' }).press('Enter')
  await page.waitForURL('**/docs/snippet#pin-a-version')

  await page.keyboard.press('/')
  await page.keyboard.type('xyzzy')
  await page.getByRole('option', { name: 'No results.' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('option').waitFor({ state: 'hidden' })
})

test('samples have the URL, and for a signed-in reader the program, and are copied so', async () => {
  const merchant = await createMerchant()
  const stranger = await browser.as('')
  await stranger.goto('/docs/snippet')
  const code = (page: typeof stranger) => page.locator('pre').first()
  const origin = new URL(stranger.url()).origin
  await stranger.getByText(`${origin}/via.js`).first().waitFor()
  expect(await stranger.getByLabel('Your program in the samples').isVisible()).toBe(false)

  const manager = await browser.as(await merchant.manager())
  await manager.goto('/docs/snippet')
  await manager.getByText(merchant.programId).first().waitFor()
  expect(await code(manager).innerText()).toContain(`data-program="${merchant.programId}"`)
  expect(await manager.getByLabel('Your program in the samples').inputValue()).toBe(merchant.programId)
  const copied = await manager.locator('.code button').first().getAttribute('data-copy')
  expect(copied).toBe(await code(manager).textContent())
  await inspect(manager, 'docs-signed-in')
})

test('the reference shows samples in the language chosen, and sends requests', async () => {
  const merchant = await createMerchant()
  const page = await browser.as(await merchant.manager())
  await page.goto('/docs/reference')
  const sale = page.locator('.operation').filter({ has: page.locator('#postTrackSale') })
  await sale.getByRole('tab', { name: 'curl' }).press('ArrowRight')
  await sale.getByText('await tributary.track.sale(').waitFor()
  expect(await page.getByRole('tab', { name: 'Node', selected: true }).count()).toBeGreaterThan(50)

  await sale.getByText('Try it').click()
  await sale.getByLabel('API key').fill(merchant.apiKey)
  await sale.getByRole('button', { name: 'Send request' }).click()
  await sale.getByRole('status').getByText('"attributed": false').waitFor()

  const partners = page.locator('.operation').filter({ has: page.locator('#getPartners') })
  await partners.getByText('Try it').click()
  expect(await partners.getByLabel('workspace').inputValue()).toBe(merchant.workspace.slug)
  await partners.getByRole('button', { name: 'Send request' }).click()
  await partners.getByRole('status').getByText('"nextCursor"').waitFor()
  // All operations look alike, and axe takes a minute for all of them.
  await page.evaluate(`document.querySelectorAll('.operation').forEach((one, at) => at > 6 && one.remove())`)
  await inspect(page, 'docs-reference')

  await page.reload()
  await page.getByRole('tab', { name: 'Node', selected: true }).first().waitFor()
})
