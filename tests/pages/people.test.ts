// @module-tag thorough
/** The pages of one's own membership, in a browser. */
import { expect, test } from 'vitest'
import { inspect, useBrowser } from '../support/browser.ts'
import { createMerchant } from '../support/merchant.ts'
import { askForLink, fromSomewhere, somebody } from '../support/people.ts'

const browser = useBrowser()

const SCREENS = [390, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
)

test('handing over, leaving and changing the address are accessible, from the overview’s line on', async () => {
  const merchant = await createMerchant()
  const page = await browser.as(await merchant.manager())
  await page.goto(`/app/${merchant.workspace.slug}`)
  await page.getByRole('listitem').filter({ hasText: 'one manager' }).getByRole('link').click()
  await page.getByRole('heading', { name: 'Members', exact: true }).waitFor()
  await inspect(page, 'members', SCREENS)
  await page.getByRole('link', { name: 'Hand over the workspace' }).click()
  await page.getByLabel('Address of the new manager').fill(somebody('heir'))
  await inspect(page, 'hand-over', SCREENS)
  await page.getByRole('button', { name: 'Hand over workspace' }).click()
  await page.getByRole('heading', { name: 'Invitation sent' }).waitFor()
  await page.getByRole('link', { name: 'leave the workspace' }).click()
  await page.getByRole('button', { name: 'Leave workspace' }).click()
  await page.getByText('This is the last manager').waitFor()
  await inspect(page, 'leave', SCREENS)
  await page.goto('/app')
  await inspect(page, 'workspaces', SCREENS)
  await page.getByRole('link', { name: 'Change your email address' }).click()
  await page.getByLabel('New email address').fill(somebody('new'))
  await inspect(page, 'member-address', SCREENS)
  await page.getByRole('button', { name: 'Send links' }).click()
  await page.getByRole('heading', { name: 'Check both mailboxes' }).waitFor()
  expect(page.url()).toContain('/address')
  await page.context().close()
})

test('accounts are switched from the import page’s side, by keyboard and on a phone', async () => {
  const merchant = await createMerchant()
  const page = await browser.as(await merchant.manager())
  const partner = somebody('partner')
  await page.setExtraHTTPHeaders(fromSomewhere())
  await page.goto((await askForLink(partner, { next: '/portal' })).href)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/portal')
  await page.goto(`/auth/accounts?next=/app/${merchant.workspace.slug}/import`)
  await page.getByText(`You use this browser as ${partner}`).waitFor()
  await inspect(page, 'accounts', SCREENS)
  await page.getByRole('button', { name: 'Switch to manager@' }).press('Enter')
  await page.getByRole('heading', { name: 'Import partners and customers' }).waitFor()
  await page.context().close()
})
