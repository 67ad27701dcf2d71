// @module-tag thorough
/** Times are shown in the reader's zone. */
import { expect, inject, test } from 'vitest'
import { sharedBrowser } from '../support/browser.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

test.each([
  { zone: 'Asia/Tokyo', shown: '1 Mar 2026, 08:30' },
  { zone: 'America/New_York', shown: '28 Feb 2026, 18:30' },
])('a reader in $zone sees $shown, and UTC in the tooltip', async ({ zone, shown }) => {
  const merchant = await createMerchant()
  await database.query(`update partners set created_at = '2026-02-28T23:30:15Z' where id = $1`, [
    merchant.partnerId,
  ])
  const browser = await sharedBrowser()
  const context = await browser.newContext({
    timezoneId: zone,
    locale: 'de-DE',
    baseURL: inject('baseUrl'),
  })
  try {
    const [cookie = ''] = (await merchant.manager()).split('; ')
    const [name = '', value = ''] = cookie.split('=', 2)
    await context.addCookies([{ name, value, url: inject('baseUrl') }])
    const page = await context.newPage()
    await page.goto(`/app/${merchant.workspace.slug}/partners/${merchant.partnerId}`)
    const time = page.locator('time').first()
    expect([
      await time.textContent(),
      await time.getAttribute('title'),
      await time.getAttribute('datetime'),
    ]).toEqual([shown, '2026-02-28 23:30 UTC', '2026-02-28T23:30:15.000Z'])
  } finally {
    await context.close()
  }
})

test('without JavaScript, times are in UTC', async () => {
  const merchant = await createMerchant()
  await database.query(`update partners set created_at = '2026-02-28T23:30:15Z' where id = $1`, [
    merchant.partnerId,
  ])
  const answer = await fetch(
    `${inject('baseUrl')}/app/${merchant.workspace.slug}/partners/${merchant.partnerId}`,
    {
      headers: { Cookie: await merchant.manager() },
    },
  )
  expect(await answer.text()).toContain('>2026-02-28 23:30 UTC</time>')
})
