import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, BrowserContext, CDPSession, Page, Response } from 'playwright-core'
import { afterAll, expect, inject } from 'vitest'
import { launchBrowser } from '../../dev/runtime/browser.ts'
import { violationOf } from './contract.ts'
import { isExhaustive } from './thorough.ts'

type Screen = { width: number; scheme: 'light' | 'dark'; javaScriptEnabled?: boolean }

const DESKTOP: Screen = { width: 1280, scheme: 'light' }
const PHONE: Screen = { width: 390, scheme: 'dark' }

/** Those on which `inspect` looks at each page. */
const SCREENS = [DESKTOP, PHONE]

/**
 * Those on which tests go through the pages that they inspect: with EXHAUSTIVE=1 also the desktop.
 */
export const WALKS = isExhaustive ? SCREENS : [PHONE]

/** The folder for pictures of the pages, if set. */
const PICTURES = process.env.SCREENSHOTS

const launched = new Map<string, Promise<Browser>>()

/**
 * The Chromium of all test files of this process, which ends with it. Close contexts, not the
 * browser.
 */
export const sharedBrowser = (args: string[] = []): Promise<Browser> => {
  const key = args.join()
  const browser = launched.get(key) ?? launchBrowser({ args })
  launched.set(key, browser)
  return browser
}

/** Pages of /app. Called once by a test file, at its top. Fails the file when a page complains. */
export const useBrowser = () => {
  const contexts: BrowserContext[] = []
  const complaints: string[] = []
  const checks: Promise<string | null>[] = []
  afterAll(async () => {
    const violations = await Promise.all(checks)
    for (const context of contexts) await context.close()
    expect([...complaints, ...violations.filter(Boolean)]).toEqual([])
  })
  return {
    /**
     * A new page, signed in by the cookie; a blank cookie is signed out.
     * @param url of other Workers than the shared ones
     */
    as: async (
      cookie: string,
      { width, scheme, javaScriptEnabled = true }: Screen = DESKTOP,
      url = inject('baseUrl'),
    ): Promise<Page> => {
      const browser = await sharedBrowser()
      const context = await browser.newContext({
        baseURL: url,
        colorScheme: scheme,
        javaScriptEnabled,
        viewport: { width, height: 844 },
      })
      contexts.push(context)
      context.setDefaultTimeout(60_000)
      context.on('response', (response) => checks.push(violationIn(response)))
      await context.addCookies(
        cookie.split('; ').flatMap((pair) => {
          const [name, ...value] = pair.split('=')
          if (!name) return []
          // The prefix __Host- asks for Secure, which Chromium grants to 127.0.0.1 as it does to
          // https.
          return {
            name,
            value: value.join('='),
            url,
            secure: name.startsWith('__'),
            httpOnly: true,
          }
        }),
      )
      const page = await context.newPage()
      watch(page, complaints)
      return page
    },
  }
}

/** How a response to a page's script differs from the OpenAPI document, or null. */
const violationIn = async (response: Response): Promise<string | null> => {
  const { pathname } = new URL(response.url())
  if (!pathname.startsWith('/api/')) return null
  // A page that was left or closed no longer gives its responses.
  const read = await Promise.all([response.text(), response.headerValue('Content-Type')]).catch(
    () => null,
  )
  if (read === null) return null
  const [body, contentType] = read
  return violationOf(response.request().method(), pathname, {
    status: response.status(),
    contentType,
    body,
  })
}

/**
 * Collects console errors of a page: blocked scripts or styles, uncaught exceptions.
 *
 * @param meant matches the errors that a test causes on purpose
 */
export const watch = (page: Page, complaints: string[], meant = /status of/): void => {
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !meant.test(message.text())) complaints.push(message.text())
  })
}

/** Moves the focus to an element by the Tab key. @throws when it is not reached */
export const tabTo = async (
  page: Page,
  role: 'link' | 'button' | 'textbox',
  name: string | RegExp,
): Promise<void> => {
  const target = page.getByRole(role, { name, exact: true })
  await target.waitFor()
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab')
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return
  }
  throw new Error(`Tab does not lead to the ${role} “${name}”.`)
}

type Violation = [rule: string, elements: string[]]

/** The rules whose result depends on colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * Runs in the page. What axe would load first is read only by a rule that is off, and by one on
 * audio, of which we have none.
 */
const axeRun = (rules: string[] | undefined) => `axe
  .run(document, { resultTypes: ['violations'], preload: false, iframes: false, runOnly: ${JSON.stringify(rules)} })
  .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`

const sessions = new WeakMap<Page, Promise<CDPSession>>()

/**
 * Loads axe into a page by Chromium's own protocol, which compiles it once for all pages of a site:
 * `evaluate` does so for each.
 */
const loadAxe = async (page: Page): Promise<void> => {
  if (await page.evaluate<boolean>('"axe" in globalThis')) return
  const session = sessions.get(page) ?? page.context().newCDPSession(page)
  sessions.set(page, session)
  await (await session).send('Runtime.evaluate', { expression: axe.source })
}

/**
 * Accessibility violations that axe finds: each rule with the elements that break it. Not of a mail
 * that is shown in a frame without scripts, where axe cannot run: tests/mail/look.test.ts examines
 * mails by themselves.
 *
 * @param known only the colours have changed since the last call, so that only their rules run
 */
export const findViolations = async (page: Page, known = false): Promise<Violation[]> => {
  await loadAxe(page)
  return page.evaluate<Violation[]>(axeRun(known ? COLOUR_RULES : undefined))
}

/**
 * Checks a page on each screen: axe finds no violation, and nothing is wider than the screen.
 *
 * @param picture the name of its pictures
 * @param known only the colours differ from a page that was inspected before, so that only their
 *   rules run
 */
export const inspect = async (
  page: Page,
  picture?: string,
  screens = SCREENS,
  known = false,
): Promise<void> => {
  // After a form is submitted, the page may be there before its styles, and would fail on contrast.
  await page.waitForLoadState('load')
  const own = page.viewportSize()
  const widths = new Set<number>()
  for (const { width, scheme } of screens) {
    await page.setViewportSize({ width, height: 844 })
    await page.emulateMedia({ colorScheme: scheme })
    const violations = await findViolations(page, known || widths.has(width))
    expect({ width, scheme, violations }).toEqual({ width, scheme, violations: [] })
    widths.add(width)
    expect(
      await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
    ).toBeLessThanOrEqual(0)
    if (!PICTURES || picture === undefined) continue
    await page.screenshot({
      path: join(PICTURES, `${picture}-${width}-${scheme}.png`),
      fullPage: true,
    })
  }
  if (own) await page.setViewportSize(own)
}
