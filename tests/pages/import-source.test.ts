// @module-tag thorough
/**
 * A whole program comes over by API: read, interrupted twice, reviewed and imported in Chromium;
 * then its links, coupons and renewals earn.
 */
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { applySchema } from '../../cli/schema.ts'
import { type OldProgram, oldProgram } from '../../dev/fakes/sources/program.ts'
import { type SourcesFake, startSources } from '../../dev/fakes/sources.ts'
import { type PublicProxy, startProxy } from '../../dev/runtime/proxy.ts'
import { startSqlEndpoint } from '../../dev/runtime/sql-endpoint.ts'
import type { Workers } from '../../dev/runtime/workers.ts'
import { newId } from '../../lib/db/ids.ts'
import { inspect, useBrowser, WALKS } from '../support/browser.ts'
import { createDatabase, dropDatabase, openPool, TEMPLATE } from '../support/databases.ts'
import { createMerchant, type Merchant } from '../support/merchant.ts'
import { checkoutSession, oldInvoice, stripeEvent, useStripe } from '../support/stripe.ts'
import { isExhaustive } from '../support/thorough.ts'
import { startOwnWorkers } from '../support/workers.ts'

const SIZE = isExhaustive
  ? { partners: 5_000, links: 12_000, customers: 40_000, commissions: 80_000 }
  : { partners: 200, links: 500, customers: 1_500, commissions: 700 }
/** Slugs that are visited: fewer than the limit of one address, which is that of the proxy. */
const VISITS = 40
const MINUTES = 60_000

const ENVS = [
  ...['auth', 'dashboard', 'manage', 'import-source', 'import-partners', 'import-customers'],
  ...['track-click', 'track-sale', 'stripe-webhook'],
]
const name = `shown_${newId().replaceAll('-', '')}`
const browser = useBrowser()
let database: { DATABASE_URL: string; SQL_ENDPOINT: string }
let pool: ReturnType<typeof openPool>
let endpoint: Awaited<ReturnType<typeof startSqlEndpoint>>
let fake: SourcesFake
let proxy: PublicProxy
let workers: Workers

/** The Workers, in the place of those before. Their address stays. */
const startAgain = async () => {
  workers = await startOwnWorkers(
    ENVS,
    { ...database, SOURCES_URL: fake.url, MAX_FETCHES: '1000' },
    [],
  )
  proxy.pointTo(workers.url)
}

beforeAll(async () => {
  const url = await createDatabase(inject('database').DATABASE_URL, name, TEMPLATE)
  await applySchema(url)
  ;[endpoint, fake, proxy] = await Promise.all([
    startSqlEndpoint({ databaseUrl: url, keepPlans: true }),
    startSources(),
    startProxy(0),
  ])
  database = { DATABASE_URL: url, SQL_ENDPOINT: endpoint.url }
  pool = openPool(url)
  await startAgain()
}, 60_000)
afterAll(async () => {
  await workers?.stop()
  await proxy?.stop()
  await fake?.stop()
  await pool?.end()
  await endpoint?.stop()
  await dropDatabase(inject('database').DATABASE_URL, name)
})

const expire = (table: string) =>
  pool.query(`update ${table} set next_attempt_at = now() - interval '1 second'`)

const count = async (text: string, values: unknown[] = []): Promise<number> =>
  (await pool.query<{ n: number }>(`select count(*)::int as n from ${text}`, values))[0]?.n ?? 0

/**
 * What comes over: active partners who have an address, and their customers whom somebody can tell.
 */
const expectedOf = ({ partners, coupons, customers }: OldProgram) => {
  const active = partners.filter(({ email, state }) => email !== null && state === 'active')
  const ids = new Set(active.map(({ id }) => id))
  return {
    active,
    coupons: coupons.filter(({ partnerId, isArchived }) => ids.has(partnerId) && !isArchived),
    customers: customers.filter(
      ({ partnerId, customerId, email, isDeactivated }) =>
        ids.has(partnerId) && !isDeactivated && (customerId !== null || email !== null),
    ),
  }
}

type Sum = { commissions: number; amountCents: number }

/**
 * What was paid for the customers who come over, by currency: of each, the sum of most commissions.
 */
