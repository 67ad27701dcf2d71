// @module-tag thorough
/** The pages of passkeys in Chromium, with a virtual authenticator. */
import type { Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { inspect, useBrowser, WALKS } from '../support/browser.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { endWait } from '../support/passkeys.ts'
import { openSession, somebody } from '../support/people.ts'
import { createOwing } from '../support/runs.ts'

const database = useDatabase()
const browser = useBrowser()

/** Browsers have passkeys for names, and none for addresses such as 127.0.0.1. */
const SITE = inject('baseUrl').replace('127.0.0.1', 'localhost')

/** Gives a page a device that verifies its user. */
const plugIn = async (page: Page) => {
  // The limit of requests is that of an address, and other tests use that of this machine.
  await page.context().setExtraHTTPHeaders({ 'CF-Connecting-IP': crypto.randomUUID() })
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    /** Whether its user gives the right finger. */
    verify: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

const age = (email: string) =>
  database.query(
    `update sign_in.sessions set created_at = created_at - interval '13 hours', passkey_at = passkey_at - interval '13 hours'
     where user_id = (select id from sign_in.users where email = $1)`,
    [email],
  )

test.each(WALKS)(
  'a manager adds a passkey, requires it for payouts and pays with it, at $width px',
  async (screen) => {
    const merchant = await createOwing()
    const email = `manager@${merchant.workspace.slug}.example`
    const page = await browser.as(await merchant.manager(), screen, SITE)
    const device = await plugIn(page)
    await page.goto('/auth/passkeys')
    await inspect(page, 'passkeys-none')
    await page.getByLabel('Name').fill('Work laptop')
    // By keyboard alone.
    await page.getByRole('button', { name: 'Add passkey' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Passkey added.').waitFor()
    await inspect(page, 'passkeys-waiting')
    expect(await page.getByRole('cell', { name: /^From / }).isVisible()).toBe(true)
    expect(await page.getByRole('button', { name: 'Confirm with a passkey' }).count()).toBe(0)

    await endWait(database, email)
    await age(email)
    const settings = `/app/${merchant.workspace.slug}/settings`
    await page.goto(settings)
    await page.getByLabel('Require a passkey for payouts').check()
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor()
    await inspect(page, 'confirm-with-passkey')

    await device.verify(false)
    await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
    await page.getByRole('alert').filter({ hasText: 'Not confirmed.' }).waitFor()
    await device.verify(true)
    await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
    await page.getByText('Settings saved').waitFor()
    expect(await page.getByLabel('Require a passkey for payouts').isChecked()).toBe(true)

    await database.query(
      `update sign_in.sessions set passkey_at = passkey_at - interval '13 hours'
     where user_id = (select id from sign_in.users where email = $1)`,
      [email],
    )
    await database.query(
      `update sign_in.sessions set created_at = now() where user_id = (select id from sign_in.users where email = $1)`,
      [email],
    )
    await page.goto(`/app/${merchant.workspace.slug}/payouts/new?method=manual`)
    await page.getByRole('button', { name: /^Pay .* by bank transfer$/ }).click()
    await page.getByText('This needs a passkey').waitFor()
    await inspect(page, 'passkey-to-pay')
    await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
    await page.waitForURL(/done=created/)
    const runs = await database.query('select id from payout_runs where workspace_id = $1', [
      merchant.workspace.id,
    ])
    expect(runs).toHaveLength(1)
  },
)

test('a partner confirms a change with a passkey, or by a link in another tab', async () => {
  const merchant = await createMerchant()
  const email = somebody('maya')
  await database.query('update partners set email = $1 where id = $2', [email, merchant.partnerId])
  const page = await browser.as(await openSession(email), WALKS[0], SITE)
  await plugIn(page)
  await page.goto('/auth/passkeys')
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByText('Passkey added.').waitFor()
  await endWait(database, email)
  await age(email)
  await page.goto('/auth/passkeys')
  await inspect(page, 'passkeys-old-session')
  await page.goto('/portal/address')
  await page.getByLabel('New email address').fill(somebody('new'))
  await page.getByRole('button', { name: 'Send link' }).click()
  await page.getByRole('button', { name: 'Email a sign-in link' }).waitFor()
  await inspect(page, 'partner-confirms')
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: 'Email a sign-in link' }).click(),
  ])
  await tab.getByText(email).waitFor()
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
  await page.getByText('A link was sent to').waitFor()
})

test('without a passkey in this browser, the page says so', async () => {
  const page = await browser.as(await openSession(somebody()), WALKS[0], SITE)
  const device = await plugIn(page)
  await device.verify(false)
  await page.goto('/auth/passkeys')
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('alert').filter({ hasText: 'No passkey was made.' }).waitFor()
})

test('after too many attempts, the page says when to try again', async () => {
  const page = await browser.as(await openSession(somebody()), WALKS[0], SITE)
  await plugIn(page)
  await page.goto('/auth/passkeys')
  const limited = { status: 429, headers: { 'Retry-After': '10' }, json: { error: {} } }
  await page.route('**/auth/passkeys/options', (route) => route.fulfill(limited), { times: 1 })
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByText('Too many attempts. Try again in 10 seconds.').waitFor()
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByText('Passkey added.').waitFor()
})
