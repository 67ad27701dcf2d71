// @module-tag thorough
import { expect, inject, test } from 'vitest'
import { startShop } from '../snippet/shop.ts'
import { useBrowser } from '../support/browser.ts'
import { send } from '../support/merchant.ts'
import { newestLink, somebody } from '../support/people.ts'

const browser = useBrowser()

test('from nothing to a first sale: sign in, a workspace, a program, a group, a key, a partner, a click', async () => {
  const page = await browser.as('')
  const email = somebody('founder')
  const press = (name: string) => page.getByRole('button', { name }).click()
  const follow = (name: string) => page.getByRole('link', { name }).first().click()
  const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor()

  await page.goto('/app')
  await page.getByLabel('Email address').fill(email)
  await press('Send sign-in link')
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  await page.goto((await newestLink(email)).href)
  await press('Sign in')

  await heading('Your workspaces')
  const name = `First Shop ${crypto.randomUUID().slice(0, 8)}`
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await press('Create workspace')
  await heading(name)
  expect(await page.getByText('To do', { exact: true }).count()).toBe(5)

  const shop = await startShop()
  await follow('Create a program')
  await page.getByRole('textbox', { name: 'Name' }).fill('Friends')
  await page.getByLabel('Site').fill(`http://127.0.0.1:${shop.port}`)
  await page.getByLabel('Percentage of the sale').fill('20')
  await page.getByLabel('Reward duration (months)').fill('12')
  await page.getByLabel('Who reports renewals?').selectOption('processor')
  await press('Create program')
  await heading('Friends')
  const snippet = await page.locator('#snippet ~ .copyable code').first().innerText()

  await follow('New group')
  await page.getByRole('textbox', { name: 'Name' }).fill('Gold')
  const forSales = page.getByRole('group', { name: 'Sale reward' })
  await forSales.getByLabel('Type').selectOption('Percentage of each sale')
  await forSales.getByLabel('Percentage of the sale').fill('30')
  await press('Create group')
  await heading('Gold')

  await follow('API keys')
  await page.getByRole('textbox', { name: 'Name' }).fill('Checkout')
  await press('Create API key')
  await heading('Your new API key')
  const key = await page.locator('.copyable code').innerText()

  await follow('Import')
  await page.getByLabel('CSV file').setInputFiles({
    name: 'partners.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('email,name,slug\nmaya@partner.example,Maya Lindqvist,maya'),
  })
  await press('Review file')
  await press('Preview import')
  await page.getByRole('button', { name: /^Import \d/ }).click()
  await page.getByRole('heading', { name: 'Import complete', level: 2 }).waitFor()
  await follow('Partners')
  await follow('Maya Lindqvist')
  await page.getByLabel('Group').selectOption('Gold')
  await press('Save partner')
  const link = await page.locator('.copyable code').first().innerText()
  expect(link).toContain('?via=maya')

  shop.html = `<!doctype html><title>Shop</title>${snippet}`
  const visitor = await browser.as('')
  await visitor.goto(link)
  const clickId = await visitor.evaluate<string | undefined>('tributary.ready')
  const sale = await send(`${inject('baseUrl')}/api/track/sale`, {
    body: { externalId: 'inv_1', customerExternalId: 'cus_1', amountCents: 4_900, clickId },
    headers: { Authorization: `Bearer ${key}` },
  })
  expect(sale).toMatchObject({ status: 200, body: { attributed: true } })

  await follow('Overview')
  await heading(name)
  // Setup is complete, so the checklist is gone.
  expect(await page.getByText('To do', { exact: true }).count()).toBe(0)
  expect(await page.locator('ul.numbers').innerText()).toContain('$14.70')
  await Promise.all([page.context().close(), visitor.context().close(), shop.stop()])
})