const priorsOf = ({ commissions }: OldProgram, customers: OldProgram['customers']) => {
  const imported = new Set(customers.map(({ id }) => id))
  const sums = new Map<string, Map<string, Sum>>()
  for (const { customer, partnerId, state, currency, cents } of commissions) {
    if (state !== 'paid' || customer?.partnerId !== partnerId || !imported.has(customer.id))
      continue
    const own = sums.get(customer.id) ?? new Map<string, Sum>()
    const sum = own.get(currency) ?? { commissions: 0, amountCents: 0 }
    own.set(currency, { commissions: sum.commissions + 1, amountCents: sum.amountCents + cents })
    sums.set(customer.id, own)
  }
  const totals: Record<string, Sum> = {}
  for (const own of sums.values()) {
    const [first] = [...own].sort(
      ([a, x], [b, y]) => y.commissions - x.commissions || (a < b ? -1 : 1),
    )
    if (!first) continue
    const [currency, sum] = first
    const total = totals[currency] ?? { commissions: 0, amountCents: 0 }
    totals[currency] = {
      commissions: total.commissions + sum.commissions,
      amountCents: total.amountCents + sum.amountCents,
    }
  }
  return totals
}

/** The partner to whom the only sale under this id was credited. */
const creditedTo = async (merchant: Merchant, externalId: string) => {
  const [row] = await pool.query<{ email: string }>(
    `select p.email from events e join partners p on p.id = e.partner_id
     where e.workspace_id = $1 and e.kind = 'sale' and e.external_id = $2`,
    [merchant.workspace.id, externalId],
  )
  return row?.email
}

