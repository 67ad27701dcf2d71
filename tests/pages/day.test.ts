/**
 * The day of a manager and of a partner, in a browser with the keyboard alone where a form is sent:
 * what each part does is tested elsewhere; here they are one set-up.
 */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useBrowser } from '../support/browser.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { openSession } from '../support/people.ts'

const browser = useBrowser()
const database = useDatabase()

/** Sends a form by its button, without the mouse. */
const press = async (page: Page, name: string | RegExp) => {
  await page.getByRole('button', { name }).focus()
  await page.keyboard.press('Enter')
}

const read = async (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

test('a partner applies, makes a link and earns; the manager approves, credits, changes, bans, pays and exports', async () => {
  const merchant = await createMerchant({
    group: { name: 'Gold' },
    manualPayouts: true,
    program: { holding_days: 0, minimum_payout_cents: 100 },
  })
  const { workspace, programId, seed } = merchant
  const spammer = await seed.addPartner(workspace.id, programId, {
    slug: 'spam',
    name: 'Spam Ltd.',
  })
  const base = `/app/${workspace.slug}`
  const manager = await browser.as(await merchant.manager())

  // Morning: the page opens, and Nina applies.
  await manager.goto(`${base}/programs/${programId}/applications`)
  await manager.getByLabel('Open', { exact: true }).check()
  await manager.getByLabel('Terms').fill('No spam.')
  await press(manager, 'Save page')
  await read(manager, 'Page saved.')
  const email = `nina@${workspace.slug}.example`
  const nina = await browser.as(await openSession(email))
  await nina.goto(`/join/${programId}/apply`)
  await nina.getByLabel('Your name').fill('Nina Castillo')
  await nina.getByLabel('How will you promote us?').fill('In my newsletter.')
  await nina.getByLabel('I accept these terms').check()
  await press(nina, 'Send application')
  await read(nina, 'Your application has been sent.')
  await manager.goto(`${base}/applications?status=applied`)
  await manager.getByRole('link', { name: 'Nina Castillo' }).click()
  await press(manager, 'Approve')
  await read(manager, 'Application approved.')

  // She makes a link of her own, by which a visitor comes.
  await nina.goto('/portal/links')
  await nina.getByLabel('Slug').fill('nina-weekly')
  await press(nina, /^Add link/)
  await read(nina, '?via=nina-weekly')
  const clickId = await merchant.click('nina-weekly')
  await merchant.sale({
    externalId: 'order-1',
    customerExternalId: 'ann',
    clickId,
    amountCents: 10_000,
  })

  // Another sale came without its click, and is credited by hand.
  await merchant.sale({ externalId: 'order-2', customerExternalId: 'bob', amountCents: 5_000 })
  await manager.goto(`${base}/uncredited`)
  await manager.getByRole('link', { name: 'Credit by hand' }).click()
  await manager.getByLabel('Credit to').fill(email)
  await manager.getByLabel('Reason for the credit').fill('She sent the buyer, who said so.')
  await press(manager, 'Credit event')
  await read(manager, 'earned $10.00')
  await nina.goto('/portal/commissions')
  expect(await nina.getByRole('cell', { name: /^\$(20|10)\.00$/ }).count()).toBe(2)

  // What would more for everybody have cost?
  await manager.goto(`${base}/programs/${programId}`)
  await manager.getByLabel('Percentage of the sale').fill('30')
  await press(manager, 'Preview the difference')
  await read(manager, '+$15.00')

  // Nina moves up, and the spammer goes.
  const choose = async (name: string) => {
    await manager.goto(`${base}/partners?sort=earned`)
    await manager.getByLabel(`Choose ${name}`).check()
  }
  await choose('Nina Castillo')
  await manager.getByLabel('Move to group').selectOption('Gold')
  await press(manager, /^Move$/)
  await press(manager, /^Move$/)
  await read(manager, 'Partners moved.')
  await choose('Spam Ltd.')
  await press(manager, 'Ban')
  await press(manager, 'Ban')
  await read(manager, 'Partners banned.')
  const [banned] = await database.query('select status from partners where id = $1', [spammer])
  expect(banned).toEqual({ status: 'banned' })

  // The list as a file, with its filter.
  await manager.goto(`${base}/partners?status=approved`)
  const download = manager.waitForEvent('download')
  await manager.getByRole('link', { name: 'Download as CSV' }).click()
  const stream = await (await download).createReadStream()
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  const file = Buffer.concat(parts).toString()
  expect(file).toContain(email)
  expect(file).not.toContain('Spam Ltd.')

  // Evening: what is due is paid by bank, and Nina sees it.
  await manager.goto(`${base}/payouts`)
  await press(manager, 'Preview payouts')
  await press(manager, 'Pay $30.00 by bank transfer')
  await press(manager, 'Mark as paid')
  await nina.goto('/portal/payouts')
  await read(nina, '$30.00')
  expect(await database.violations(workspace.id)).toEqual([])
  await Promise.all([manager.context().close(), nina.context().close()])
})
