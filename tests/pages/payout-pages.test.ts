// @module-tag thorough
import { describe, expect, test } from 'vitest'
import { inspect, tabTo, useBrowser, WALKS } from '../support/browser.ts'
import { useDatabase } from '../support/merchant.ts'
import { createOwing } from '../support/runs.ts'

const browser = useBrowser()
const database = useDatabase()

const LONG = 'a-very-long-address.of-somebody@sub.domain.partner.example'

/**
 * A merchant with payouts of every kind: bank, Stripe, failed, retried, canceled, and a payable
 * balance.
 */
const createShowcase = async () => {
  const merchant = await createOwing([
    { email: 'leo@partner.example', name: 'Leo Okafor', slug: 'leo', openingBalanceCents: 812_000 },
    { email: 'ann@partner.example', name: 'Ann', slug: 'ann', openingBalanceCents: 5_050 },
    { email: 'rex@partner.example', name: 'Rex Adeyemi', slug: 'rex', openingBalanceCents: 7_700 },
    { email: LONG, slug: `long-${'x'.repeat(60)}`, openingBalanceCents: 99 },
  ])
  const { workspace, programId, seed } = merchant
  await seed.addProgram(workspace.id, { name: 'Winter', payout_schedule: 'weekly' })
  await database.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
     select gen_random_uuid(), workspace_id, email, 'DE', 'acct_' || slug, 'enabled', now() - interval '4 days' from partners
     where workspace_id = $1 and slug in ('leo', 'ann', 'rex')`,
    [workspace.id],
  )
  const byStripe = await merchant.begin('stripe')
  await database.query(
    `update payouts set last_error = 'Your Stripe balance is too low for this transfer.'
     where run_id = $1 and amount_cents = 812000`,
    [byStripe],
  )
  await database.query(
    `with failed as (update payouts set failed_at = now(), last_error = 'The partner’s account was closed.'
                     where run_id = $1 and amount_cents = 5050 returning id)
     update commissions set payout_id = null from failed where payout_id = failed.id`,
    [byStripe],
  )
  await database.query(
    `update payouts set paid_at = now(), transfer_id = 'tr_1QxYzLkdIwHu7ixUEgbFdYf2', last_error = null,
                        reversed_cents = amount_cents, reversed_at = now()
     where run_id = $1 and amount_cents = 7700`,
    [byStripe],
  )
  const [reversed] = await database.query<{ id: string }>(
    `select id from payouts where run_id = $1 and status = 'reversed'`,
    [byStripe],
  )
  const manager = await merchant.asManager()
  const canceled = await merchant.begin()
  await manager.patch(`/payout-runs/${canceled}`, { status: 'canceled' })
  const [leo] = await database.query<{ id: string }>(
    `select id from partners where workspace_id = $1 and slug = 'leo'`,
    [workspace.id],
  )
  return {
    merchant,
    base: `/app/${workspace.slug}`,
    byStripe,
    canceled,
    programId,
    leo: leo?.id,
    reversed: reversed?.id,
  }
}

describe.each(WALKS)('at $width pixels, in $scheme colours', (screen) => {
  test('no page has axe violations or horizontal overflow', async () => {
    const { merchant, base, byStripe, canceled, programId, leo, reversed } = await createShowcase()
    const page = await browser.as(merchant.cookie, screen)
    const look = async (name: string, path: string) => {
      await page.goto(base + path)
      await inspect(page, `payouts-${name}`)
    }
    await look('list', '/payouts')
    await look('preview', '/payouts/new?method=manual')
    await look('preview-stripe', '/payouts/new?method=stripe')
    await look('stripe', `/payouts/runs/${byStripe}`)
    await look('release', `/payouts/${reversed}/release`)
    await look('canceled', `/payouts/runs/${canceled}`)
    await look('all', '/payouts/all')
    await look('partner', `/partners/${leo}`)
    await look('program', `/programs/${programId}`)
    const manual = await merchant.begin()
    await look('manual', `/payouts/runs/${manual}`)
    await page.getByRole('button', { name: 'Mark as paid' }).click()
    await page.getByText('Run marked as paid').waitFor()
    await look('marked', `/payouts/runs/${manual}?done=paid`)
    await page.context().close()
  })
})

test('a manager pays by bank transfer without JavaScript', async () => {
  const { merchant, base } = await createShowcase()
  const page = await browser.as(merchant.cookie, {
    width: 390,
    scheme: 'light',
    javaScriptEnabled: false,
  })
  await page.goto(`${base}/payouts`)
  await page.getByLabel('Method').selectOption('Bank transfer (CSV file)')
  await page.getByRole('button', { name: 'Preview payouts' }).click()
  await page.getByRole('button', { name: 'Pay $51.49 by bank' }).click()
  await page.getByText('Payout run created').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^payouts-.*\.csv$/)
  await page.getByRole('button', { name: 'Mark as paid' }).click()
  await page.getByRole('button', { name: 'Mark as unpaid' }).click()
  await page.getByText('Run marked as unpaid').waitFor()
  await page.getByRole('button', { name: 'Mark as paid' }).click()
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('The partners are notified by email').waitFor()
  expect(await page.getByText('2 of 2 payouts paid').count()).toBe(1)
  await page.context().close()
})

/**
 * Two payouts of a canceled run of which nobody knows whether they were sent, as Stripe cannot be
 * asked.
 */
const createUnclear = async () => {
  const merchant = await createOwing()
  await database.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
     select gen_random_uuid(), workspace_id, email, 'DE', 'acct_' || slug, 'enabled', now() - interval '4 days' from partners
     where workspace_id = $1 and slug in ('leo', 'ann')`,
    [merchant.workspace.id],
  )
  const run = await merchant.begin('stripe')
  await database.query(
    `update payouts set attempts = 1, key_used_at = now() - interval '4 days', cancel_requested_at = now() - interval '4 days',
                        unreachable_since = now() - interval '2 days', failed_look_ups = 9,
                        last_error = 'Expired API Key provided.' where run_id = $1`,
    [run],
  )
  const statuses = async () =>
    (
      await database.query('select status from payouts where run_id = $1 order by amount_cents', [
        run,
      ])
    ).map(({ status }) => status)
  return { merchant, statuses, run: `/app/${merchant.workspace.slug}/payouts/runs/${run}` }
}