test(
  'a program of Rewardful comes over by its API, killed twice on the way',
  async () => {
    const program = oldProgram(SIZE)
    const expected = expectedOf(program)
    const account = fake.addAccount('rewardful', 'the-secret', program)
    const merchant = await createMerchant({ baseUrl: proxy.url, database })
    const { workspace, programId } = merchant
    const stripe = await useStripe(merchant, proxy.url)
    const page = await browser.as(await merchant.manager(), undefined, proxy.url)
    await page.goto(`/app/${workspace.slug}/import`)
    await page.getByLabel('Token', { exact: true }).fill('the-secret')
    await inspect(page, 'import-source-form')

    // The first time, while it is read: with a page on its way, which nobody saves.
    let killed: Promise<unknown> | undefined
    account.hooks.onRequest = (_, requests) => {
      if (requests === 6) killed = workers.stop()
    }
    await page.getByRole('button', { name: 'Read by API' }).click()
    await page.getByRole('heading', { name: 'Reading Rewardful into' }).waitFor()
    await vi.waitFor(() => expect(killed).toBeDefined(), 20_000)
    await killed
    account.hooks.onRequest = undefined
    await page.getByText('The server cannot be reached.').waitFor()
    expect(await count('import_sources where ciphertext is not null')).toBe(1)
    await page.close()
    await startAgain()
    await expire('import_sources')

    // Whoever comes back finds it.
    const again = await browser.as(await merchant.manager(), undefined, proxy.url)
    await again.goto(`/app/${workspace.slug}/import`)
    await again.getByRole('button', { name: 'Show progress' }).click()
    await again.getByRole('heading', { name: 'Import preview' }).waitFor({ timeout: 10 * MINUTES })
    expect(await count('import_sources where ciphertext is not null')).toBe(0)
    const stage = again.locator('#import-stage')
    await inspect(again, 'import-source-preview')
    const text = (await stage.innerText()).replaceAll(/\s+/g, ' ')
    const words = (n: number) => n.toLocaleString('en')
    expect(text).toContain(`Partners ${words(expected.active.length)} new`)
    expect(text).toContain(`Customers ${words(expected.customers.length)} new`)
    expect(text).toContain('Not imported from Rewardful')
    expect(text).toContain('archived coupons')
    expect(text).toContain('who waited for approval (pending)')
    expect(text).toContain('2 rewards were read. They are not imported: review them')
    const owed = expected.active.reduce((sum, { balances }) => sum + (balances.USD ?? 0), 0)
    await stage.getByLabel('Import opening balances').check()
    expect((await stage.innerText()).replaceAll(/\s+/g, ' ')).toContain(
      `Creates ${(owed / 100).toLocaleString('en', { minimumFractionDigits: 2 })} USD payable now.`,
    )

    await stage.getByLabel(/^VIP \(/).selectOption('Create the group “VIP”')

    // The second time, while it is imported: after a call whose answer never arrives.
    let isKilled = false
    await again.route('**/customers/import', async (route) => {
      if (isKilled) return route.continue()
      isKilled = true
      await route.fetch()
      await workers.stop()
      await route.fulfill({ status: 502 })
    })
    await stage.getByRole('button', { name: /^Import .* into/ }).click()
    await again
      .getByText('Retrying in')
      .first()
      .waitFor({ timeout: 2 * MINUTES })
    expect(isKilled).toBe(true)
    await startAgain()
    await again.getByRole('heading', { name: 'Import complete' }).waitFor({ timeout: 10 * MINUTES })
    const result = (await stage.innerText()).replaceAll(/\s+/g, ' ')
    expect(result).toContain(`Partners ${words(expected.active.length)} imported`)
    expect(result).toContain(`Customers ${words(expected.customers.length)} imported`)
    await inspect(again, 'import-source-result')

    // The group that the import has created gets its reward.
    const opened = again.waitForEvent('popup')
    await stage.getByRole('link', { name: 'review them' }).click()
    const rewards = await opened
    await inspect(rewards, 'import-rewards')
    const card = rewards.locator('.card', { has: rewards.getByRole('heading', { name: 'VIP' }) })
    await card.getByLabel('Use for').selectOption({ label: 'Group VIP (now: Program reward)' })
    await card.getByRole('button', { name: 'Use reward' }).click()
    await rewards.getByRole('heading', { name: 'VIP', level: 1 }).waitFor()
    expect(
      await count(
        `groups g join rewards r on r.id = g.sale_reward_id where g.workspace_id = $1 and r.basis_points = 3000`,
        [workspace.id],
      ),
    ).toBe(1)
    await rewards.close()

    // Everything is there, and nothing else.
    expect(await count('partners where workspace_id = $1', [workspace.id])).toBe(
      expected.active.length + 1,
    )
    expect(await count('customers where workspace_id = $1', [workspace.id])).toBe(
      expected.customers.length,
    )
    expect(await count('coupon_aliases where workspace_id = $1', [workspace.id])).toBe(
      expected.coupons.length,
    )
    const priors = await pool.query<Sum & { currency: string }>(
      `select prior ->> 'currency' as currency, sum((prior ->> 'commissions')::int)::int as commissions,
              sum((prior ->> 'amountCents')::int)::int as "amountCents"
       from customers where workspace_id = $1 and prior is not null group by 1`,
      [workspace.id],
    )
    expect(Object.fromEntries(priors.map(({ currency, ...sum }) => [currency, sum]))).toEqual(
      priorsOf(program, expected.customers),
    )
    const begun = program.commissions.find(
      ({ state, customer }) =>
        state !== 'voided' && expected.customers.some((one) => one === customer),
    )
    expect(
      await count('customers where workspace_id = $1 and external_id = $2 and started_at = $3', [
        workspace.id,
        begun?.customer?.customerId,
        begun?.soldAt,
      ]),
    ).toBe(1)
    const vips = expected.active.filter(({ group }) => group === 'VIP').length
    expect(
      await count(
        `partners p join groups g on g.id = p.group_id where g.name = 'VIP' and g.workspace_id = $1`,
        [workspace.id],
      ),
    ).toBe(vips)
    expect(await count('groups where workspace_id = $1', [workspace.id])).toBe(1)
    expect(
      await count('mails where workspace_id = $1 and partner_id is not null', [workspace.id]),
    ).toBe(0)
    const [balance] = await pool.query<{ cents: number }>(
      `select coalesce(sum(amount_cents), 0)::bigint as cents from commissions where workspace_id = $1`,
      [workspace.id],
    )
    expect(Number(balance?.cents)).toBe(owed)
    const slugs = await pool.query<{ slug: string; email: string }>(
      `select l.slug, p.email from links l join partners p on p.id = l.partner_id where l.workspace_id = $1
     union select slug, email from partners where workspace_id = $1`,
      [workspace.id],
    )
    const owners = new Map(slugs.map(({ slug, email }) => [slug, email]))
    const wanted = expected.active.flatMap(({ email, slugs: own }) =>
      own.map((slug) => ({ slug, email })),
    )
    expect(wanted.filter(({ slug, email }) => owners.get(slug) !== email)).toEqual([])

    // Links, coupons and renewals credit whom they did.
    for (const { slug, email } of wanted.filter(
      (_, n) => n % Math.ceil(wanted.length / VISITS) === 0,
    )) {
      const clickId = await merchant.click(slug, programId, slug)
      await merchant.sale({ externalId: `by-${slug}`, customerExternalId: `new-${slug}`, clickId })
      expect(await creditedTo(merchant, `by-${slug}`)).toBe(email)
    }
    const emailOf = (id: string) => expected.active.find((partner) => partner.id === id)?.email
    for (const coupon of expected.coupons.slice(0, 3)) {
      const session = checkoutSession({
        discounts: [{ coupon: null, promotion_code: coupon.externalId }],
      })
      await stripe.deliver(stripeEvent('checkout.session.completed', session))
      expect(await creditedTo(merchant, String(session.payment_intent))).toBe(
        emailOf(coupon.partnerId),
      )
    }
    for (const customer of expected.customers
      .filter(({ customerId }) => customerId !== null)
      .slice(0, 3)) {
      const renewal = oldInvoice({
        customer: customer.customerId,
        customer_email: customer.email,
        billing_reason: 'subscription_cycle',
        subscription: `sub_${customer.customerId}`,
      })
      await stripe.deliver(stripeEvent('invoice.paid', renewal))
      expect(await creditedTo(merchant, String(renewal.id))).toBe(emailOf(customer.partnerId))
    }

    // What was read is deleted when the result is closed.
    expect(await count('import_source_rows')).toBeGreaterThan(0)
    await stage.getByRole('button', { name: 'Import another file' }).click()
    await vi.waitFor(async () => expect(await count('import_sources')).toBe(0), 10_000)
    expect(await count('import_source_rows')).toBe(0)
    expect(new Set(account.requests.map(({ method }) => method))).toEqual(new Set(['GET']))
  },
  20 * MINUTES,
)

test.each(WALKS)(
  'a manager reads the commissions of a shadow run by API, at $width pixels, in $scheme colors',
  async (screen) => {
    const merchant = await createMerchant({ baseUrl: proxy.url, database })
    const { workspace, programId } = merchant
    const manager = await merchant.asManager()
    await manager.patch(`/programs/${programId}`, { mode: 'shadow' })
    const token = `secret_${newId()}`
    const account = fake.addAccount(
      'rewardful',
      token,
      oldProgram({ partners: 5, links: 5, customers: 5, commissions: 150 }),
    )
    const page = await browser.as(await merchant.manager(), screen, proxy.url)
    await page.goto(`/app/${workspace.slug}/programs/${programId}/shadow`)
    await page.getByRole('link', { name: 'Add commissions' }).click()
    const field = page.getByLabel('Token')
    const start = page.getByRole('button', { name: 'Read by API' })
    await field.fill('wrong')
    await start.click()
    await page.getByText('Rewardful does not accept this token (status 401).').waitFor()
    await inspect(page, 'shadow-source-form')

    // The token is revoked after the first page.
    account.plan(null, null, { status: 401 })
    await field.fill(token)
    await start.click()
    await page.getByText('Rewardful was not read to the end.').waitFor()
    await inspect(page, 'shadow-source-failed')
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByRole('button', { name: 'Continue reading' }).click()
    await field.fill(token)
    await start.click()
    await page.getByRole('heading', { name: 'Commissions compared' }).waitFor({ timeout: MINUTES })
    await page.getByText('150 commissions read.').waitFor()
    await inspect(page, 'shadow-source-read')
    await page.getByRole('link', { name: 'View the comparison' }).click()
    await page.getByText('150 commissions of the other platform are there').waitFor()
    expect(await count('platform_commissions where program_id = $1', [programId])).toBe(150)
    expect(
      await count('import_sources where program_id = $1 and ciphertext is null', [programId]),
    ).toBe(1)
  },
)
