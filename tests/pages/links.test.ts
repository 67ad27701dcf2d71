// @module-tag thorough
import jsqr from 'jsqr'
import { expect, test } from 'vitest'
import { inspect, useBrowser } from '../support/browser.ts'
import { createPartner } from '../support/portal.ts'

const browser = useBrowser()
const SCREENS = [
  { width: 1280, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 390, scheme: 'light' },
  { width: 390, scheme: 'dark' },
] satisfies Parameters<typeof inspect>[2]

/** What a phone reads from an image: the page draws it, `jsqr` looks for a QR code. */
const DRAW = `new Promise((resolve, reject) => {
  const image = new Image(480, 480)
  image.onerror = reject
  image.onload = () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 480, height: 480 })
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0, 480, 480)
    resolve([...context.getImageData(0, 0, 480, 480).data])
  }
  image.src = document.querySelector('a[download]').href
})`

test('without JavaScript, a partner makes a link in the portal, and a phone reads its QR code', async () => {
  const { cookie } = await createPartner({ program: { name: 'Northwind Partners' } })
  const page = await browser.as(await cookie(), {
    width: 390,
    scheme: 'dark',
    javaScriptEnabled: false,
  })
  await page.goto('/portal')
  await page.getByRole('link', { name: 'Link to any page' }).click()
  await page.getByLabel('Page').fill('https://shop.example/pricing?plan=pro#top')
  await page.getByRole('button', { name: 'Make link' }).click()
  const link = 'https://shop.example/pricing?plan=pro&via=ann#top'
  await page.getByText(link, { exact: true }).waitFor()
  await page.getByRole('img', { name: `QR code of ${link}` }).waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download QR code' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('ann.svg')
  await page.context().close()

  const drawing = await browser.as(await cookie())
  await drawing.goto(`/portal/links?page=${encodeURIComponent(link)}`)
  const pixels = new Uint8ClampedArray((await drawing.evaluate(DRAW)) as number[])
  expect(jsqr(pixels, 480, 480)?.data).toBe(link)
  await drawing.context().close()
})

test('the builder’s link is copied with one button', async () => {
  const { cookie } = await createPartner()
  const page = await browser.as(await cookie())
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/portal/links?page=/pricing')
  await page.getByRole('button', { name: 'Copy the link to this page' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    'https://shop.example/pricing?via=ann',
  )
  await page.context().close()
})

test('the pages with links have no axe violations or horizontal overflow', async () => {
  const { merchant, partnerId, cookie } = await createPartner({}, 'maya-lindqvist')
  const owner = await merchant.asManager()
  for (const slug of ['maya-newsletter', 'x'.repeat(255), '李小龙 & friends'])
    await owner.post(`/partners/${partnerId}/links`, { slug })
  await merchant.sale({ clickId: await merchant.click('maya-newsletter') })
  const page = await browser.as(await cookie())
  await page.goto('/portal/links?page=/pricing')
  await inspect(page, 'portal-links', SCREENS)
  await page.goto('/portal/links?page=https://evil.example')
  await inspect(page, 'portal-links-refused', SCREENS)
  const manager = await browser.as(await merchant.manager())
  await manager.goto(`/app/${merchant.workspace.slug}/partners/${partnerId}?page=/pricing`)
  await inspect(manager, 'partner-links', SCREENS)
})
