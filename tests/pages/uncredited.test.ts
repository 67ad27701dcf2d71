// @module-tag thorough
/** The page of sales and leads that nobody was credited with, in a browser. */
import { describe, expect, test } from 'vitest'
import { inspect, useBrowser, WALKS } from '../support/browser.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'

const browser = useBrowser()
const database = useDatabase()

/**
 * A merchant with sales that nobody was credited with, with every kind of evidence that a report
 * can have, and long names.
 */
const createShowcase = async () => {
  const merchant = await createMerchant()
  const { workspace, programId, seed } = merchant
  const slug = `agency-${'x'.repeat(60)}`
  const banned = await seed.addPartner(workspace.id, programId, {
    slug,
    name: 'A Marketing Agency Ltd. & Partners',
  })
  const [clickId, theirs] = [await merchant.click(), await merchant.click(slug)]
  await merchant.lead({ externalId: 'user_1', clickId, customerEmail: 'ann@example.com' })
  await database.query(`update clicks set expires_at = created_at where id = $1`, [clickId])
  await database.query(`update partners set status = 'banned' where id = $1`, [banned])
  await merchant.sale({
    externalId: `invoice-${'0'.repeat(80)}1`,
    customerExternalId: 'user_2',
    clickId: theirs,
  })
  await merchant.sale({
    externalId: 'invoice-2',
    customerExternalId: 'ann@example.com',
    amountCents: 1_234_567_89,
  })
  await merchant.sale({ externalId: 'invoice-3', customerExternalId: 'user_1', currency: 'JPY' })
  await merchant.sale({ externalId: 'invoice-4', customerExternalId: 'user_3' })
  await merchant.lead({ externalId: 'user_3', clickId })
  await merchant.sale({ externalId: 'invoice-5', customerExternalId: 'user_4', clickId })
  const event = await merchant.explainReport('sale', 'invoice-5')
  return {
    merchant,
    cookie: await merchant.manager(),
    base: `/app/${workspace.slug}`,
    eventId: event?.id,
  }
}

describe.each(WALKS)('at $width pixels, in $scheme colours', (screen) => {
  test('neither the list, nor an empty one, nor the form has axe violations or horizontal overflow', async () => {
    const { cookie, base, eventId } = await createShowcase()
    const page = await browser.as(cookie, screen)
    for (const [name, path] of Object.entries({
      uncredited: '/uncredited',
      'uncredited-leads': '/uncredited?show=leads',
      'uncredited-likely': '/uncredited?show=likely',
      'uncredited-attention': '',
      'uncredited-error': '/uncredited?show=nothing',
      'uncredited-credit': `/events/${eventId}/credit`,
    })) {
      await page.goto(base + path)
      await inspect(page, name)
    }
    const nothing = await createMerchant()
    const empty = await browser.as(await nothing.manager(), screen)
    await empty.goto(`/app/${nothing.workspace.slug}/uncredited`)
    await inspect(empty, 'uncredited-none')
    await empty.context().close()
    await page.context().close()
  })
})

test('a manager finds the sale in the side bar, and credits it by two buttons of the keyboard', async () => {
  const { merchant, cookie, base, eventId } = await createShowcase()
  const page = await browser.as(cookie)
  await page.goto(base)
  await page.getByRole('link', { name: 'Not credited', exact: true }).click()
  await page.getByRole('link', { name: 'Credit maya with invoice-5' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Credit event' }).waitFor()
  expect(await page.getByLabel('Credit to').inputValue()).toBe('maya')
  expect(await page.getByLabel('Reason for the credit').inputValue()).toMatch(
    /^The visitor clicked your link on /,
  )
  await page.getByRole('button', { name: 'Credit event' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/events/${eventId}`)
  await page.getByRole('heading', { name: 'Credited', exact: true }).waitFor()
  expect((await merchant.explainReport('sale', 'invoice-5'))?.partner?.slug).toBe('maya')
  await page.context().close()
})

test('a manager records a refund of a sale by the keyboard', async () => {
  const { cookie, base, eventId } = await createShowcase()
  const page = await browser.as(cookie)
  await page.goto(`${base}/events/${eventId}`)
  await page.getByRole('link', { name: 'Refund sale' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Refund sale' }).waitFor()
  await inspect(page, 'refund')
  await page.getByLabel('Refunded amount (USD)').fill('9.00')
  await page.getByLabel('Reason for the refund').fill('Returned the box')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Refund recorded.').waitFor()
  await inspect(page, 'refunded-sale')
  await page.getByRole('link', { name: 'Refund sale' }).click()
  await page.getByLabel('Refunded amount (USD)').fill('900')
  await page.getByLabel('Reason for the refund').fill('Too much')
  await page.keyboard.press('Enter')
  await page.getByText('Only 40.00 USD of this sale is left.').first().waitFor()
  await inspect(page, 'refund-refused')
  await page.context().close()
})
