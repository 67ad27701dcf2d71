// @module-tag thorough
/** The setup checklist, whose steps are ticked while it is open. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { inspect, useBrowser } from '../support/browser.ts'
import { createMerchant } from '../support/merchant.ts'

const browser = useBrowser()

/** Longer than the script waits between two requests. */
const A_WHILE = 6_000

type Screen = Parameters<typeof browser.as>[1]

/**
 * A manager at the overview of a workspace without a click and a sale, whose clock the test sets.
 */
const openOverview = async (screen?: Screen) => {
  const merchant = await createMerchant()
  const page = await browser.as(await merchant.manager(), screen)
  await page.clock.install()
  const path = `/app/${merchant.workspace.slug}`
  await page.goto(path)
  const requests: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  return { merchant, page, requests }
}

const statesOf = (page: Page) => page.locator('.checklist .status').allTextContents()
const count = (page: Page, state: string) =>
  page.locator('.checklist .status').getByText(state, { exact: true }).count()

/** How far the page has moved since it was opened. */
const shiftOf = (page: Page) =>
  page.evaluate<number>(`new Promise((resolve) => {
    let shift = 0
    const observer = new PerformanceObserver((list) => { for (const entry of list.getEntries()) shift += entry.value })
    observer.observe({ type: 'layout-shift', buffered: true })
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(shift)))
  })`)

const topOf = async (page: Page) =>
  (await page.getByText('Report your first sale').boundingBox())?.x

test('ticks what is done, moves nothing, keeps the focus, and stops when all of it is', async () => {
  const { merchant, page, requests } = await openOverview()
  expect(await statesOf(page)).toEqual(['Done', 'Done', 'Done', 'To do', 'To do'])
  await inspect(page, 'checklist')
  const link = page.getByRole('link', { name: 'Report your first sale' })
  await link.focus()
  const place = await topOf(page)
  const shift = await shiftOf(page)

  const clickId = await merchant.click()
  await page.clock.runFor(A_WHILE)
  await expect.poll(() => count(page, 'Done')).toBe(4)
  await merchant.sale({ clickId })
  await page.clock.runFor(A_WHILE)
  await expect.poll(() => count(page, 'Done')).toBe(5)
  expect(await topOf(page)).toBe(place)
  expect(await shiftOf(page)).toBe(shift)
  expect(await link.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(
    true,
  )

  const sent = requests.length
  await page.clock.runFor(10 * A_WHILE)
  expect(requests.length).toBe(sent)
})

test('requests nothing while nobody looks at it, and reads it when somebody does again', async () => {
  const { merchant, page, requests } = await openOverview()
  const look = (hidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} })
      document.dispatchEvent(new Event('visibilitychange'))`)
  await look(true)
  await merchant.click()
  await page.clock.runFor(10 * A_WHILE)
  expect(requests).toEqual([])
  await look(false)
  await expect.poll(() => count(page, 'Done')).toBe(4)
})

test('waits out an answer that fails, and ends with the session', async () => {
  const { merchant, page, requests } = await openOverview()
  await page.route('**/app/*', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 })
  await merchant.click()
  await page.clock.runFor(A_WHILE)
  await expect.poll(() => requests.length).toBe(1)
  expect(await count(page, 'Done')).toBe(3)
  await page.clock.runFor(A_WHILE)
  await expect.poll(() => count(page, 'Done')).toBe(4)

  await page.context().clearCookies()
  await page.clock.runFor(A_WHILE)
  await expect.poll(() => requests.filter((path) => path === '/sign-in').length).toBe(1)
  const sent = requests.length
  await page.clock.runFor(10 * A_WHILE)
  expect(requests.length).toBe(sent)
  expect(await count(page, 'Done')).toBe(4)
})

test('is there without JavaScript', async () => {
  const merchant = await createMerchant()
  const page = await browser.as(await merchant.manager(), {
    width: 390,
    scheme: 'dark',
    javaScriptEnabled: false,
  })
  await page.goto(`/app/${merchant.workspace.slug}`)
  expect(await statesOf(page)).toEqual(['Done', 'Done', 'Done', 'To do', 'To do'])
})

test('on the page “Test your tracking” a step is ticked with what it has seen, and a problem is named and goes', async () => {
  const merchant = await createMerchant()
  const page = await browser.as(await merchant.manager())
  await page.clock.install()
  await page.goto(`/app/${merchant.workspace.slug}/programs/${merchant.programId}/test`)
  await inspect(page, 'tracking-test')
  const step = page.locator('.checklist li').nth(5)
  expect(await statesOf(page)).toEqual(Array(7).fill('To do'))
  await merchant.sale({ externalId: 'order_lost' })
  await page.clock.runFor(A_WHILE)
  await expect.poll(() => step.innerText()).toMatch(/Problem.*order_lost.*without a click ID/s)
  await inspect(page, 'tracking-test-problem')
  await merchant.sale({ externalId: 'order_found', clickId: await merchant.click() })
  await page.clock.runFor(A_WHILE)
  await expect.poll(() => step.innerText()).toMatch(/Done.*order_found/s)
  await expect.poll(() => count(page, 'To do')).toBe(1)
})
