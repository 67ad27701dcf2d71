// @module-tag thorough
/** The panel beside a list, which shows what a row's page says. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { inspect, useBrowser } from '../support/browser.ts'
import { createMerchant } from '../support/merchant.ts'

const browser = useBrowser()

/** A manager at the list of sales, of which there are two. */
const openList = async (list = 'events', screen?: Parameters<typeof browser.as>[1]) => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  await merchant.sale({ externalId: 'order-1', clickId })
  await merchant.sale({ externalId: 'order-2' })
  const page = await browser.as(await merchant.manager(), screen)
  await page.goto(`/app/${merchant.workspace.slug}/${list}`)
  return { page, path: `/app/${merchant.workspace.slug}/${list}` }
}

const panelOf = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
const pathOf = (page: Page) => new URL(page.url()).pathname

test('opens by the keyboard, with the URL of the row’s page, and Escape returns to the row', async () => {
  const { page, path } = await openList()
  const link = page.getByRole('link', { name: 'order-1' })
  await link.focus()
  await page.keyboard.press('Enter')
  const panel = panelOf(page, 'Sale order-1')
  await panel.getByRole('heading', { name: 'Credited', exact: true }).waitFor()
  expect(pathOf(page)).toMatch(new RegExp(`^${path}/[\\da-f-]{36}$`))
  await inspect(page, 'panel', [
    { width: 1280, scheme: 'light' },
    { width: 1280, scheme: 'dark' },
  ])
  // Forms stay on the page.
  expect(await panel.locator('form').count()).toBe(0)

  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await page.waitForURL(`**${path}`)
  expect(await link.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(
    true,
  )
})

test('closes by Back and by its button, opens again by Forward, and a reload shows the page', async () => {
  const { page, path } = await openList()
  await page.getByRole('link', { name: 'order-2' }).click()
  const panel = panelOf(page, 'Sale order-2')
  await panel.waitFor()
  await page.goBack()
  await panel.waitFor({ state: 'detached' })
  await page.goForward()
  await panel.waitFor()
  await panel.getByRole('button', { name: 'Close' }).click()
  await page.waitForURL(`**${path}`)
  await page.goForward()
  await panel.waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Refund', exact: true }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('of a commission leads to its page, with the forms', async () => {
  const { page } = await openList('commissions')
  await page.getByRole('link', { name: /9\.80/ }).click()
  const panel = panelOf(page, /^Sale of /)
  await panel.getByRole('link', { name: 'Open page' }).click()
  await page.getByRole('button', { name: 'Adjust earnings' }).waitFor()
})

test('is the page itself on a phone, without JavaScript, and where the row is gone', async () => {
  for (const screen of [
    { width: 390, scheme: 'dark' as const },
    { width: 1280, scheme: 'light' as const, javaScriptEnabled: false },
  ]) {
    const { page } = await openList('events', screen)
    await page.getByRole('link', { name: 'order-1' }).click()
    await page.getByRole('heading', { name: 'Refund', exact: true }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  }
  const { page } = await openList()
  await page
    .getByRole('link', { name: 'order-1' })
    .evaluate((link) => link.setAttribute('href', '/app/nowhere'))
  await page.getByRole('link', { name: 'order-1' }).click()
  await page.waitForURL('**/app/nowhere')
})

test('a table that fits keeps its head in view while the page scrolls, and one that is wider scrolls by itself', async () => {
  const merchant = await createMerchant()
  for (let index = 0; index < 30; index++) await merchant.sale({ externalId: `order-${index}` })
  const page = await browser.as(await merchant.manager())
  await page.goto(`/app/${merchant.workspace.slug}/events`)
  const head = page.getByRole('columnheader', { name: 'Amount' })
  await page.locator('.table.fits').waitFor()
  await page.getByRole('link', { name: 'order-0', exact: true }).scrollIntoViewIfNeeded()
  expect((await head.boundingBox())?.y).toBe(0)
  await page
    .locator('td')
    .first()
    .evaluate((cell) => {
      cell.setAttribute('nowrap', '')
      cell.textContent = 'wide '.repeat(80)
    })
  await page.setViewportSize({ width: 1100, height: 844 })
  await page.locator('.table:not(.fits)').waitFor()
})
