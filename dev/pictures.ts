/**
 * `npm run pictures`: takes the pictures of docs/tour.md and README.md, from a system of its own
 * with the demo's year. Which are worth a commit, people decide: two runs differ by a few pixels.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Demo } from './demo/demo.ts'
import { YEAR_WORKSPACE } from './demo/year.ts'
import { ROOT } from './root.ts'
import { launchBrowser } from './runtime/browser.ts'

const SIZE = { width: 1_280, height: 800 }

/** Starts the system, with its year. */
const startSystem = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-pictures-'))
  const child = spawn(process.execPath, ['dev/start.ts'], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: '', PORT: '0', SHOP_PORT: '0', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  await new Promise<void>((resolve, reject) => {
    let output = ''
    child.once('exit', () => reject(new Error(`The system did not start:\n${output}`)))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.includes('has a year of demo data')) resolve()
    })
  })
  const demo: Demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'))
  const stop = async () => {
    child.kill('SIGINT')
    await ended
    await rm(dataDir, { recursive: true, force: true })
  }
  return { demo, stop }
}

/**
 * What is in the clipboard of a manager who moves: most are new, and one has a slug that somebody
 * has.
 */
const movedPartners = (): string => {
  const rows = Array.from(
    { length: 442 },
    (_, index) => `partner-${index}@example.com,Partner ${index},partner-${index},0`,
  )
  return [
    'email,name,slug,balance',
    'maya@partners.example,Maya Lindqvist,maya,0',
    'second-maya@example.com,Maya Second,maya,12.50',
    ...rows,
  ].join('\n')
}

type Picture = { open: (page: Page) => Promise<unknown>; isWhole?: boolean; as?: 'partner' }

/** The pictures by name: how each page is reached. */
const picturesOf = ({ baseUrl, shopUrl }: Demo): Record<string, Picture> => {
  const year = `${baseUrl}/app/${YEAR_WORKSPACE}`
  const openFirst = async (page: Page, list: string) => {
    await page.goto(`${year}/${list}`)
    await page.locator('tbody a').first().click()
  }
  return {
    'tour-overview': { open: (page) => page.goto(`${year}?days=90`) },
    'tour-partners': { open: (page) => page.goto(`${year}/partners?sort=revenue`) },
    'tour-sale': { open: (page) => openFirst(page, 'events?kind=sale&attributed=true') },
    'tour-uncredited': { open: (page) => page.goto(`${year}/uncredited`) },
    'tour-join': {
      open: async (page) => {
        await openFirst(page, 'programs')
        await page.getByRole('link', { name: 'Page on which people apply' }).waitFor()
        await page.goto(`${baseUrl}/join/${page.url().split('/').at(-1)}`)
      },
    },
    'tour-application': { open: (page) => openFirst(page, 'applications?status=applied') },
    'tour-what-if': {
      open: async (page) => {
        await openFirst(page, 'programs')
        await page.getByLabel('Percentage of the sale').fill('30')
        await page.getByRole('button', { name: 'Preview the difference' }).click()
      },
    },
    'tour-payouts': { open: (page) => page.goto(`${year}/payouts`) },
    import: {
      open: async (page) => {
        await page.goto(`${baseUrl}/app/pine-notes/import`)
        await page.locator('#import-text').fill(movedPartners())
        await page.getByRole('button', { name: 'Review file' }).click()
        await page.getByRole('button', { name: 'Preview import' }).click()
        await page.getByRole('heading', { name: 'Import preview' }).waitFor()
      },
    },
    shop: {
      open: async (page) => {
        await page.goto(`${shopUrl}/?via=maya`)
        await page.getByText('This browser remembers the click clk_').waitFor()
        await page.goto(`${shopUrl}/sign-up?plan=grove`)
        await page.getByText('This browser remembers').waitFor()
        await page.getByLabel('Name').fill('Ada Verne')
        await page.getByLabel('Email').fill('ada.verne@example.com')
        await page.getByRole('button', { name: 'Create account' }).click()
        await page.waitForURL('**/account?plan=grove')
        await page.goto(`${shopUrl}/checkout?plan=grove`)
        await page.getByRole('button', { name: 'Pay with Stripe' }).click()
        await page.getByRole('button', { name: /^Subscribe for/ }).click()
        await page.getByText('Maya Lindqvist earned').waitFor()
      },
      isWhole: true,
    },
    // With what she has earned in the shop.
    'tour-portal': { open: (page) => page.goto(`${baseUrl}/portal`), as: 'partner' },
  }
}

const { demo, stop } = await startSystem()
const browser = await launchBrowser()
/** A page of somebody who is signed in. */
const openAs = async (cookie: string): Promise<Page> => {
  const context = await browser.newContext({ viewport: SIZE, colorScheme: 'light' })
  const [name = '', ...value] = cookie.split('=')
  await context.addCookies([{ name, value: value.join('='), url: demo.baseUrl }])
  return context.newPage()
}

try {
  const wanted = process.argv.slice(2)
  const pages = {
    manager: await openAs(demo.managerCookie),
    partner: await openAs(demo.partnerCookie),
  }
  for (const [name, { open, isWhole = false, as = 'manager' }] of Object.entries(
    picturesOf(demo),
  )) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const page = pages[as]
    await open(page)
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: join(ROOT, `docs/${name}.png`), fullPage: isWhole })
    console.log(`docs/${name}.png`)
  }
} finally {
  await browser.close()
  await stop()
}
