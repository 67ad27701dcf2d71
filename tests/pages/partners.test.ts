// @module-tag thorough
import { describe, expect, test } from 'vitest'
import { inspect, useBrowser, WALKS } from '../support/browser.ts'
import { importer } from '../support/imports.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'

const browser = useBrowser()
const database = useDatabase()

/** A merchant with everything that the pages show, long names included. */
const createShowcase = async () => {
  const merchant = await createMerchant({ group: { name: 'Gold' } })
  const { workspace, programId, seed } = merchant
  await seed.addGroup(workspace.id, programId, { name: 'Silver' })
  const { cookie, partners, customers } = await importer(merchant)
  await partners(
    [
      {
        email: 'maya.lindqvist@partner.example',
        name: 'Maya Lindqvist',
        slug: 'lindqvist',
        couponId: 'promo_1QxYz',
      },
      {
        email: 'a-very-long-address.of-somebody@sub.domain.partner.example',
        slug: `long-${'x'.repeat(60)}`,
      },
      { email: 'leo@partner.example', name: 'Leo Okafor', openingBalanceCents: 812_000 },
    ],
    { importOpeningBalances: true, sendWelcomeEmail: true },
  )
  await customers([
    {
      customerExternalId: 'cus_9s6XKzkNRiz8i3',
      partnerEmail: 'leo@partner.example',
      startedAt: '2025-01-31',
    },
  ])
  const clickId = await merchant.click('lindqvist')
  await merchant.lead({ externalId: 'user_1', clickId, customerEmail: 'ann@example.com' })
  const metadata = { plan: 'team', note: 'long '.repeat(60) }
  const sale = await merchant.sale({
    externalId: 'invoice-2026-0001',
    customerExternalId: 'user_1',
    clickId,
    metadata,
  })
  await merchant.sale({
    externalId: 'invoice-2026-0002',
    customerExternalId: 'user_1',
    currency: 'JPY',
    clickId,
  })
  const lost = await merchant.sale({ externalId: 'invoice-2026-0003' })
  if (lost.status !== 200) throw new Error(JSON.stringify(lost.body))
  await database.query(
    `update mails set failed_at = now(), sent_at = null, attempts = 8, last_error = 'No such mailbox.'
     where workspace_id = $1 and recipient like 'a-very%'`,
    [workspace.id],
  )
  const [maya] = await database.query<{ id: string }>(
    `select id from partners where workspace_id = $1 and slug = 'lindqvist'`,
    [workspace.id],
  )
  return { cookie, base: `/app/${workspace.slug}`, maya: maya?.id, saleId: sale.body.eventId }
}

let shown: ReturnType<typeof createShowcase> | undefined

/** One for all tests that leave what it shows as it is. */
const sharedShowcase = () => {
  shown ??= createShowcase()
  return shown
}

describe.each(WALKS)('at $width pixels, in $scheme colours', (screen) => {
  test('no page has axe violations or horizontal overflow', async () => {
    const { cookie, base, maya, saleId } = await createShowcase()
    const page = await browser.as(cookie, screen)
    const look = (name: string) => inspect(page, name)
    const lists = ['partners', 'events', 'commissions', 'customers', 'audit', 'mails']
    for (const list of lists) {
      await page.goto(`${base}/${list}`)
      for (const summary of await page.locator('summary').all()) await summary.click()
      await look(list)
    }
    await page.goto(`${base}/events/${saleId}`)
    await look('event')
    await page.goto(`${base}/partners?query=nobody`)
    await look('partners-none')
    await page.goto(`${base}/partners?query=%00`)
    await look('partners-error')

    await page.goto(`${base}/partners/${maya}`)
    await look('partner')
    await page.getByLabel('Coupon or promotion code ID').fill('promo_1QxYz')
    await page.getByRole('button', { name: 'Add coupon' }).click()
    await page.getByRole('status').waitFor()
    await look('partner-done')
    await page.context().close()
  })
})

