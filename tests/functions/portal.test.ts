import { expect, inject, test } from 'vitest'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { browse } from '../support/pages.ts'
import { signIn } from '../support/people.ts'
import { createPartner, eventOf, takeBack } from '../support/portal.ts'

const database = useDatabase()

const portalOf = async (cookie: string | null | Promise<string>) =>
  browse(await cookie, inject('baseUrl'), '/portal')

const addKey = (workspaceId: string) =>
  database.query(
    `insert into stripe_keys (workspace_id, ciphertext, last4, stripe_account_id, livemode, created_at)
     values ($1, 'ciphertext', '1234', 'acct_merchant', false, now())`,
    [workspaceId],
  )

const addAccount = (workspaceId: string, email: string, status: string) =>
  database.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
     values (uuidv7(), $1, $2, 'DE', 'acct_ann', $3, now())`,
    [workspaceId, email, status],
  )

test('a partner sees only its own link and coupons, and none to copy where it is banned', async () => {
  const { merchant, email, workspaceId, partnerId, cookie } = await createPartner({}, 'ann & co')
  const other = await createMerchant()
  await other.seed.addPartner(other.workspace.id, other.programId, {
    slug: 'ann & co',
    email,
    status: 'banned',
  })
  await database.query(
    `insert into coupon_aliases (id, workspace_id, partner_id, coupon_id, label) values
       (gen_random_uuid(), $1, $2, 'promo_1', 'ANN20'), (gen_random_uuid(), $1, $2, 'ANN30', null)`,
    [workspaceId, partnerId],
  )
  await merchant.click('maya')
  await other.seed.addMember(other.workspace.id, 'later@other.example', 'manager')
  await other.seed.addMember(other.workspace.id, 'boss@other.example', 'manager')
  await database.query(
    `update members set created_at = now() - interval '1 day' where email like 'boss@%'`,
  )

  const { status, html, text } = await (await portalOf(cookie())).get('')
  expect(status).toBe(200)
  expect(html.match(/<code>https:\/\/shop\.example\/\?via=ann\+%26\+co<\/code>/g)).toHaveLength(1)
  expect(html.match(/data-copy=/g)).toHaveLength(1)
  expect(html).toContain('<code>ANN20</code>')
  expect(html).toContain('<code>ANN30</code>')
  expect(text.match(/your links do not work/g)).toHaveLength(1)
  expect(text).toContain('ask the merchant ( boss@other.example ).')
  expect(text).not.toContain('maya')
  expect(text.match(/Clicks 0/g)).toHaveLength(2)
})

test('a partner reads what its sales and its leads earn, unless another platform pays', async () => {
  const { merchant, workspaceId, partnerId, cookie } = await createPartner()
  const groupId = await merchant.seed.addGroup(workspaceId, merchant.programId, {
    leadReward: { amountCents: 500n, currency: 'EUR' },
  })
  await database.query('update partners set group_id = $2 where id = $1', [partnerId, groupId])
  const portal = await portalOf(cookie())
  expect((await portal.get('')).text).toContain('Your reward 20% of each sale €5.00 for each lead')
  await database.query(`update programs set mode = 'shadow', shadow_since = now() where id = $1`, [
    merchant.programId,
  ])
  expect((await portal.get('')).text).not.toContain('Your reward')
})

test('clicks, leads, sales and earnings are counted by day, each currency on its own', async () => {
  const { merchant, partnerId, cookie } = await createPartner()
  const clickId = await merchant.click('ann')
  await merchant.click('ann')
  await merchant.lead({ externalId: 'user_1', clickId })
  const first = eventOf(await merchant.sale({ externalId: 'inv_1', clickId }))
  await merchant.sale({ externalId: 'inv_2', clickId, amountCents: 1_000, currency: 'JPY' })
  await takeBack(database, first, 480)
  await database.query(
    `update clicks set created_at = created_at - interval '40 days'
     where partner_id = $1 and id <> $2`,
    [partnerId, clickId],
  )

  const portal = await portalOf(cookie())
  const { text, html } = await portal.get('')
  expect(text).toContain('Clicks 1 ')
  expect(text).toContain('Leads 1 ')
  expect(text).toContain('Sales 2 ')
  expect(text).toContain('Earned in USD 5.00 USD')
  expect(text).toContain('Earned in JPY 200 JPY')
  expect(text).toContain('Pending 5.00 USD Payable 0.00 USD Processing 0.00 USD Paid 0.00 USD')
  expect(html.match(/<th scope="row">/g)).toHaveLength(30)
  expect(html).toContain('aria-label="Bar chart by day. The highest value is 5.00 USD, on ')

  const quarter = await portal.get('?days=90')
  expect(quarter.text).toContain('Clicks 2 ')
  expect(quarter.html.match(/<th scope="row">/g)).toHaveLength(90)
  const year = await portal.get('?days=365')
  expect(year.text).toContain('Show data by month')
  expect(year.html.match(/<th scope="row">/g)).toHaveLength(12)
  const odd = await portal.get('?days=1e9')
  expect(odd.html.match(/<th scope="row">/g)).toHaveLength(30)
})

test('a refund after payment shows a negative balance with an explanation', async () => {
  const { merchant, cookie } = await createPartner({ program: { holding_days: 0 } })
  const clickId = await merchant.click('ann')
  const eventId = eventOf(await merchant.sale({ clickId }))
  await takeBack(database, eventId, 980)
  await takeBack(database, eventId, 20)
  const { text } = await (await portalOf(cookie())).get('')
  expect(text).toContain('Payable -$0.20')
  expect(text).toContain('deducted from your future earnings')
})

test.each([
  {
    case: 'without a key, but with bank transfers, there is nothing to connect',
    key: false,
    manualPayouts: true,
    account: null,
    says: 'pays by bank transfer, outside Stripe',
  },
  {
    case: 'without a key or bank transfers, nobody can be paid yet',
    key: false,
    account: null,
    says: 'has not set up payouts yet',
  },
  {
    case: 'with a key, one is asked to',
    key: true,
    account: null,
    says: 'Connect an account to be paid',
  },
  { case: 'half-way, one can go on', key: true, account: 'onboarding', says: 'Continue setup' },
  {
    case: 'an account is shown even after the key is gone',
    key: false,
    account: 'enabled',
    says: 'connected',
  },
])('$case', async ({ key, manualPayouts = false, account, says }) => {
  const { merchant, email, workspaceId, cookie } = await createPartner({ manualPayouts })
  // One account serves both programs, so it is spoken of once.
  const second = await merchant.seed.addProgram(workspaceId)
  await merchant.seed.addPartner(workspaceId, second, { slug: 'ann', email })
  if (key) await addKey(workspaceId)
  if (account) await addAccount(workspaceId, email, account)
  const { text } = await (await portalOf(cookie())).get('')
  expect(text.split(says)).toHaveLength(2)
})

test('a banned partner is not asked to connect', async () => {
  const { workspaceId, cookie } = await createPartner({}, 'ann', 'banned')
  await addKey(workspaceId)
  expect((await (await portalOf(cookie())).get('')).text).not.toContain('Connect')
})

test('the payable sum covers all programs of the workspace', async () => {
  const { merchant, email, workspaceId, cookie } = await createPartner({
    program: { holding_days: 0 },
  })
  await addKey(workspaceId)
  const second = await merchant.seed.addProgram(workspaceId, { holding_days: 0 })
  await merchant.seed.addPartner(workspaceId, second, { slug: 'ann', email })
  await merchant.sale({ externalId: 'inv_1', clickId: await merchant.click('ann') })
  await merchant.sale({ externalId: 'inv_2', clickId: await merchant.click('ann', second) })
  expect((await (await portalOf(cookie())).get('')).text).toContain('$19.60 is payable to you.')
})

test('the payable sum excludes programs in which the partner is banned', async () => {
  const { merchant, email, workspaceId, partnerId, cookie } = await createPartner({
    program: { holding_days: 0 },
  })
  await addKey(workspaceId)
  const second = await merchant.seed.addProgram(workspaceId, { holding_days: 0 })
  await merchant.seed.addPartner(workspaceId, second, { slug: 'ann', email })
  await merchant.sale({ externalId: 'inv_1', clickId: await merchant.click('ann') })
  await database.query(`update partners set status = 'banned' where id = $1`, [partnerId])
  const { text } = await (await portalOf(cookie())).get('')
  expect(text).toContain('Payable $9.80')
  expect(text).toContain('No payouts are made while you are not active in this program')
  expect(text).toContain('Connect an account to be paid')
  expect(text).not.toContain('is payable to you')
})

test.each([
  {
    case: 'whenever the merchant decides',
    terms: {},
    says: /paid when the merchant makes the next payout\./,
  },
  {
    case: 'on the first of the next month',
    terms: { payout_schedule: 'monthly' as const },
    says: /next payout, on 1 [A-Z][a-z]+ 20\d\d \(UTC\) ?\./,
  },
  {
    case: 'not before there is enough for the program to pay',
    terms: { minimum_payout_cents: 5_000 },
    says: /This program pays once \$50\.00 or more are due to you\. Smaller balances are carried forward\./,
  },
])('what is payable is paid $case', async ({ terms, says }) => {
  const { merchant, workspaceId, cookie } = await createPartner({
    program: { holding_days: 0, ...terms },
  })
  await addKey(workspaceId)
  await merchant.sale({ clickId: await merchant.click('ann') })
  expect((await (await portalOf(cookie())).get('')).text).toMatch(says)
})

test('a minimum of the program is met by what is due in all programs, or replaced by the partner’s own', async () => {
  const terms = { holding_days: 0, minimum_payout_cents: 1_000 }
  const { merchant, email, workspaceId, partnerId, cookie } = await createPartner({
    program: terms,
  })
  const other = await merchant.seed.addProgram(workspaceId, terms)
  await merchant.seed.addPartner(workspaceId, other, { slug: 'ann-two', email })
  await merchant.sale({ clickId: await merchant.click('ann') })
  const portal = await portalOf(cookie())
  const hint = 'This program pays once'
  expect((await portal.get('')).text).toContain(`${hint} $10.00 or more`)
  await database.query('update partners set minimum_payout_cents = 980 where id = $1', [partnerId])
  expect((await portal.get('')).text).not.toContain(hint)
  await database.query('update partners set minimum_payout_cents = null where id = $1', [partnerId])
  await merchant.sale({ externalId: 'inv_2', clickId: await merchant.click('ann-two', other) })
  expect((await portal.get('')).text).not.toContain(hint)
})

test('a schedule is ignored in a workspace without Stripe', async () => {
  const { merchant, cookie } = await createPartner({ program: { payout_schedule: 'weekly' } })
  await merchant.sale({ clickId: await merchant.click('ann') })
  expect((await (await portalOf(cookie())).get('')).text).toContain(
    'when the merchant makes the next payout',
  )
})

test('the notice after returning from Stripe is one of ours', async () => {
  const portal = await portalOf((await createPartner()).cookie())
  expect((await portal.get('?connect=enabled')).text).toContain(
    'Account connected. You can be paid.',
  )
  expect((await portal.get('?connect=<b>you+won')).html).not.toContain('you won')
})

test('a partner who is banned still sees its history', async () => {
  const { merchant, partnerId, cookie } = await createPartner()
  const clickId = await merchant.click('ann')
  const eventId = eventOf(await merchant.sale({ clickId }))
  await database.query(`update partners set status = 'banned' where id = $1`, [partnerId])
  const portal = await portalOf(cookie())
  expect((await portal.get('')).text).toContain('Sales 1 ')
  expect((await portal.get('/commissions')).text).toContain('$9.80')
  expect((await portal.get(`/events/${eventId}`)).status).toBe(200)
})

test('every page says to a user who is not a partner that they are none', async () => {
  const email = `nobody@${crypto.randomUUID()}.example`
  const portal = await portalOf(signIn(email))
  for (const path of ['', '/links']) {
    const { text, html } = await portal.get(path)
    expect(text).toContain(`${email} is not a partner of any program`)
    expect(text).toContain('sign out, and sign in with that one')
    expect(text).toContain('open the merchant’s page for partners, and choose “Apply”')
    expect(html).toContain('<a href="/app">your workspaces</a>')
  }
  expect((await portal.get('/commissions')).text).toContain(
    'No commissions yet. Share your link to earn the first one.',
  )
  expect((await portal.get('/events')).text).toContain('No sales or leads yet.')
  expect((await portal.get('/payouts')).text).toContain('No payouts yet.')
})

test.each(['', '/commissions', '/events', '/payouts', '/nothing'])(
  '/portal%s redirects to sign in, and back',
  async (path) => {
    const { status, location } = await (await portalOf(null)).get(path)
    expect({ status, location }).toEqual({
      status: 303,
      location: `/sign-in?next=${encodeURIComponent(`/portal${path}`)}`,
    })
  },
)

test.each([
  { referer: '/portal?days=90', next: '/portal?days=90' },
  { referer: undefined, next: '/portal/connect' },
  { referer: 'https://evil.example/portal', next: '/portal/connect' },
  { referer: 'no address', next: '/portal/connect' },
])(
  'after a session expires, sign-in returns to the form, from $referer',
  async ({ referer, next }) => {
    const { post } = await portalOf(null)
    const from = referer?.startsWith('/') ? inject('baseUrl') + referer : referer
    expect(await post('/connect', { country: 'DE' }, from ? { Referer: from } : {})).toMatchObject({
      status: 303,
      location: `/sign-in?next=${encodeURIComponent(next)}`,
    })
  },
)

test('an unknown path gives an error page that links to the portal', async () => {
  const { status, html } = await (await portalOf(signIn(`a@${crypto.randomUUID()}.example`))).get(
    '/nothing',
  )
  expect(status).toBe(404)
  expect(html).toContain('<title>Error: Not found · ')
  expect(html).toContain('<a href="/portal">Go to the partner portal</a>')
})
