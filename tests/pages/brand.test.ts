// @module-tag thorough
/** The brand of a program, in a browser: what managers preview, and what partners see. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { inspect, useBrowser } from '../support/browser.ts'
import { createMerchant } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'

const browser = useBrowser()

const SCREENS = [375, 640, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
)

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="300"><rect width="900" height="300" fill="#7a2bd0"/></svg>`

/** Answers requests for the logo: with an image, or with none. */
const serveLogo = (page: Page, isThere: boolean) =>
  page
    .context()
    .route('https://cdn.pine-notes.com/**', (route) =>
      route.fulfill(
        isThere
          ? { contentType: 'image/svg+xml', body: LOGO }
          : { status: 404, contentType: 'text/plain', body: '' },
      ),
    )

/** A merchant with a page on which people apply, terms, a partner, and a brand. */
const start = async (accentColor: string) => {
  const merchant = await createMerchant()
  const { workspace, programId, seed } = merchant
  const pages = await openPages(merchant)
  const base = `/programs/${programId}`
  await pages.post(`${base}/applications`, {
    isOpen: 'on',
    intro: 'Write about us.',
    agreement: 'No spam.',
  })
  const saved = await pages.post(`${base}/branding`, {
    brandVersion: '0',
    logoUrl: 'https://cdn.pine-notes.com/logo.svg',
    accentColor,
    supportEmail: 'help@pine-notes.com',
  })
  expect(saved.status).toBe(303)
  const email = `nina@${workspace.slug}.example`
  await seed.addPartner(workspace.id, programId, { slug: 'nina', email })
  return {
    join: `/join/${programId}`,
    program: `/app/${workspace.slug}${base}`,
    manager: await merchant.manager(),
    partner: await openSession(email),
    applicant: await openSession(`ann@${workspace.slug}.example`),
  }
}

/** Where the heading stands, and how much has moved while the page loaded. */
const layoutOf = async (page: Page, path: string) => {
  await page.goto(path, { waitUntil: 'networkidle' })
  const shift = await page.evaluate<number>(`new Promise((resolve) => {
    let sum = 0
    const observer = new PerformanceObserver((list) => { for (const { value } of list.getEntries()) sum += value })
    observer.observe({ type: 'layout-shift', buffered: true })
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
  })`)
  return { shift, top: (await page.getByRole('heading').first().boundingBox())?.y }
}

// One of them at every width and by every rule: the colors do not depend on the width, nor names
// and roles on the colors.
describe.each([
  { accentColor: '#ffd400', screens: SCREENS, known: false },
  { accentColor: '#0a0a5a', screens: undefined, known: true },
  { accentColor: '#808080', screens: undefined, known: true },
])('in the color $accentColor', ({ accentColor, screens, known }) => {
  const look = (page: Page, name: string) =>
    inspect(page, `brand-${name}-${accentColor.slice(1)}`, screens, known)

  test('no page has axe violations or overflow, in light and dark', async () => {
    const { join, program, manager, partner, applicant } = await start(accentColor)
    const asPartner = await browser.as(partner)
    await serveLogo(asPartner, true)
    for (const [path, name] of [
      [join, 'join'],
      ['/portal', 'portal'],
      ['/portal/links', 'links'],
      ['/portal/terms', 'terms'],
    ] as const) {
      await asPartner.goto(path)
      const width = await asPartner.evaluate<number>(
        "document.querySelector('.logo img').naturalWidth",
      )
      expect(width).toBe(900)
      await look(asPartner, name)
    }
    const asApplicant = await browser.as(applicant)
    await serveLogo(asApplicant, true)
    await asApplicant.goto(`${join}/apply`)
    await asApplicant.getByLabel('Your name').fill('Ann Lee')
    await asApplicant.getByLabel('How will you promote us?').fill('In my newsletter.')
    await asApplicant.getByRole('button', { name: 'Send application' }).click()
    await asApplicant.getByRole('alert').getByText('Accept the terms to apply.').waitFor()
    await look(asApplicant, 'apply')
    const asManager = await browser.as(manager)
    await serveLogo(asManager, true)
    await asManager.goto(program)
    await look(asManager, 'program')
    await Promise.all([asPartner, asApplicant, asManager].map((page) => page.context().close()))
  })
})

test('a button has the color, and a logo that does not load leaves the name in a box of the same size', async () => {
  const { join, partner } = await start('#ffd400')
  const page = await browser.as(partner, { width: 640, scheme: 'light' })
  await serveLogo(page, true)
  const shown = await layoutOf(page, join)
  expect(shown.shift).toBe(0)
  const button = await page.evaluate<string[]>(`(() => {
    const { backgroundColor, color } = getComputedStyle(document.querySelector('main a.button'))
    return [backgroundColor, color]
  })()`)
  expect(button).toEqual(['rgb(255, 212, 0)', 'rgb(0, 0, 0)'])
  await page.context().unrouteAll()

  await serveLogo(page, false)
  expect(await layoutOf(page, join)).toEqual(shown)
  await inspect(page, 'brand-join-without-logo', SCREENS)
  await page.context().close()
})

test('the preview of a mail shows the brand, with and without the logo', async () => {
  const { program, manager } = await start('#ffd400')
  const mail = `${program.split('/programs')[0]}/mails/preview/connect_account`
  const page = await browser.as(manager)
  for (const isThere of [true, false]) {
    await serveLogo(page, isThere)
    await page.goto(mail)
    const frame = page.frameLocator('iframe')
    const button = frame.getByRole('link', { name: 'Connect account' })
    expect(await button.getAttribute('style')).toContain('background:#ffd400;color:#000000')
    await frame.getByRole('img', { name: 'A program' }).waitFor()
    await frame.getByText('Questions? Write to help@pine-notes.com.').waitFor()
    // Around the mail's frame, which axe does not enter, the page is the same.
    if (isThere) await inspect(page, 'brand-mail', SCREENS)
    await page.context().unrouteAll()
  }
  await page.context().close()
})
