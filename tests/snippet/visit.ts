/** The servers, browser and page of the snippet tests. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { buildSnippet } from '../../dev/runtime/build-snippet.ts'
import { sharedBrowser } from '../support/browser.ts'
import { startShop, startTracking } from './shop.ts'

/** The program in the shop's snippet. */
export const PROGRAM = '0192f000-0000-7000-8000-000000000001'
/**
 * The shop's host names are below a public suffix of two labels, where the widest domain is not
 * obvious.
 */
export const NAMES = '--host-resolver-rules=MAP *.co.uk 127.0.0.1, MAP track.example 127.0.0.1'

/** The built snippet, and its size. */
export let code = ''
export let gzipBytes = 0
let browser: Browser
/** Each test has its own browser profile and page. */
export let context: BrowserContext
export let page: Page
/** The fake tracking API. */
export let tracking: Awaited<ReturnType<typeof startTracking>>
/** The merchant's site. */
export let shop: Awaited<ReturnType<typeof startShop>>
/** The errors in the page's console. Always none. */
let errors: Error[]

/** Sets up the browser and the page. Called once per test file. */
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
export const url = (path: string, host = 'shop.example.co.uk') =>
  `http://${host}:${shop.port}${path}`

/** Shows a page of the shop, without waiting for its click. */
export const show = async (
  path: string,
  { attributes = '', body = '', head = snippet(attributes) } = {},
) => {
  shop.html = `<!doctype html><title>Shop</title>${head}<body>${body}</body>`
  await page.goto(path.startsWith('http') ? path : url(path))
}

/** Shows a page of the shop, and waits for its click. */
export const visit = async (...args: Parameters<typeof show>) => {
  await show(...args)
  return ready()
}

// Page scripts are strings, because the tests do not include the browser's types.

/** The click ID, once the page's first click is recorded. */
export const ready = () => page.evaluate<string | undefined>('tributary.ready')
/** The click id in the cookie. */
export const clickId = () => page.evaluate<string | undefined>('tributary.clickId()')
/** The click stored for the next page. */
export const pending = () =>
  page.evaluate<string | null>(`localStorage.getItem('tributary_${PROGRAM}')`)
/** Waits until the page has this click id. */
export const clicked = (id: string) =>
  page.waitForFunction(`window.tributary?.clickId() === '${id}'`)
/** Navigates like a single-page shop. */
export const goTo = (path: string, how: 'pushState' | 'replaceState' = 'pushState') =>
  page.evaluate(`history.${how}(null, '', '${path}')`)
/** An attribute of an element on the page. */
export const attribute = (selector: string, name: string) =>
  page.locator(selector).getAttribute(name)

/** Switches to another browser. */
export const moveTo = async (other: Browser) => {
  await context.close()
  context = await other.newContext()
  page = await newPage()
}
