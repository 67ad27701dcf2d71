// @module-tag thorough
/** The undo of an import in a browser: what is taken back, and who depends on it. */
import { expect, test } from 'vitest'
import { inspect, useBrowser, WALKS } from '../support/browser.ts'
import { LEO, partnerRows } from '../support/imports.ts'
import { createUndoing, newImport } from '../support/undo.ts'

const browser = useBrowser()

test.each(WALKS)(
  'a preview names who depends on the import, and without any undoes it, at $width pixels, in $scheme colors',
  async (screen) => {
    const { merchant, partners, customers, undo } = await createUndoing()
    const [ours, later] = [newImport(), newImport()]
    const all = { sendWelcomeEmail: true, importOpeningBalances: true }
    await partners(partnerRows(25), all, ours)
    const rows = Array.from({ length: 23 }, (_, n) => ({
      customerExternalId: `cus_R1aaaaaaaaaaaa${n}`,
      partnerEmail: `p${n}@partner.example`,
    }))
    await customers(rows, ours)
    await customers(
      rows.map((row) => ({ ...row, partnerEmail: LEO, customerEmail: 'ann@x.example' })),
      later,
    )
    await customers([{ customerExternalId: 'cus_2', partnerEmail: 'p0@partner.example' }], later)

    const page = await browser.as(await merchant.manager(), screen)
    const path = `/app/${merchant.workspace.slug}/imports/${ours.importId}`
    await page.goto(`${path}/undo`)
    await page.getByText('This import cannot be undone').waitFor()
    await inspect(page)
    const tables = page.locator('section.table')
    expect(await page.locator('main h2').allInnerTexts()).toEqual(['Partners: 1', 'Customers: 23'])
    expect(
      await tables.evaluateAll((all) =>
        all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
      ),
    ).toEqual([0, 0])
    expect(await page.getByRole('button', { name: 'Undo import' }).count()).toBe(0)

    expect((await undo(later.importId)).status).toBe(200)
    await page.reload()
    await inspect(page)
    await page.getByRole('button', { name: 'Undo import' }).click()
    await page.getByRole('heading', { name: 'Undone' }).waitFor()
    await inspect(page)
    expect(await page.getByText('Customers, who return to what they were: 23').count()).toBe(1)
  },
)
