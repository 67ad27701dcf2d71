import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { launchBrowser } from '../../dev/browser.ts'
import { askForLink, newestLink, press, somebody } from '../support/people.ts'

let browser: Browser
/** What the pages' consoles complain about: a blocked style, a script that throws. */
const complaints: string[] = []
beforeAll(async () => {
  browser = await launchBrowser()
})
afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
  expect(complaints.splice(0)).toEqual([])
})
afterAll(() => browser.close())

const newPage = async (colorScheme: 'light' | 'dark' = 'light'): Promise<Page> => {
  const context = await browser.newContext({
    baseURL: inject('baseUrl'),
    colorScheme,
    // An address of its own, or all tests together would run into one caller's limit.
    extraHTTPHeaders: { 'CF-Connecting-IP': crypto.randomUUID() },
  })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // Chromium also logs pages with the status 400: a form shown again, a link that is over.
    if (message.type() === 'error' && !message.text().includes('status of 400'))
      complaints.push(message.text())
  })
  return page
}

const violations = async (page: Page) =>
  (await new AxeBuilder({ page }).analyze()).violations.map(({ id, nodes }) => ({
    page: new URL(page.url()).pathname,
    id,
    nodes: nodes.map(({ html }) => html),
  }))

test.each(['light', 'dark'] as const)('the pages are accessible in %s', async (scheme) => {
  const page = await newPage(scheme)
  const email = somebody()
  await page.goto('/sign-in?next=/app')
  const found = await violations(page)

  await page.locator('form').evaluate((form: { noValidate: boolean }) => {
    form.noValidate = true
  })
  await page.getByLabel('E-mail address').fill('ann')
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByText('This is not an e-mail address.').waitFor()
  expect(await page.getByLabel('E-mail address').inputValue()).toBe('ann')
  found.push(...(await violations(page)))

  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
  found.push(...(await violations(page)))

  const link = await newestLink(email)
  await page.goto(link.href)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  found.push(...(await violations(page)))

  await press(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  found.push(...(await violations(page)))
  expect(found).toEqual([])
})

test('somebody signs in and out with the keyboard alone, and the session’s cookie is out of reach of scripts', async () => {
  const page = await newPage()
  const email = somebody()
  await page.goto('/sign-in')
  await tabTo(page, 'E-mail address')
  await page.keyboard.type(email)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()

  await page.goto((await newestLink(email)).href)
  await tabTo(page, 'Sign in')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/app')
  expect(await page.evaluate('document.cookie')).toBe('')

  await tabTo(page, 'Sign out')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/sign-in')
  await page.goto('/app')
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/sign-in?next=%2Fapp')
})

test('a link signs in another browser than the one in which it was asked for', async () => {
  const link = await askForLink(somebody())
  const page = await newPage()
  await page.goto(link.href)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/app')
})

/** Presses Tab until what has the focus is named so. */
const tabTo = async (page: Page, name: string): Promise<void> => {
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<string>(
      'document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent',
    )
    if (focused.trim() === name) return
  }
  throw new Error(`Tab does not lead to "${name}".`)
}
