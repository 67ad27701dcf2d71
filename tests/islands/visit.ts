/** The browser and page of the import tests. */
import type { Browser, BrowserContext, Download, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { sharedBrowser, watch } from '../support/browser.ts'
import { startService } from './fake-service.ts'

let browser: Browser
/** Each test has its own browser profile and page. */
let context: BrowserContext
export let page: Page
export let service: Awaited<ReturnType<typeof startService>>
let complaints: string[]

/** Sets up the browser and the page. Called once per test file. */
export const useImportPage = () => {
  beforeAll(async () => {
    ;[browser, service] = await Promise.all([sharedBrowser(), startService()])
  })

  beforeEach(async () => {
    service.reset()
    complaints = []
    context = await browser.newContext()
    context.setDefaultTimeout(15_000)
    page = await openPage()
  })

  afterEach(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })

  afterAll(async () => {
    await service?.stop()
  })
}

/** Opens the import page in a new tab. */
export const openPage = async (): Promise<Page> => {
  page = await context.newPage()
  watch(page, complaints, /status of \d{3}|net::ERR/)
  await page.goto(service.url)
  return page
}

/** Switches to another browser window. */
export const reopen = async (options: Parameters<Browser['newContext']>[0]) => {
  await context.close()
  context = await browser.newContext(options)
  return openPage()
}

export const press = (name: string | RegExp) => page.getByRole('button', { name }).click()
/** Waits for a step, whose heading must get the focus. */
export const step = async (name: string) => {
  await page.getByRole('heading', { name, level: 2 }).waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe(name)
}
/** The text below the page's heading, with white space as displayed. */
export const text = async () => (await page.locator('#import').innerText()).replaceAll(/\s+/g, ' ')

/** The current step. */
export const stage = () => page.locator('#import-stage')

/** Chooses a file, and continues to its columns. */
export const choose = async (name: string, content: Buffer | string) => {
  await page.getByRole('button', { name: 'Review file' }).waitFor()
  await page
    .getByLabel('CSV file')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })
  await press('Review file')
}

/** Chooses a file, and continues to its preview. */
export const checkFile = async (name: string, content: Buffer | string) => {
  await choose(name, content)
  await step('Columns')
  await press('Preview import')
  await step('Import preview')
}

/** Presses a download button. */
export const downloaded = async (name: string): Promise<{ name: string; content: string }> => {
  const waiting = page.waitForEvent('download')
  await press(name)
  const download: Download = await waiting
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk))
  return { name: download.suggestedFilename(), content: Buffer.concat(chunks).toString() }
}