test('a manager finds a partner, adds a coupon and a group, bans it and reinstates it', async () => {
  const { cookie, base } = await createShowcase()
  const page = await browser.as(cookie)
  await page.goto(`${base}/partners`)
  await page.getByLabel('Email address, name or slug').fill('LINDQ')
  await page.getByRole('button', { name: 'Filter partners' }).click()
  await page.getByRole('link', { name: 'Maya Lindqvist' }).click()
  await page.getByRole('heading', { name: 'Coupon aliases' }).waitFor()

  await page.getByLabel('Coupon or promotion code ID').fill('promo_NEW')
  await page.getByLabel('Code (optional)').fill('MAYA20')
  await page.getByRole('button', { name: 'Add coupon' }).click()
  await page.getByRole('cell', { name: 'MAYA20' }).waitFor()
  await page.getByRole('button', { name: 'Remove promo_1QxYz' }).click()
  await page.getByText('Coupon removed').waitFor()
  expect(await page.getByRole('cell', { name: 'promo_1QxYz', exact: true }).count()).toBe(0)

  await page.getByLabel('Group').selectOption('Silver')
  await page.getByRole('button', { name: 'Save partner' }).click()
  await page.getByText('Partner saved.').waitFor()
  expect(await page.locator('dl.facts').first().innerText()).toContain('Silver')

  await page.getByRole('button', { name: 'Ban partner' }).click()
  await page.getByText('its links do not work').waitFor()
  await page.getByRole('button', { name: 'Reinstate partner' }).click()
  await page.getByRole('button', { name: 'Ban partner' }).waitFor()
  await page.context().close()
})

test('a manager sees why a sale was not credited', async () => {
  const { cookie, base } = await sharedShowcase()
  const page = await browser.as(cookie)
  await page.goto(`${base}/events`)
  await page.getByLabel('External ID').fill('invoice-2026-0003')
  await page.getByRole('button', { name: 'Filter events' }).click()
  await page.getByText('Not credited', { exact: true }).last().click()
  await page.getByText('The report has no click ID').waitFor()
  await page.getByRole('link', { name: 'invoice-2026-0003', exact: true }).click()
  await page.getByRole('heading', { name: 'Not credited' }).waitFor()
  await page.context().close()
})

test('the slash and Ctrl-K go to the search, also where it is in the menu, but not while somebody types', async () => {
  const { cookie, base, saleId } = await sharedShowcase()
  for (const width of [1280, 390]) {
    const page = await browser.as(cookie, { width, scheme: 'light' })
    await page.goto(`${base}/partners`)
    await page.getByLabel('Email address, name or slug').pressSequentially('a/b')
    expect(await page.getByLabel('Email address, name or slug').inputValue()).toBe('a/b')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('/')
    await page.keyboard.type('invoice-2026-0001')
    await page.keyboard.press('Control+k')
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe(
      'invoice-2026-0001',
    )
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/events/${saleId}`)
    await page.context().close()
  }
})

test('a partner’s link is copied with one button', async () => {
  const { cookie, base, maya } = await sharedShowcase()
  const page = await browser.as(cookie)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${base}/partners/${maya}`)
  await page.getByRole('button', { name: 'Copy the link with lindqvist' }).click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    'https://shop.example/?via=lindqvist',
  )
  await page.context().close()
})

test('every form works without JavaScript', async () => {
  const { cookie, base, maya } = await createShowcase()
  const page = await browser.as(cookie, { width: 390, scheme: 'light', javaScriptEnabled: false })
  await page.goto(`${base}/partners/${maya}`)
  await page.getByRole('textbox', { name: 'Name' }).fill('Maya L.')
  await page.getByRole('button', { name: 'Save partner' }).click()
  await page.getByRole('heading', { name: 'Maya L.' }).waitFor()
  await page.context().close()
})

test('on a phone, without JavaScript, the sections are a menu, and each cell of a list names its column', async () => {
  const { cookie, base } = await sharedShowcase()
  const page = await browser.as(cookie, { width: 390, scheme: 'dark', javaScriptEnabled: false })
  await page.goto(base)
  expect(await page.getByRole('link', { name: 'Import' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.locator(':popover-open').getByRole('link', { name: 'Import' }).waitFor()
  await page.locator(':popover-open').getByRole('link', { name: 'Partners' }).click()
  const address = page.getByRole('cell', { name: 'maya.lindqvist@partner.example' })
  expect(await address.getAttribute('data-label')).toBe('Partner')
  await page.context().close()
})
