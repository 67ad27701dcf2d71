// @module-tag thorough
import { expect, test } from 'vitest'
import { inspect, useBrowser } from '../support/browser.ts'
import { useDatabase } from '../support/merchant.ts'
import {
  addPayout,
  ageClick,
  createPartner,
  eventOf,
  type Partner,
  takeBack,
} from '../support/portal.ts'

const browser = useBrowser()
const database = useDatabase()

const SCREENS = [
  { width: 1280, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 375, scheme: 'light' },
  { width: 375, scheme: 'dark' },
] satisfies Parameters<typeof inspect>[2]

/** A few months of growing activity, with gaps. */
const addHistory = async ({ workspaceId, partnerId }: Partner, eventId: string) => {
  await database.query(
    `insert into clicks (id, workspace_id, partner_id, created_at, expires_at)
     select 'clk_' || d || '_' || n, $1, $2, now() - make_interval(days => d), now() + interval '1 day'
     from generate_series(0, 200) d, generate_series(1, ((d * 37) % 29) * (200 - d) / 60) n`,
    [workspaceId, partnerId],
  )
  await database.query(
    `with made as (
       insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id,
                           amount_cents, currency, partner_id, attributed_by, steps, occurred_at, commission_id)
       select uuidv7(make_interval(days => -d)), e.workspace_id, 'sale', 'past_' || d || '_' || n, 'sale',
              e.customer_external_id, e.customer_id, 1900 + 500 * n, 'USD', e.partner_id, 'click', e.steps,
              now() - make_interval(days => d), uuidv7(make_interval(days => -d))
       from events e, generate_series(1, 120, 2) d, generate_series(1, (d * 13) % 4) n
       where e.id = $1 returning *)
     insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
                              amount_cents, currency, payable_at, created_at)
     select made.commission_id, c.workspace_id, c.program_id, c.partner_id, c.customer_id, made.id,
            c.reward_id, 'sale', made.amount_cents / 5, 'USD', made.occurred_at + interval '30 days',
            made.occurred_at
     from made, commissions c where c.event_id = $1`,
    [eventId],
  )
}

/** A partner with everything that the pages show. */
const createShowcase = async () => {
  const partner = await createPartner({ program: { name: 'Northwind Partners' } }, 'maya-lindqvist')
  const { merchant, workspaceId, partnerId, email } = partner
  const { seed, sale, lead } = merchant
  await database.query(
    `insert into stripe_keys (workspace_id, ciphertext, last4, stripe_account_id, livemode, created_at)
     values ($1, 'ciphertext', '1234', 'acct_1', false, now())`,
    [workspaceId],
  )
  await seed.addCoupon(workspaceId, partnerId, 'MAYA20')
  await seed.addCoupon(workspaceId, partnerId, 'SUMMER-OF-MAYA')
  const clickId = await merchant.click('maya-lindqvist')
  await lead({ externalId: 'user_1', customerEmail: 'ann.buyer@example.com', clickId })
  const pending = eventOf(await sale({ externalId: 'inv_1', clickId }))
  const reversed = eventOf(await sale({ externalId: 'inv_2', clickId, amountCents: 12_345 }))
  await takeBack(database, reversed, 2_469)
  const partly = eventOf(await sale({ externalId: 'inv_3', clickId }))
  await takeBack(database, partly, 490)
  const paid = eventOf(await sale({ externalId: 'inv_4', clickId }))
  const late = await merchant.click('maya-lindqvist')
  await ageClick(database, late, 100)
  await sale({ externalId: 'inv_5', customerExternalId: 'user_5', clickId: late })
  await addHistory(partner, pending)
  await addPayout(database, partner, 980, { eventIds: [paid], outcome: 'paid_at' })
  await addPayout(database, partner, 12_000, { outcome: 'failed_at' })
  await addPayout(database, partner, 7_000, { outcome: 'canceled_at', byBank: true })
  await addPayout(database, partner, 490, { eventIds: [partly] })
  await database.query(
    `update payout_accounts set disconnected_at = now() where workspace_id = $1`,
    [workspaceId],
  )
  const second = await seed.addProgram(workspaceId, {
    name: 'Northwind Studio',
    site_url: 'https://studio.example',
  })
  await seed.addPartner(workspaceId, second, { slug: 'maya', email, status: 'banned' })
  return { cookie: await partner.cookie(), pending }
}

