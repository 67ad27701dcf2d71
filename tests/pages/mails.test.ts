// @module-tag thorough
/** The preview of emails, in a browser. */
import { describe, expect, test } from 'vitest'
import { inspect, useBrowser } from '../support/browser.ts'
import { createMerchant } from '../support/merchant.ts'

const browser = useBrowser()

const SCREENS = [375, 640].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
)

describe('at 375 and 640 pixels, in light and dark colours', () => {
  test('neither the list of emails nor a preview has axe violations or horizontal overflow', async () => {
    const merchant = await createMerchant()
    const page = await browser.as(await merchant.manager())
    await page.goto(`/app/${merchant.workspace.slug}/mails`)
    await page.getByRole('link', { name: 'Preview the emails that partners receive' }).click()
    await page.getByRole('heading', { name: 'Emails to partners' }).waitFor()
    await inspect(page, 'mail-previews', SCREENS)
    await page.getByRole('link', { name: 'Welcome' }).click()
    const frame = page.frameLocator('iframe')
    await frame.getByText('Hello Maya Chen,').waitFor()
    await inspect(page, 'mail-preview', SCREENS)
    await page.getByLabel('Subject').fill('Hi {partnrName}')
    await page.getByRole('button', { name: 'Save text' }).click()
    await page.getByText('There is no placeholder {partnrName}.').first().waitFor()
    await inspect(page, 'mail-text-refused', SCREENS)
    await page.getByLabel('Subject').fill('Hi {partnerName}')
    await page.getByRole('button', { name: 'Save text' }).press('Enter')
    await page.getByRole('status').getByText('Text saved.').waitFor()
    await page.getByText('Hi Maya Chen').first().waitFor()
    await page.context().close()
  })
})

test('a mail in a preview has its own styles', async () => {
  const merchant = await createMerchant()
  const page = await browser.as(await merchant.manager())
  await page.goto(`/app/${merchant.workspace.slug}/mails/preview/connect_account`)
  const button = page.frameLocator('iframe').getByRole('link', { name: 'Connect account' })
  // The padding of its inline style makes it higher than a line.
  expect((await button.boundingBox())?.height).toBeGreaterThan(40)
  await page.context().close()
})
