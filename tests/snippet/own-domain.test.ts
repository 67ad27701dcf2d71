// @module-tag thorough
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { clickCookies } from '../../lib/tracking/clicks/click-cookie.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { startOwnDomain } from './own-domain-site.ts'
import { context, goTo, page, ready, useShop } from './visit.ts'

const database = useDatabase()
useShop()

let site: Awaited<ReturnType<typeof startOwnDomain>>
const address = (path: string) => site.url(path)
beforeAll(async () => {
  site = await startOwnDomain(inject('baseUrl'))
})
afterAll(() => site.stop())

beforeEach(async () => {
  // Whatever the page finds in its cookies now was set by the service.
  await page.addInitScript(`Object.defineProperty(Document.prototype, 'cookie', {
    get: Object.getOwnPropertyDescriptor(Document.prototype, 'cookie').get, set() {} })`)
})

const show = async (merchant: { programId: string }, src: string, path: string) => {
  site.html = `<!doctype html><title>Shop</title><script defer src="${src}" data-program="${merchant.programId}"></script>`
  await page.goto(address(path))
  return ready()
}

describe('the snippet under the merchant’s own domain', () => {
  test('has its cookie set by the service, for as long as the click counts, on the widest domain', async () => {
    const merchant = await createMerchant({ program: { attribution_days: 60 } })
    site.key = await merchant.seed.addApiKey(merchant.workspace.id, { scopes: ['clicks'] })
    const clickId = await show(merchant, '/t/via.js', '/?via=maya')
    expect(clickId).toMatch(/^clk_/)
    const cookies = await context.cookies()
    expect(cookies).toMatchObject([
      {
        name: 'tributary_click',
        value: clickId,
        domain: '.shop.co.uk',
        path: '/',
        sameSite: 'Lax',
        httpOnly: false,
      },
    ])
    expect(((cookies[0]?.expires ?? 0) - Date.now() / 1000) / 86_400).toBeCloseTo(60, 2)
    const sale = await merchant.sale({ clickId })
    expect(sale.body.attributed).toBe(true)
    const used = `select last_used_at is not null as "isUsed" from api_keys where workspace_id = $1 and 'clicks' = any (scopes)`
    await expect
      .poll(() => database.query(used, [merchant.workspace.id]))
      .toEqual([{ isUsed: true }])
  })

  test('passes on the snippet and clicks, and nothing else', async () => {
    for (const path of ['/t/app', '/t/api/workspaces', '/t/api/track/sale', '/t/api/track/click']) {
      const answer = await fetch(address(path).replace('www.shop.co.uk', '127.0.0.1'))
      expect({ path, status: answer.status }).toEqual({ path, status: 404 })
    }
  })

  test('replaces the cookie with each newer click', async () => {
    const merchant = await createMerchant()
    await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'bob' })
    const first = await show(merchant, '/t/via.js', '/?via=maya')
    await goTo('/?via=bob')
    await page.waitForFunction(`tributary.clickId() !== '${first}'`)
    expect(await context.cookies()).toHaveLength(1)
  })

  test('is given no cookie by a service of another origin', async () => {
    const merchant = await createMerchant()
    const kept = await show(merchant, `${inject('baseUrl')}/via.js`, '/?via=maya')
    expect(kept).toMatch(/^clk_/) // in memory
    expect(await context.cookies()).toEqual([])
  })
})

const CLICK = ['clk_1', new Date('2027-01-01T00:00:00Z')] as const

test('the service’s cookie is for the widest domain, and where that may be a public suffix, for the next one too', () => {
  const domains = (origin: string) =>
    clickCookies({ site: undefined, origin }, ...CLICK).map(
      (cookie) => /;Domain=(.*)$/.exec(cookie)?.[1],
    )
  for (const [origin, expected] of [
    ['https://shop.example', ['shop.example']],
    ['https://www.checkout.shop.example:8443', ['shop.example']],
    ['https://shop.co.uk', ['co.uk', 'shop.co.uk']],
    ['https://www.shop.com.au', ['com.au', 'shop.com.au']],
    ['https://www.abc.de', ['abc.de', 'www.abc.de']],
    ['https://abc.de', ['abc.de']],
    ['https://www.laden.de', ['laden.de']],
    ['http://localhost:8788', [undefined]],
    ['http://127.0.0.1:8788', [undefined]],
    ['http://[::1]:8788', [undefined]],
  ] as const) {
    expect(domains(origin), origin).toEqual(expected)
  }
})

test('the service’s cookie has the attributes of the snippet’s', () => {
  const cookie = 'tributary_click=clk_1;Path=/;SameSite=Lax;Expires=Fri, 01 Jan 2027 00:00:00 GMT'
  const of = (origin: string) => clickCookies({ site: 'same-origin', origin }, ...CLICK)
  expect(of('https://shop.example')).toEqual([`${cookie};Secure;Domain=shop.example`])
  expect(of('http://localhost:8788')).toEqual([cookie])
})

test('the service sets no cookie for a page of another origin', () => {
  for (const [site, origin] of [
    ['cross-site', 'https://shop.example'],
    ['same-site', 'https://shop.example'],
    ['same-origin', undefined],
    ['same-origin', 'null'],
    [undefined, '\0'],
  ] as const) {
    expect(clickCookies({ site, origin }, ...CLICK), `${site} ${origin}`).toEqual([])
  }
})
