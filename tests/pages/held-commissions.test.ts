// @module-tag thorough
/** Held commissions in a browser: what managers compare, and what the partner sees. */
import { expect, test } from 'vitest'
import { inspect, useBrowser, WALKS } from '../support/browser.ts'
import { holdCommission } from '../support/holds.ts'
import { createMerchant } from '../support/merchant.ts'
import { openSession } from '../support/people.ts'

const browser = useBrowser()

/** A merchant with two sales of 49.00, the second of which is held as a possible duplicate. */
const createHold = async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  await merchant.sale({ externalId: 'order-1', clickId })
  await merchant.sale({
    externalId: 'in_1QxYzAbCdEfGhIjKlMnOpQrStUvWxYz',
    customerExternalId: 'cus_1',
    clickId,
  })
  await holdCommission(merchant, 'in_1QxYzAbCdEfGhIjKlMnOpQrStUvWxYz', 'order-1')
  const [partner] = (await merchant.get('/partners')).body.data as { email: string }[]
  return { merchant, base: `/app/${merchant.workspace.slug}`, partnerEmail: partner?.email ?? '' }
}

test.each(WALKS)('both sales are in view at $width pixels, in $scheme colors', async (screen) => {
  const { merchant, base, partnerEmail } = await createHold()
  const page = await browser.as(await merchant.manager(), screen)
  await page.goto(base)
  await inspect(page)
  await page.getByRole('link', { name: 'held for review' }).click()
  await page.getByRole('heading', { name: 'Held commissions' }).waitFor()
  await inspect(page)
  const table = page.getByRole('region', { name: 'Evidence' })
  expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  await page.getByRole('button', { name: 'Release $9.80' }).click()
  await page.getByText('Commission released.').waitFor()
  await inspect(page)

  const portal = await browser.as(await openSession(partnerEmail), screen)
  await portal.goto('/portal/commissions')
  await inspect(portal)
})
