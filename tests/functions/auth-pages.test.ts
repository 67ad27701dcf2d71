// @module-tag thorough
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { inspect, tabTo as tabToButton, useBrowser, WALKS } from '../support/browser.ts'
import {
  askForLink,
  cookieOf,
  fromSomewhere,
  newestLink,
  press,
  signIn,
  somebody,
  whoIs,
} from '../support/people.ts'

const browser = useBrowser()

const newPage = async (screen?: (typeof WALKS)[number]): Promise<Page> => {
  const page = await browser.as('', screen)
  await page.setExtraHTTPHeaders(fromSomewhere())
  return page
}

test.each(WALKS)('the pages are accessible in $scheme colours at $width pixels', async (screen) => {
  const page = await newPage(screen)
  const email = somebody()
  await page.goto('/sign-in?next=/app')
  await inspect(page)

  await page.locator('main form').evaluate((form: { noValidate: boolean }) => {
    form.noValidate = true
  })
  await page.getByLabel('Email address').fill('ann')
  await page.getByRole('button', { name: 'Send sign-in link' }).click()
  await page.getByText('Must be an email address').waitFor()
  expect(await page.getByLabel('Email address').inputValue()).toBe('ann')
  await inspect(page)

  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Send sign-in link' }).click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  await inspect(page)

  const link = await newestLink(email)
  await page.goto(link.href)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await inspect(page)

  await press(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Invalid sign-in link' }).waitFor()
  await inspect(page)
})

test('the browser that asked sees where the link was opened and used, and takes the code', async () => {
  const address = fromSomewhere()
  const [page, phone] = [await browser.as(''), await browser.as('', { width: 390, scheme: 'dark' })]
  for (const each of [page, phone]) await each.setExtraHTTPHeaders(address)
  const email = somebody()
  const ask = async () => {
    await page.goto('/sign-in')
    await page.getByLabel('Email address').fill(email)
    await page.getByRole('button', { name: 'Send sign-in link' }).click()
    await page.getByLabel('Code').waitFor()
    await phone.goto((await newestLink(email)).href)
    await phone.getByRole('heading', { name: 'Another browser' }).waitFor()
  }
  await ask()
  await inspect(phone, 'sign-in-elsewhere')
  await phone.getByRole('button', { name: 'Show code' }).click()
  const code = (await phone.locator('.code').textContent()) ?? ''
  await inspect(phone, 'sign-in-code-shown')
  await page.getByText('Enter the code that is shown there.').waitFor()
  await inspect(page, 'sign-in-sent')
  await page.getByLabel('Code').fill('12')
  await page.getByRole('button', { name: 'Sign in with code' }).click()
  await page.getByText('This code is wrong').first().waitFor()
  await inspect(page, 'sign-in-code-wrong')
  await page.getByLabel('Code').fill(code)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/app')

  await page.getByRole('button', { name: 'Sign out' }).click()
  await ask()
  await phone.getByRole('button', { name: 'Sign in' }).click()
  await phone.waitForURL('**/app')
  await page.getByText('you are signed in in another browser').waitFor()
})

test('the list of sessions is accessible, and works by keyboard and without JavaScript', async () => {
  const email = somebody()
  const phone = 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'
  const other = cookieOf(
    await press(await askForLink(email), { ...fromSomewhere(), 'User-Agent': phone }),
  )
  const page = await browser.as(await signIn(email), {
    width: 390,
    scheme: 'dark',
    javaScriptEnabled: false,
  })
  for (const home of ['/portal', '/app']) {
    await page.goto(home)
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.waitForURL('**/auth/sessions')
  }
  const scripted = await browser.as(other)
  await scripted.goto('/auth/sessions')
  await inspect(scripted, 'sessions')

  await page.getByRole('row', { name: 'Firefox on Android' }).waitFor()
  await tabToButton(page, 'button', 'Sign out Firefox on Android')
  await page.keyboard.press('Enter')
  await page.getByText('Signed out in that browser.').waitFor()
  expect(await page.getByRole('row', { name: 'Firefox on Android' }).count()).toBe(0)
  expect(await whoIs(other)).toBeNull()

  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByText('You are signed out in all browsers.').waitFor()
  await page.goto('/auth/sessions')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('sign-in and sign-out work by keyboard, and the session cookie is HttpOnly', async () => {
  const page = await newPage()
  const email = somebody()
  await page.goto('/sign-in')
  await tabTo(page, 'Email address')
  await page.keyboard.type(email)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()

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

test('a link works in another browser than the one that requested it', async () => {
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
