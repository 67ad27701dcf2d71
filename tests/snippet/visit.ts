/** The servers, the browser and the page of the snippet's tests. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { buildSnippet } from '../../dev/runtime/build-snippet.ts'
import { sharedBrowser } from '../support/browser.ts'
import { startShop, startTracking } from './shop.ts'

/** The program that the shop's snippet belongs to. */
export const PROGRAM = '0192f000-0000-7000-8000-000000000001'
/** The shop has names below a public suffix of two labels, where the widest domain is not the obvious one. */
export const NAMES = '--host-resolver-rules=MAP *.co.uk 127.0.0.1, MAP track.example 127.0.0.1'

/** The built snippet, and its size. */
export let code = ''
export let gzipBytes = 0
let browser: Browser
/** Each test has a browser profile of its own, with one page. */
export let context: BrowserContext
export let page: Page
/** The recorder that plays the tracking API. */
export let tracking: Awaited<ReturnType<typeof startTracking>>
/** The merchant's site. */
export let shop: Awaited<ReturnType<typeof startShop>>
/** What the page's visitor would see in the console as the page's fault. Always none. */
let errors: Error[]

/** Sets up the browser and the page. Called once by a test file, at its top. */
export const useShop = () => {
  beforeAll(async () => {
    ;({ code, gzipBytes } = await buildSnippet())
    ;[browser, tracking, shop] = await Promise.all([
      sharedBrowser([NAMES]),
      startTracking(() => code),
      startShop(),
    ])
  })

  beforeEach(async () => {
    tracking.reset()
    shop.headers = {}
    context = await browser.newContext()
    page = await newPage()
    errors = []
  })

  afterEach(async () => {
    await context.close()
    expect(errors).toEqual([])
  })

  afterAll(() => Promise.all([tracking?.stop(), shop?.stop()]))
}

const newPage = async (): Promise<Page> => {
  const opened = await context.newPage()
  opened.on('pageerror', (error) => errors.push(error))
  return opened
}

/** The tag that a merchant puts on each page. */
export const snippet = (attributes = '') =>
  `<script defer src="http://track.example:${tracking.port}/via.js" data-program="${PROGRAM}" ${attributes}></script>`

/** An address of the shop. */
export const url = (path: string, host = 'shop.example.co.uk') => `http://${host}:${shop.port}${path}`

/** Shows a page of the shop, without waiting for its click. */
export const show = async (path: string, { attributes = '', body = '', head = snippet(attributes) } = {}) => {
  shop.html = `<!doctype html><title>Shop</title>${head}<body>${body}</body>`
  await page.goto(path.startsWith('http') ? path : url(path))
}

/** Shows a page of the shop, and waits until its click is settled. */
export const visit = async (...args: Parameters<typeof show>) => {
  await show(...args)
  return ready()
}

// What a page runs is written as text, because the types of a browser are not among those of the tests.

/** The click id, once the page's first click is settled. */
export const ready = () => page.evaluate<string | undefined>('tributary.ready')
/** The click id in the cookie. */
export const clickId = () => page.evaluate<string | undefined>('tributary.clickId()')
/** The click that is kept for the next page. */
export const pending = () => page.evaluate<string | null>(`localStorage.getItem('tributary_click')`)
/** Waits until the page has this click id. */
export const clicked = (id: string) => page.waitForFunction(`tributary.clickId() === '${id}'`)
/** Moves as a single-page shop does. */
export const goTo = (path: string, how: 'pushState' | 'replaceState' = 'pushState') =>
  page.evaluate(`history.${how}(null, '', '${path}')`)
/** An attribute of an element on the page. */
export const attribute = (selector: string, name: string) => page.locator(selector).getAttribute(name)

/** Goes on in another browser. */
export const moveTo = async (other: Browser) => {
  await context.close()
  context = await other.newContext()
  page = await newPage()
}