let shown: ReturnType<typeof createShowcase> | undefined

/** One for all tests that leave what it shows as it is. */
const sharedShowcase = () => {
  shown ??= createShowcase()
  return shown
}

test('no page has axe violations or horizontal overflow', async () => {
  const { cookie, pending } = await sharedShowcase()
  const page = await browser.as(cookie)
  const look = async (name: string, path: string) => {
    await page.goto(`/portal${path}`)
    await inspect(page, `portal-${name}`, SCREENS)
  }
  await look('overview', '')
  await look('quarter', '?days=90&connect=onboarding')
  await look('commissions', '/commissions')
  await look('events', '/events')
  await look('event', `/events/${pending}`)
  await look('payouts', '/payouts')
  await page.goto('/portal?days=365')
  await page.getByText('Show data by month').first().click()
  await inspect(page, 'portal-year', SCREENS)
  await page.context().close()
})

test('in German, whose words are long, no page has axe violations or horizontal overflow on a phone', async () => {
  const { cookie } = await createShowcase()
  const page = await browser.as(cookie, { width: 375, scheme: 'light' })
  await page.setExtraHTTPHeaders({ 'Accept-Language': 'de' })
  for (const path of ['', '/links', '/payouts']) {
    await page.goto(`/portal${path}`)
    await inspect(page, undefined, [{ width: 375, scheme: 'light' }])
  }
  await page.getByRole('button', { name: 'Français' }).click()
  await page.getByRole('heading', { name: 'Versements', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/portal/payouts')
  await page.context().close()
})

test('the link is first in tab order, and is copied with one button', async () => {
  const { cookie } = await sharedShowcase()
  const page = await browser.as(cookie)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/portal')
  await page.locator('main').focus()
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').innerText()).toContain('your link for Northwind Partners')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    'https://shop.example/?via=maya-lindqvist',
  )
  await page.context().close()
})

test('without JavaScript, a partner sees why a sale was not credited', async () => {
  const { cookie } = await sharedShowcase()
  const page = await browser.as(cookie, { width: 375, scheme: 'dark', javaScriptEnabled: false })
  await page.goto('/portal')
  await page.getByRole('link', { name: '90 days' }).first().click()
  await page.waitForURL(/days=90/)
  const numbers = page.getByText('Show data by day').first()
  await numbers.click()
  expect(await page.getByRole('rowheader').count()).toBe(90)
  expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0)

  await page.getByRole('link', { name: 'Sales and leads' }).click()
  const missed = page.getByRole('row').filter({ hasText: 'the click was older than 90 days' })
  await missed.getByRole('link', { name: 'Details' }).click()
  await page.getByText('but a click is valid for 90 days').waitFor()
  await page.getByRole('link', { name: 'Commissions', exact: true }).click()
  await page.getByLabel('Program').selectOption('Northwind Studio')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('No commissions yet. Share your link to earn the first one.').waitFor()
  await page.context().close()
})

test('on a phone, where rows are laid out as paragraphs, a table keeps its roles', async () => {
  const { cookie } = await sharedShowcase()
  const page = await browser.as(cookie, { width: 375, scheme: 'light' })
  await page.goto('/portal/events')
  // Chromium's accessibility tree, which also depends on the layout.
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  const count = (role: string) =>
    nodes.filter((node) => !node.ignored && node.role?.value === role).length
  expect({ tables: count('table'), heads: count('columnheader') }).toEqual({ tables: 1, heads: 5 })
  expect(count('row')).toBe(26)
  expect(count('cell')).toBe(25 * 5)
  await page.context().close()
})

test('each chart has a text alternative', async () => {
  const { cookie } = await sharedShowcase()
  const page = await browser.as(cookie)
  await page.goto('/portal')
  const tree = await page.getByRole('region', { name: 'Northwind Partners' }).ariaSnapshot()
  expect(tree).toMatch(/figure "Clicks [\d,]+"/)
  expect(tree).toMatch(/img "Bar chart by day\. The highest value is \$\d[\d,.]*, on \d/)
  expect(tree).toContain('heading "Connect an account to be paid"')
  await page.context().close()
})
