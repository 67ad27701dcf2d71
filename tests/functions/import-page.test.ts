// @module-tag thorough
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, inject, test } from 'vitest'
import { startShop } from '../snippet/shop.ts'
import { useBrowser } from '../support/browser.ts'
import { importCounts, importedPartners } from '../support/imports.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { useStripe } from '../support/stripe.ts'

describe('the import page, over the real Workers', () => {
  const database = useDatabase()
  const browser = useBrowser()

  /** The page as somebody sees it who has signed in. */
  const open = async ({ workspace }: Merchant, cookie: string): Promise<Page> => {
    const page = await browser.as(cookie)
    await page.goto(`/app/${workspace.slug}/import`)
    return page
  }

  const importFile = async (page: Page, name: string, buffer: Buffer): Promise<string> => {
    await page.getByLabel('CSV file').setInputFiles({ name, mimeType: 'text/csv', buffer })
    await page.getByRole('button', { name: 'Review file' }).click()
    await page.getByRole('button', { name: 'Preview import' }).click()
    await page.getByRole('button', { name: /^Import \d/ }).click()
    await page.getByRole('heading', { name: 'Import complete', level: 2 }).waitFor()
    return (await page.locator('#import-stage dl').innerText()).replaceAll(/\s+/g, ' ')
  }

  test.each([
    {
      platform: 'Rewardful',
      file: 'rewardful.csv',
      says: 'Partners 6 imported, 1 slug renamed. Customers 7 imported.',
    },
    { platform: 'FirstPromoter', file: 'firstpromoter.csv', says: 'Partners 4 imported.' },
    { platform: 'Tolt', file: 'tolt.csv', says: 'Partners 3 imported.' },
    { platform: 'PartnerStack', file: 'partnerstack.csv', says: 'Partners 3 imported.' },
    { platform: 'Dub', file: 'dub.csv', says: 'Partners 2 imported. Customers 3 imported.' },
    { platform: 'Tapfiliate', file: 'tapfiliate.csv', says: 'Partners 3 imported.' },
  ])(
    'an export from $platform imports, and its links attribute immediately',
    async ({ file, says }) => {
      const merchant = await createMerchant()
      const page = await open(merchant, await merchant.manager())
      const content = await readFile(new URL(`../fixtures/exports/${file}`, import.meta.url))
      expect(await importFile(page, file, content)).toBe(says)
      const partners = await importedPartners(database, merchant)
      expect(partners.length).toBeGreaterThan(0)
      for (const { slug } of partners) expect(await merchant.click(slug)).toMatch(/^clk_/)

      await page.getByRole('button', { name: 'Import another file' }).click()
      await page.getByRole('button', { name: 'Review file' }).waitFor()
      expect(await importFile(page, file, content)).toContain(
        `Partners 0 imported, ${partners.length} existing`,
      )
      await page.context().close()
    },
  )

  test('from a CSV file to a visitor’s click on ?via=, in one browser', async () => {
    const merchant = await createMerchant()
    const page = await open(merchant, await merchant.manager())
    await importFile(
      page,
      'own.csv',
      Buffer.from('email;link\nleo@partner.example;https://old.example/?via=Leo'),
    )

    const shop = await startShop()
    const script = `<script defer src="${inject('baseUrl')}/via.js" data-program="${merchant.programId}"></script>`
    shop.html = `<!doctype html><title>Shop</title>${script}`
    await page.goto(`http://127.0.0.1:${shop.port}/?via=Leo`)
    const clickId = await page.evaluate<string | undefined>('tributary.ready')
    expect(clickId).toMatch(/^clk_/)
    const { body } = await merchant.post('/api/track/sale', {
      externalId: 'invoice-1',
      customerExternalId: 'cus_1',
      amountCents: 4_900,
      clickId,
    })
    expect(body.attributed).toBe(true)
    await Promise.all([page.context().close(), shop.stop()])
  })

  test('an import killed before, between and after its calls ends the same, with one email per partner', async () => {
    const merchant = await createMerchant()
    let page = await open(merchant, await merchant.manager())
    const context = page.context()
    const calls: string[] = []
    /**
     * What becomes of each call: it is made, it is killed before it is made, or before its answer
     * arrives.
     */
    const fates = ['killed before', 'made', 'killed after', 'made', 'killed before']
    await context.route('**/partners/import', async (route) => {
      if (route.request().postDataJSON().options.dryRun) return route.continue()
      const fate = fates.shift() ?? 'made'
      calls.push(fate)
      if (fate === 'made') return route.continue()
      if (fate === 'killed after') await route.fetch()
      await page.close()
    })

    const rows = Array.from(
      { length: 1_200 },
      (_, index) => `p${index}@partner.example,p${index},${index}.50`,
    )
    const buffer = Buffer.from(['email,slug,balance', ...rows].join('\n'))
    await page
      .getByLabel('CSV file')
      .setInputFiles({ name: 'own.csv', mimeType: 'text/csv', buffer })
    await page.getByLabel('Send new partners').check()
    await page.getByLabel('Import opening balances').check()
    await page.getByRole('button', { name: 'Review file' }).click()
    await page.getByRole('button', { name: 'Preview import' }).click()
    await page.getByRole('button', { name: /^Import \d/ }).click()
    for (let kills = 0; kills < 3; kills++) {
      if (!page.isClosed()) await page.waitForEvent('close')
      page = await context.newPage()
      await page.goto(`/app/${merchant.workspace.slug}/import`)
      await page.getByRole('button', { name: 'Resume' }).click()
    }
    await page.getByRole('heading', { name: 'Import complete', level: 2 }).waitFor()
    expect(await page.locator('#import-stage dl').innerText()).toContain('1,200 imported')
    expect(calls.filter((fate) => fate === 'made')).toHaveLength(3)
    expect(await importCounts(database, merchant)).toEqual({
      partners: 1_200,
      coupons: 0,
      balances: 1_200,
      mails: 1_200,
    })
    await context.close()
  })

  test('a member learns that only managers import', async () => {
    const merchant = await createMerchant()
    const page = await open(merchant, await merchant.member())
    expect(await page.getByRole('main').innerText()).toContain('manager')
    expect(await page.locator('#import').count()).toBe(0)
    await page.context().close()
  })

  test('the page knows which programs credit the sales of imported customers', async () => {
    const merchant = await createMerchant()
    const { patch } = await merchant.asManager()
    const page = await open(merchant, await merchant.manager())
    const credits = async () => {
      await page.reload()
      return page
        .locator(`#import-program [value="${merchant.programId}"]`)
        .getAttribute('data-credits')
    }
    const save = async (path: string, body: object) =>
      expect((await patch(path, body)).status).toBe(200)
    expect(await credits()).toBe('false')
    await save(`/programs/${merchant.programId}`, { attributeKnownCustomers: true })
    expect(await credits()).toBe('true')
    await save(`/programs/${merchant.programId}`, { attributeKnownCustomers: false })
    await useStripe(merchant)
    expect(await credits()).toBe('true')
    await save('/settings', { salesFrom: 'api' })
    expect(await credits()).toBe('false')
    await page.context().close()
  })
})
