// @module-tag thorough
import { describe, expect, test } from 'vitest'
import { inspect, tabTo, WALKS } from '../support/browser.ts'
import { choose, page, press, reopen, service, step, useImportPage } from './visit.ts'

useImportPage()

/** A file whose report has every part. */
const FILE = `email,name,slug,balance,coupon_id,paypal_email
maya@example.com,Maya Lindqvist,maya,120.00,cpn_maya,maya.pay@example.com
leo@example.com,Leo Okafor,leo,80.00,,
leo@example.com,Leo Okafor,leo-two,,,
old@example.com,Somebody,older,,,
wrong,No Address,wrong,,,
euro@example.com,Euro Balance,euro,12 EUR,,
,Nobody,nobody,,,
`

describe.each(WALKS)('in $scheme colours at $width pixels', ({ scheme, width }) => {
  test('no step has axe violations or horizontal overflow', async () => {
    await reopen({ colorScheme: scheme, viewport: { width, height: 844 } })
    service.state.partners.set('old@example.com', { email: 'old@example.com', slug: 'maya' })
    await inspect(page)

    await press('Review file')
    await page.getByRole('alert').waitFor()
    await inspect(page)

    await choose('partners.csv', FILE)
    await step('Columns')
    await inspect(page)

    service.state.faults = [new Response('{}', { status: 401 })]
    await press('Preview import')
    await page.getByRole('alert').waitFor()
    await inspect(page)

    await press('Resume')
    await step('Import preview')
    for (const details of await page.locator('#import-stage summary').all()) await details.click()
    await inspect(page)

    await press(/^Import/)
    await step('Import complete')
    await inspect(page)
  })
})

test('the import works with the keyboard alone', async () => {
  await page.getByLabel('Or paste CSV text').focus()
  await page.keyboard.insertText('email,slug\nmaya@example.com,maya')
  // The number of tab stops before a button varies: a table is one if it overflows.
  for (const [button, next] of [
    ['Review file', 'Columns'],
    ['Preview import', 'Import preview'],
    [/^Import 1 new partner/, 'Import complete'],
  ] as const) {
    await tabTo(page, 'button', button)
    await page.keyboard.press('Enter')
    await step(next)
  }
})

test('without JavaScript, the page points to the API', async () => {
  await reopen({ javaScriptEnabled: false })
  expect(await page.locator('noscript').innerText()).toContain('This page needs JavaScript')
  expect(await page.getByRole('button', { name: 'Review file' }).isDisabled()).toBe(true)
})
