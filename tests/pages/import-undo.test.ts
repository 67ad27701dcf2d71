// @module-tag thorough
/** The undo of an import in a browser: what stays, and why. */
import { expect, test } from 'vitest'
import { inspect, useBrowser, WALKS } from '../support/browser.ts'
import { partnerRows } from '../support/imports.ts'
import { createUndoing, newImport } from '../support/undo.ts'

const browser = useBrowser()

test.each(WALKS)('each reason is in view at $width pixels, in $scheme colors', async (screen) => {
  const { merchant, partners, customers } = await createUndoing()
  const { importId } = newImport()
  await partners(partnerRows(3), {}, { importId })
  const rows = [{ customerExternalId: 'cus_R1aaaaaaaaaaaa', partnerEmail: 'p0@partner.example' }]
  await customers(rows, { importId })
  await partners(partnerRows(3))
  await customers(rows)

  const page = await browser.as(await merchant.manager(), screen)
  await page.goto(`/app/${merchant.workspace.slug}/imports/${importId}/undo`)
  await page.getByText('A later import names it. Undo that one first.').first().waitFor()
  await inspect(page)
  const tables = page.locator('section.table')
  expect(await tables.count()).toBe(2)
  expect(
    await tables.evaluateAll((all) =>
      all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
    ),
  ).toEqual([0, 0])
})
