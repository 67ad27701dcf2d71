/** The snippet in Firefox, where it is installed: see CONTRIBUTING.md. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { buildSnippet } from '../../dev/runtime/build-snippet.ts'
import { FIREFOX, launchFirefox } from '../support/firefox.ts'
import { createMerchant } from '../support/merchant.ts'
import { startOwnDomain } from './own-domain-site.ts'
import { MAX_AGE, startShop, startTracking } from './shop.ts'

const PROGRAM = '0192f000-0000-7000-8000-000000000001'
const HOSTS = ['shop.example.co.uk', 'checkout.example.co.uk', 'track.example', 'www.shop.co.uk']

let firefox: Awaited<ReturnType<typeof launchFirefox>>
let tracking: Awaited<ReturnType<typeof startTracking>>
let shop: Awaited<ReturnType<typeof startShop>>

const url = (path: string, host = 'shop.example.co.uk') => `http://${host}:${shop.port}${path}`

/** Shows a page of the shop with the snippet. */
const show = async (path: string, { attributes = '', body = '', browser = firefox } = {}) => {
  const src = `http://track.example:${tracking.port}/via.js`
  shop.html = `<!doctype html><title>Shop</title><script defer src="${src}" data-program="${PROGRAM}" ${attributes}></script><body>${body}</body>`
  await browser.goto(url(path))
}
const ready = (browser = firefox) => browser.evaluate<string | undefined>('tributary.ready')

if (!FIREFOX)
  console.log('Firefox is not installed, so the snippet is not tried in it: see CONTRIBUTING.md.')

describe.skipIf(!FIREFOX)('the snippet in Firefox', () => {
  beforeAll(async () => {
    const { code } = await buildSnippet()
    ;[firefox, tracking, shop] = await Promise.all([
      launchFirefox({ hosts: HOSTS }),
      startTracking(() => code),
      startShop(),
    ])
  }, 60_000)
  afterAll(() => Promise.all([firefox?.close(), tracking?.stop(), shop?.stop()]))
  beforeEach(async () => {
    tracking.reset()
    await firefox.deleteCookies()
  })

  test('posts a click without a preflight, and keeps it in a cookie on the widest domain for as long as it counts', async () => {
    await show('/landing?via=anna&color=blue')
    expect(await ready()).toBe('clk_1')
    expect(tracking.clicks).toMatchObject([
      { programId: PROGRAM, slugs: ['anna'], url: url('/landing?via=anna&color=blue') },
    ])
    expect(tracking.preflights).toBe(0)
    expect(await firefox.cookies()).toEqual([
      {
        name: 'tributary_click',
        value: 'clk_1',
        domain: '.example.co.uk',
        path: '/',
        sameSite: 'lax',
        expires: expect.closeTo(Date.now() / 1000 + MAX_AGE, -2),
        httpOnly: false,
      },
    ])
    await firefox.goto(url('/', 'checkout.example.co.uk'))
    expect(await ready()).toBe('clk_1')
    expect(tracking.clicks).toHaveLength(1)
  })

  test('fills in forms and Stripe’s links and buttons, also what is added later', async () => {
    const body = `<form><input type="hidden" name="tributary_click"></form>
      <a id="pay" href="https://buy.stripe.com/abc?prefilled_email=x%40y.example">Pay</a>
      <stripe-buy-button></stripe-buy-button>`
    await show('/?via=anna', { body })
    await ready()
    expect(await firefox.evaluate(`document.querySelector('input').value`)).toBe('clk_1')
    expect(await firefox.evaluate('document.links[0].href')).toBe(
      'https://buy.stripe.com/abc?prefilled_email=x%40y.example&client_reference_id=clk_1',
    )
    expect(
      await firefox.evaluate(
        `document.querySelector('stripe-buy-button').getAttribute('client-reference-id')`,
      ),
    ).toBe('clk_1')
    await firefox.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<form id="late"><input name="tributary_click"></form>'); undefined`,
    )
    await expect
      .poll(() => firefox.evaluate(`document.querySelector('#late input').value`))
      .toBe('clk_1')
  })

  test('finds a slug that a single-page shop puts into its URL', async () => {
    await show('/')
    expect(await ready()).toBeUndefined()
    await firefox.evaluate(
      `history.pushState(null, '', '/?via=bob'); document.body.append('Page two'); undefined`,
    )
    await expect.poll(() => firefox.evaluate('tributary.clickId()')).toBe('clk_1')
    expect(tracking.slugs()).toEqual(['bob'])
  })

  test('waits for consent', async () => {
    await show('/?via=anna', { attributes: 'data-consent="required"' })
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(tracking.clicks).toEqual([])
    expect(await firefox.cookies()).toEqual([])
    await firefox.evaluate('tributary.consent(); undefined')
    await expect.poll(() => firefox.evaluate('tributary.clickId()')).toBe('clk_1')
  })

  test('stores what the service did not accept, and sends it from the next page', async () => {
    tracking.answer = 500
    await show('/?via=anna')
    expect(await ready()).toBeUndefined()
    tracking.answer = 200
    await show('/')
    expect(await ready()).toBe('clk_2')
    expect(tracking.slugs()).toEqual(['anna', 'anna'])
  })

  test('keeps the click in memory for a visitor who refuses cookies', async () => {
    const strict = await launchFirefox({
      hosts: HOSTS,
      prefs: { 'network.cookie.cookieBehavior': 2 },
    })
    try {
      await show('/?via=anna', { browser: strict })
      expect(await ready(strict)).toBe('clk_1')
      expect(tracking.slugs()).toEqual(['anna'])
      expect(await strict.cookies()).toEqual([])
    } finally {
      await strict.close()
    }
  }, 60_000)

  test('under the merchant’s own domain, the service sets the cookie', async () => {
    const merchant = await createMerchant({ program: { attribution_days: 60 } })
    const site = await startOwnDomain(inject('baseUrl'))
    try {
      site.key = await merchant.seed.addApiKey(merchant.workspace.id, { scopes: ['clicks'] })
      // The page's own cookies are refused, so what it finds was set by the service.
      site.html = `<!doctype html><title>Shop</title><script>Object.defineProperty(Document.prototype, 'cookie', {
          get: Object.getOwnPropertyDescriptor(Document.prototype, 'cookie').get, set() {} })</script>
        <script defer src="/t/via.js" data-program="${merchant.programId}"></script>`
      await firefox.goto(site.url('/?via=maya'))
      const clickId = await ready()
      expect(clickId).toMatch(/^clk_/)
      const [cookie] = await firefox.cookies()
      expect(cookie).toMatchObject({
        name: 'tributary_click',
        value: clickId,
        domain: '.shop.co.uk',
        httpOnly: false,
      })
      expect(((cookie?.expires ?? 0) - Date.now() / 1000) / 86_400).toBeCloseTo(60, 2)
      expect((await merchant.sale({ clickId })).body.attributed).toBe(true)
    } finally {
      await site.stop()
    }
  })
})
