// @module-tag thorough
import { expect, test } from 'vitest'
import { inspect, useBrowser } from '../support/browser.ts'
import { useDatabase } from '../support/merchant.ts'
import { giveDetails } from '../support/payment-details.ts'
import { openSession } from '../support/people.ts'
import { createOwing } from '../support/runs.ts'

const browser = useBrowser()
const database = useDatabase()

/**
 * A merchant with a confirmed run by bank to Ann, who is paid by PayPal, changes to an IBAN, and
 * gets an invoice.
 */
const createPaid = async () => {
  const merchant = await createOwing(
    ['ann', 'bea'].map((slug) => ({
      email: `${slug}@papers.example`,
      slug,
      openingBalanceCents: 12_345,
    })),
  )
  const { id: workspaceId, slug } = merchant.workspace
  const email = `ann@${slug}.example`
  await database.query(
    `update partners set email = slug || '@' || $2::text where workspace_id = $1`,
    [workspaceId, `${slug}.example`],
  )
  await database.query(
    `update workspaces set paypal_payouts = true, iban_payouts = true, self_billing = true where id = $1`,
    [workspaceId],
  )
  await database.query(
    `insert into payees (workspace_id, email, name, city, country, self_billing_since, updated_at)
     values ($1, $2, 'Ann Lee', 'Berlin', 'DE', now(), now())`,
    [workspaceId, email],
  )
  const person = { workspaceId, email }
  await giveDetails(database.query, person, { method: 'paypal', address: email })
  await giveDetails(database.query, person, { method: 'stripe' }, new Date(Date.now() + 3_600_000))
  const as = await merchant.asManager()
  const run = await merchant.begin()
  for (const status of ['paid', 'confirmed']) await as.patch(`/payout-runs/${run}`, { status })
  const [ann] = await database.query<{ id: string }>(
    `select id from partners where workspace_id = $1 and slug = 'ann'`,
    [workspaceId],
  )
  return { merchant, run, partnerId: ann?.id, workspaceId, email }
}

test('files, business details, statements, years and invoices can be read by everybody', async () => {
  const { merchant, run, partnerId, workspaceId, email } = await createPaid()
  const manager = await browser.as(await merchant.manager())
  const app = `/app/${merchant.workspace.slug}`
  for (const path of [
    `/payouts/runs/${run}`,
    `/payouts/runs/${run}/wise-template?currency=USD`,
    '/settings/business',
    '/payouts/invoices',
    `/payouts/years/${new Date().getUTCFullYear()}`,
  ]) {
    await manager.goto(app + path)
    await inspect(manager)
  }

  const partner = await browser.as(await openSession(email))
  for (const path of [
    '/portal/documents',
    `/portal/documents/details?workspace=${workspaceId}`,
    `/portal/documents/statement?partner=${partnerId}`,
    `/portal/payment?workspace=${workspaceId}&method=iban`,
  ]) {
    await partner.goto(path)
    await inspect(partner)
  }
})

test('a statement is printed without the form and the navigation', async () => {
  const { partnerId, email } = await createPaid()
  const page = await browser.as(await openSession(email))
  await page.goto(`/portal/documents/statement?partner=${partnerId}`)
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('button').count()).toBe(0)
  expect(await page.getByRole('navigation').count()).toBe(0)
  expect(await page.getByText('Balance at the end').isVisible()).toBe(true)
})
