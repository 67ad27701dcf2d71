// @module-tag thorough
import pg from 'pg'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { INBOX_PATH } from '../../dev/fakes/inbox.ts'
import { STRIPE_PATH } from '../../dev/fakes/stripe.ts'
import { inspect, sharedBrowser, watch } from '../support/browser.ts'
import { type SharedSystem, sharedSystem } from '../support/shared-system.ts'

let system: SharedSystem
let browser: Browser
const complaints: string[] = []
beforeAll(async () => {
  ;[system, browser] = await Promise.all([sharedSystem(), sharedBrowser()])
})
afterAll(async () => {
  for (const context of browser.contexts()) await context.close()
  expect(complaints).toEqual([])
})

const open = async (cookie?: string): Promise<Page> => {
  const context = await browser.newContext({ baseURL: system.demo.baseUrl })
  context.setDefaultTimeout(20_000)
  const [name = '', ...value] = (cookie ?? '').split('=')
  if (name) await context.addCookies([{ name, value: value.join('='), url: system.demo.baseUrl }])
  const page = await context.newPage()
  watch(page, complaints)
  return page
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
const textOf = async (page: Page): Promise<string> =>
  (await page.getByRole('main').innerText()).replaceAll(/\s+/g, ' ')

const EMAIL = 'nora@partners.example'

/** Signs in with the emailed link. */
const signInByMail = async (page: Page): Promise<void> => {
  await page.goto('/portal')
  await page.getByLabel(/email/i).fill(EMAIL)
  await press(page, /link/i)
  const inbox = await open()
  await inbox.goto(INBOX_PATH)
  const link = await vi.waitFor(async () => {
    await inbox.goto(`${INBOX_PATH}?to=${encodeURIComponent(EMAIL)}`)
    await inbox.getByRole('link', { name: 'Your sign-in link' }).click({ timeout: 1_000 })
    await inbox.getByText('Use this link to sign in').first().waitFor({ timeout: 1_000 })
    const [found] = /http\S+\/auth\/confirm\?\S+/.exec(await textOf(inbox)) ?? []
    expect(found).toBeDefined()
    return found ?? ''
  }, 15_000)
  await page.goto(link)
  await press(page, 'Sign in')
  await page.getByRole('heading', { name: 'Friends of Pine Notes' }).waitFor()
}

/** Lets three days pass since the partner connected its account. */
const ageAccount = async (databaseUrl: string): Promise<void> => {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query(
    `update payout_accounts set created_at = created_at - interval '3 days' where email = $1`,
    [EMAIL],
  )
  await client.end()
}

test('an imported partner signs in, connects and is paid its opening balance, and the ledger is consistent', async () => {
  const { baseUrl, workspace, programId, managerCookie, databaseUrl } = system.demo
  const imported = await fetch(`${baseUrl}/api/workspaces/${workspace}/partners/import`, {
    method: 'POST',
    headers: { Cookie: managerCookie, Origin: baseUrl, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      programId,
      options: { importOpeningBalances: true },
      rows: [{ email: EMAIL, name: 'Nora Berg', slug: 'nora', openingBalanceCents: 12_050 }],
    }),
  })
  expect(await imported.json()).toMatchObject({ summary: { created: 1 } })

  const partner = await open()
  await signInByMail(partner)
  expect(await textOf(partner)).toMatch(/via=nora.*\$120\.50/)
  await inspect(partner, 'portal-before')

  // The first attempt is left unfinished.
  await partner.getByLabel('Country').selectOption('DE')
  await press(partner, 'Connect with Stripe')
  await partner.getByRole('heading', { name: 'Connect your account' }).waitFor()
  await press(partner, 'Leave half-way')
  await partner.getByText('Account setup is not finished').waitFor()
  await inspect(partner, 'portal-halfway')

  // Nothing is paid meanwhile, and the partner is emailed once.
  const manager = await open(managerCookie)
  await manager.goto(`/app/${workspace}/payouts`)
  await inspect(manager, 'payouts')
  await press(manager, 'Preview payouts')
  expect(await textOf(manager)).toMatch(/Nora Berg/)
  await inspect(manager, 'payouts-nobody')

  await partner.getByRole('link', { name: /continue setup/i }).click()
  await press(partner, 'Finish')
  await partner.getByText('Account connected').waitFor()
  await inspect(partner, 'portal-connected')

  // A balance that an import made waits until the first account is three days old.
  await manager.goto(`/app/${workspace}/payouts`)
  await press(manager, 'Preview payouts')
  expect(await textOf(manager)).toMatch(/Nora Berg/)
  await inspect(manager, 'payouts-waiting')
  await ageAccount(databaseUrl)

  await manager.goto(`/app/${workspace}/payouts`)
  await press(manager, 'Preview payouts')
  await inspect(manager, 'payouts-preview')
  await press(manager, /\$120\.50/)
  await manager.getByRole('heading', { name: 'Payout run' }).waitFor()
  expect(await textOf(manager)).toMatch(/Nora Berg.*\$120\.50.*paid/i)
  await inspect(manager, 'payout-run')

  await partner.goto('/portal')
  expect(await textOf(partner)).toMatch(/Paid.*\$120\.50/)
  await inspect(partner, 'portal-paid')
  await partner.goto('/portal/payouts')
  expect(await textOf(partner)).toMatch(/\$120\.50.*on its way to your bank/)
  await inspect(partner, 'portal-payouts')
  await partner.goto('/portal/commissions')
  await inspect(partner, 'portal-commissions')

  // Stripe and the mail agree.
  await partner.goto(STRIPE_PATH)
  expect(await textOf(partner)).toMatch(/120\.50|12050/)
  await vi.waitFor(async () => {
    await partner.goto(INBOX_PATH)
    expect(await textOf(partner)).toMatch(/paid|payout/i)
  }, 15_000)

  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query('select * from verify_ledger()')
  await client.end()
  expect(rows).toEqual([])
})