test('a manager decides by keyboard about payouts that Stripe cannot be asked about, and Enter in a field decided nothing', async () => {
  const { merchant, run, statuses } = await createUnclear()
  const page = await browser.as(merchant.cookie)
  await page.goto(run)
  await inspect(page, 'payouts-unclear-run')
  await tabTo(page, 'link', 'Decide about them')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Were these payouts sent?' }).waitFor()
  await inspect(page, 'payouts-unclear')

  // Ann's is cleared.
  const [ann] = await page.getByRole('row').filter({ hasText: 'Ann' }).getByRole('checkbox').all()
  await ann?.focus()
  await page.keyboard.press('Space')
  await tabTo(page, 'textbox', 'Reason')
  await page.keyboard.type('Leo has the money')
  await page.keyboard.press('Enter')
  expect(await statuses()).toEqual(['canceling', 'canceling'])
  await tabTo(page, 'button', 'Mark as sent')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Payout run' }).waitFor()
  expect(await statuses()).toEqual(['canceling', 'paid'])

  await page.goto(`${run}/resolve`)
  await page.getByRole('link', { name: 'give the reason' }).press('Enter')
  await tabTo(page, 'button', 'Mark as not sent')
  // Without a reason.
  await page.locator('form:has(#reason)').evaluate((form) => form.setAttribute('novalidate', ''))
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await inspect(page, 'payouts-unclear-refused')
  await page.getByLabel('Reason').fill('Ann has no money')
  await tabTo(page, 'button', 'Mark as not sent')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Payout run' }).waitFor()
  expect(await statuses()).toEqual(['canceled', 'paid'])
  await page.context().close()
})
