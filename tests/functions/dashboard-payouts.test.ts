import { describe, expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { addApprover } from '../support/approvers.ts'
import { importer } from '../support/imports.ts'
import { useDatabase } from '../support/merchant.ts'
import { browse, fieldsOf, openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'
import { createOwing, lookAtLedger, type Owing } from '../support/runs.ts'
import { SECRETS_KEY, stripeKey } from '../support/secrets.ts'

const database = useDatabase()

/** The pages of a merchant who owes something, as its manager sees them. */
const createPages = async (...owing: Parameters<typeof createOwing>) => {
  const merchant = await createOwing(...owing)
  return { merchant, pages: await openPages(merchant), slug: merchant.workspace.slug }
}

const idOf = (location: string | null) =>
  /\/payouts\/runs\/([0-9a-f-]{36})\?done=(?:created|started|completed)$/.exec(location ?? '')?.[1]

/** The fields of the button that starts the run. */
const fieldsOfPay = (html: string): Record<string, string> => {
  const [, form = ''] =
    /<form method="post" action="[^"]*\/payouts\/new">(.*?)<\/form>/s.exec(html) ?? []
  return fieldsOf(`<form>${form}`)
}

test('the payouts page counts the partners in countries that Stripe does not transfer to, apart from those who have not connected', async () => {
  const merchant = await createOwing()
  const { id } = merchant.workspace
  await merchant.seed.addStripeKey(id, stripeKey(), 'acct_shop', SECRETS_KEY)
  const manager = await merchant.asManager()
  const pages = await openPages(merchant)
  await database.query(
    `update stripe_keys set transfer_countries = '{AT,DE}' where workspace_id = $1`,
    [id],
  )
  await database.query(
    `insert into unreachable_people (workspace_id, email, country, noted_at)
     select workspace_id, email, 'KE', now() from partners where workspace_id = $1 and slug in ('leo', 'maya')`,
    [id],
  )
  await database.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
     select gen_random_uuid(), workspace_id, email, case slug when 'maya' then 'AT' else 'NG' end, 'acct_' || slug, 'enabled', now() - interval '4 days'
     from partners where workspace_id = $1 and slug in ('ann', 'maya')`,
    [id],
  )
  const elsewhere =
    '2 partners are in a country that your Stripe account cannot transfer to: Kenya (1), Nigeria (1).'
  const { text } = await pages.get('/payouts')
  expect(text).toContain(`${elsewhere} Pay them with a run by bank transfer.`)
  expect(text).not.toContain('have not connected a Stripe account, or')
  expect(text).not.toContain('has not connected a Stripe account, or')
  await manager.patch('/settings', { manualPayouts: false })
  expect((await pages.get('/payouts')).text).toContain(
    `${elsewhere} To pay them, turn on bank transfers`,
  )

  const { data } = (await manager.get('/balances?code=country_not_supported')).body as unknown as {
    data: object[]
  }
  expect(data).toMatchObject([
    { amountCents: 5_050, code: 'country_not_supported' },
    { amountCents: 812_000, code: 'country_not_supported' },
  ])
  expect((await manager.get('/balances?code=partner_banned')).body).toEqual({
    data: [],
    nextCursor: null,
  })
  await database.query(
    `update partners set status = 'banned' where workspace_id = $1 and slug = 'leo'`,
    [id],
  )
  expect((await pages.get('/payouts')).text).toContain('1 partner is in a country')
})

test('a manager previews a bank transfer run, marks it as paid, as unpaid and as paid, and confirms it', async () => {
  const { merchant, pages } = await createPages()
  const owed = await pages.get('/payouts')
  expect(owed.text).toContain('USD $8,170.50 $0.00 $0.00 $0.00')
  expect(owed.text).not.toContain('Stripe account, or')

  const preview = await pages.get('/payouts/new?method=manual&programId=')
  expect(preview.text).toContain('$8,170.50 to 2 partners.')
  expect(preview.text).toContain('Leo Okafor $8,120.00')
  expect(await lookAtLedger(database, merchant)).toEqual({ payable: 817_050, violations: [] })

  const begun = await pages.post('/payouts/new', { method: 'manual' })
  const id = idOf(begun.location)
  expect([begun.status, id]).toEqual([303, expect.any(String)])
  expect(await lookAtLedger(database, merchant)).toEqual({ processing: 817_050, violations: [] })

  const path = `/payouts/runs/${id}`
  expect(begun.location).toMatch(/done=created$/)
  const shown = await pages.get(`${path}?done=created`)
  expect(shown.text).toContain('Payout run created. No money was sent')
  expect(shown.text).toContain('0 of 2 payouts paid')
  const [reference = ''] = /PO-\d{6}/.exec(shown.text) ?? []
  expect((await pages.get(`/search?q=${reference.toLowerCase()}`)).location).toBe(
    `/app/${merchant.workspace.slug}${path}`,
  )
  expect(shown.html).toContain(
    `/api/workspaces/${merchant.workspace.slug}/payout-runs/${id}/export`,
  )
  for (const status of ['paid', 'processing', 'paid', 'confirmed']) {
    expect(await pages.post(path, { status })).toMatchObject({
      status: 303,
      location: `/app/${merchant.workspace.slug}${path}?done=${status}`,
    })
  }
  const confirmed = await pages.get(`${path}?done=confirmed`)
  expect(confirmed.text).toContain('2 of 2 payouts paid')
  expect(confirmed.text).toContain('The partners are notified by email')
  expect(confirmed.html).not.toContain('name="status"')
  expect(await lookAtLedger(database, merchant)).toEqual({ paid: 817_050, violations: [] })
  expect((await pages.get('/payouts')).text).toContain('2 of 2 payouts paid')
})

test('a double click pays once', async () => {
  const { merchant, pages, slug } = await createPages()
  const clicks = await Promise.all([
    pages.post('/payouts/new', { method: 'manual' }),
    pages.post('/payouts/new', { method: 'manual' }),
  ])
  expect(clicks.map(({ status }) => status)).toEqual([303, 303])
  expect(clicks.filter(({ location }) => idOf(location))).toHaveLength(1)
  expect(clicks.map(({ location }) => location)).toContain(`/app/${slug}/payouts?done=none_due`)
  expect(await lookAtLedger(database, merchant)).toEqual({ processing: 817_050, violations: [] })
  const { text } = await pages.get('/payouts?done=none_due')
  expect(text).toContain('No payouts were due')
  expect(text).toContain('0 of 2 payouts paid')
})

test('a canceled run makes its commissions payable again', async () => {
  const { merchant, pages } = await createPages()
  const id = await merchant.begin()
  await pages.post(`/payouts/runs/${id}`, { status: 'canceled' })
  const { text, html } = await pages.get(`/payouts/runs/${id}`)
  expect(text).toContain('0 of 2 payouts paid, 2 canceled')
  expect(text).toContain('commissions are payable again')
  expect(html).not.toContain('/export')
  expect(await lookAtLedger(database, merchant)).toEqual({ payable: 817_050, violations: [] })

  const refused = await pages.post(`/payouts/runs/${id}`, { status: 'paid' })
  expect(refused.status).toBe(409)
  expect(refused.text).toContain('start another run')
})

test('without a Stripe key, a Stripe payout is refused with a reason', async () => {
  const { pages } = await createPages()
  expect((await pages.get('/payouts')).text).toContain('To pay with Stripe, add a key')
  const preview = await pages.get('/payouts/new?method=stripe')
  expect(preview.text).toContain('No payouts are due.')
  expect(preview.text).toContain('Leo Okafor $8,120.00 Has not connected a Stripe account.')
  expect(preview.text).toContain('To pay with Stripe, add a key')
  expect(preview.html).not.toContain('method="post" action="/app/')
  const refused = await pages.post('/payouts/new', { method: 'stripe' })
  expect(refused.status).toBe(409)
  expect(refused.text).toContain('has no Stripe key')
})

test('without the setting, no page offers a bank transfer, and a form that asks for one is refused', async () => {
  const { merchant, pages, slug } = await createPages(undefined, { manualPayouts: false })
  const list = await pages.get('/payouts')
  expect(list.html).not.toContain('Bank transfer (CSV file)')
  expect(list.text).toContain('To pay by bank transfer, turn it on in the settings first.')
  expect(list.html).toContain(`href="/app/${slug}/settings"`)

  const preview = await pages.get('/payouts/new?method=manual')
  expect(preview.text).toContain('Leo Okafor $8,120.00')
  expect(preview.text).toContain('turn it on in the settings')
  expect(preview.html).not.toContain('method="post" action="/app/')
  const refused = await pages.post('/payouts/new', { method: 'manual' })
  expect(refused.status).toBe(409)
  expect(refused.text).toContain('Bank transfers are turned off in this workspace.')
  expect(await lookAtLedger(database, merchant)).toEqual({ payable: 817_050, violations: [] })
})

test.each([['paid', 'confirmed'], ['canceled']] as const)(
  'a bank transfer run that exists is marked as %s, whatever the setting is by then',
  async (...statuses) => {
    const { merchant, pages } = await createPages(undefined, { manualPayouts: false })
    const id = await merchant.begin()
    for (const status of statuses) {
      expect((await pages.post(`/payouts/runs/${id}`, { status })).status).toBe(303)
    }
    expect((await pages.get(`/payouts/runs/${id}`)).text).toContain(statuses.at(-1))
  },
)

test('a run without connected partners emails each of them once', async () => {
  const { merchant, pages, slug } = await createPages()
  await merchant.seed.addStripeKey(merchant.workspace.id, stripeKey(), 'acct_merchant', SECRETS_KEY)
  const preview = await pages.get('/payouts/new?method=stripe')
  expect(preview.text).toContain('No payouts are due.')
  expect(preview.text).toContain('Email partners to connect')
  for (const _ of ['once', 'and again']) {
    const response = await pages.post('/payouts/new', { method: 'stripe' })
    expect(response).toMatchObject({ status: 303, location: `/app/${slug}/payouts?done=notified` })
    const mails = await database.query<{ kind: string }>(
      'select kind from mails where workspace_id = $1 and partner_id is not null',
      [merchant.workspace.id],
    )
    expect(mails).toEqual([{ kind: 'connect_account' }, { kind: 'connect_account' }])
  }
  expect((await pages.get('/payouts?done=notified')).text).toContain(
    'Partners without a connected account are emailed once.',
  )
  expect(await lookAtLedger(database, merchant)).toEqual({ payable: 817_050, violations: [] })
})

test('the payouts page counts those whom a run by Stripe would skip for their accounts, and not who is paid otherwise, or nothing', async () => {
  const { merchant, pages } = await createPages()
  const { id: workspaceId } = merchant.workspace
  await merchant.seed.addStripeKey(workspaceId, stripeKey(), 'acct_merchant', SECRETS_KEY)
  const unconnected = async (): Promise<number> => {
    const { text } = await pages.get('/payouts')
    return Number(
      /(\d+) partners? with earnings due (?:has|have) not connected/.exec(text)?.[1] ?? 0,
    )
  }
  expect(await unconnected()).toBe(2)

  await database.query('update workspaces set paypal_payouts = true where id = $1', [workspaceId])
  await database.query(
    `insert into payment_details (id, workspace_id, email, method, ciphertext, masked, created_at, effective_at)
     select gen_random_uuid(), workspace_id, email, 'paypal', 'x', 'x', now() - interval '4 days', now() - interval '1 day'
     from partners where workspace_id = $1 and slug = 'leo'`,
    [workspaceId],
  )
  expect(await unconnected()).toBe(1)
  await database.query(
    "update programs set mode = 'shadow', shadow_since = now() where workspace_id = $1",
    [workspaceId],
  )
  expect(await unconnected()).toBe(0)
})

test('the payouts page and the partner’s page say what is the matter with an account', async () => {
  const { merchant, pages } = await createPages()
  const { id: workspaceId } = merchant.workspace
  await database.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, checked_at, created_at)
     select gen_random_uuid(), workspace_id, email, 'DE', 'acct_' || slug, case slug when 'leo' then 'in_review' else 'restricted' end,
            '2026-11-01T10:00:00Z', now() - interval '4 days'
     from partners where workspace_id = $1`,
    [workspaceId],
  )
  const preview = await pages.get('/payouts/new?method=stripe')
  expect(preview.text).toContain('Leo Okafor $8,120.00 Stripe is reviewing the partner’s account.')
  expect(preview.text).toContain('Ann $50.50 Stripe needs more information from the partner')
  const [leo] = await database.query<{ id: string }>(
    `select id from partners where workspace_id = $1 and slug = 'leo'`,
    [workspaceId],
  )
  expect((await pages.get(`/partners/${leo?.id}`)).text).toMatch(
    /In review by Stripe .*acct_leo .*read at 2026-11-01/,
  )

  expect((await pages.get('/payouts')).text).not.toContain('with earnings due')
  await merchant.seed.addStripeKey(workspaceId, stripeKey(), 'acct_merchant', SECRETS_KEY)
  const { text } = await pages.get('/payouts')
  expect(text).toContain('1 partner with earnings due is in review by Stripe.')
  expect(text).toContain('1 partner with earnings due has to give Stripe more information.')
  expect(text).not.toContain('not connected')

  // The key cannot be decrypted, as after a loss of SECRETS_KEY.
  await database.query(`update stripe_keys set ciphertext = 'x' where workspace_id = $1`, [
    workspaceId,
  ])
  await database.query(
    `update payout_accounts set status = 'enabled' where workspace_id = $1 and stripe_account_id = 'acct_ann'`,
    [workspaceId],
  )
  const unread = await pages.get('/payouts/new?method=stripe')
  expect(unread.text).toContain(
    'Stripe did not report your balance, so it is not known what it covers.',
  )
  expect(unread.text).toContain('Stripe did not report on all accounts')
})

test('what one partner owes is not deducted from what others are paid: 10.00 were shown, and 30.00 paid', async () => {
  const { merchant, pages, slug } = await createPages()
  await merchant.seed.addStripeKey(merchant.workspace.id, stripeKey(), 'acct_merchant', SECRETS_KEY)
  const manager = await merchant.asManager()
  const partners = await database.query<{ id: string; slug: string }>(
    'select id, slug from partners where workspace_id = $1',
    [merchant.workspace.id],
  )
  const idOf = (name: string) => partners.find((partner) => partner.slug === name)?.id
  const adjust = (name: string, amountCents: number) =>
    manager.post('/commissions', {
      externalId: `${name} ${amountCents}`,
      partnerId: idOf(name),
      amountCents,
      currency: 'USD',
      reason: 'Correction',
    })
  await database.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
     select gen_random_uuid(), workspace_id, email, 'DE', 'acct_' || slug, 'enabled', now() - interval '4 days'
     from partners where workspace_id = $1 and slug in ('leo', 'ann')`,
    [merchant.workspace.id],
  )
  await adjust('leo', -815_000)
  const held = await adjust('ann', 700)
  await manager.post(`/commissions/${held.body.id}/hold`, { note: 'Is it ours to pay?' })
  await adjust('maya', 4_000)

  const { text } = await pages.get('/payouts')
  expect(text).toContain(
    'Payable Blocked Owed back Pending Processing Paid USD $50.50 $47.00 $30.00 $0.00',
  )
  expect(text).toMatch(/Reversals and deductions exceed earnings\. [^.]*\. 1 -\$30\.00/)
  expect(text).toMatch(
    /Has not connected a Stripe account[^.]*\. [^.]*\. 1 \$40\.00 Held for review\. \$7\.00/,
  )
  const overview = await pages.get('')
  expect(overview.text).toMatch(/\$50\.50 Payable/)
  expect(overview.text).toContain('$40.00 is due to partners who can’t be paid yet')
  expect(overview.text).toContain('$30.00 is owed back by partners')
  expect((await pages.get('/payouts/new?method=stripe')).text).toContain('$50.50 to 1 partner.')

  const list = (await manager.get('/balances?owed=true')).body
  expect(list).toEqual({
    data: [
      {
        partnerId: idOf('leo'),
        currency: 'USD',
        amountCents: -3_000,
        code: 'negative_balance',
        owedSince: expect.any(String),
      },
    ],
    nextCursor: null,
  })
  const first = (await manager.get('/balances?limit=1')).body as {
    data: unknown[]
    nextCursor: string
  }
  const rest = (await manager.get(`/balances?limit=2&cursor=${first.nextCursor}`)).body
  expect([first.data, rest]).toMatchObject([
    [{ amountCents: 5_050, code: null, owedSince: null }],
    {
      data: [{ amountCents: -3_000 }, { amountCents: 4_000, code: 'not_connected' }],
      nextCursor: null,
    },
  ])
  expect((await merchant.get('/balances')).status).toBe(200)
  expect((await manager.get('/balances?owed=perhaps')).status).toBe(400)

  const owing = await pages.get('/payouts/owed')
  expect(owing.text).toMatch(
    /Partner Owed Since Action Leo Okafor \$30\.00 20[-\d]+ [:\d]+ UTC Write off \$30\.00/,
  )
  const button = fieldsOf(owing.html)
  expect((await (await openPages(merchant, 'member')).get('/payouts/owed')).html).not.toContain(
    'Write off',
  )
  expect((await (await openPages(merchant, 'member')).post('/payouts/owed', button)).status).toBe(
    403,
  )
  const wrong = await pages.post('/payouts/owed', { ...button, amountCents: '2999' })
  expect([wrong.status, wrong.text.includes('The balance has changed since you saw it')]).toEqual([
    409,
    true,
  ])
  expect(await pages.post('/payouts/owed', button)).toMatchObject({
    status: 303,
    location: `/app/${slug}/payouts/owed?done=written_off`,
  })
  expect((await pages.get('/payouts/owed')).text).toContain('No partner owes anything.')
  expect((await pages.get('/audit')).text).toContain(
    'adjusted the earnings of “leo” by $30.00: Negative balance written off',
  )
})

describe('the button of a preview', () => {
  const reinstate = (merchant: Owing, status: string) =>
    database.query(`update partners set status = $2 where workspace_id = $1 and slug = 'leo'`, [
      merchant.workspace.id,
      status,
    ])

  test('pays what it shows: an import in between is left to the next run', async () => {
    const { merchant, pages } = await createPages()
    const preview = await pages.get('/payouts/new?method=manual')
    expect(preview.text).toContain('What becomes payable later is left to the next run.')
    const form = fieldsOfPay(preview.html)
    await new Promise((resume) => setTimeout(resume, 2))
    const imports = await importer(merchant)
    const late = { email: 'late@partner.example', slug: 'late', openingBalanceCents: 10_000_000 }
    await imports.partners([late], { importOpeningBalances: true })
    const begun = await pages.post('/payouts/new', form)
    expect(begun.status).toBe(303)
    const run = await pages.get(`/payouts/runs/${idOf(begun.location)}`)
    expect(run.text).toMatch(/Total \$8,170\.50 At most \$8,170\.50/)
    expect(await lookAtLedger(database, merchant)).toEqual({
      payable: 10_000_000,
      processing: 817_050,
      violations: [],
    })
  })

  test('pays nobody and shows the new preview if it would pay more than it shows', async () => {
    const { merchant, pages } = await createPages()
    await reinstate(merchant, 'banned')
    const shown = await pages.get('/payouts/new?method=manual')
    await reinstate(merchant, 'approved')
    const refused = await pages.post('/payouts/new', fieldsOfPay(shown.html))
    expect(refused.status).toBe(409)
    expect(refused.text).toContain(
      'The payouts have changed since you saw them, so nothing was paid. They were 50.50 USD in 1 payout, and are 8,170.50 USD in 2 payouts now.',
    )
    expect(await lookAtLedger(database, merchant)).toEqual({ payable: 817_050, violations: [] })
    const again = await pages.post('/payouts/new', fieldsOfPay(refused.html))
    expect([again.status, idOf(again.location)]).toEqual([303, expect.any(String)])

    const manager = await merchant.asManager()
    const stale = await manager.post('/payouts/run', { method: 'manual', dryRun: true })
    await reinstate(merchant, 'banned')
    const none = await manager.post('/payouts/run', {
      method: 'manual',
      expected: stale.body.totals,
    })
    expect(none.body).toMatchObject({ payouts: [], totals: [] })
  })

  test('by the API, more than expected is 409 with the preview', async () => {
    const { merchant } = await createPages()
    const manager = await merchant.asManager()
    const run = await manager.post('/payouts/run', {
      method: 'manual',
      expected: [{ currency: 'USD', amountCents: 817_049, count: 2 }],
    })
    expect(run).toMatchObject({
      status: 409,
      body: {
        error: { code: 'preview_changed' },
        preview: { runId: null, totals: [{ currency: 'USD', amountCents: 817_050, count: 2 }] },
      },
    })
    for (const body of [
      { expected: [{ currency: 'usd', amountCents: -1, count: 0 }] },
      { expected: {} },
      { previewedAt: 'yesterday' },
      { excludePartnerIds: ['maya'] },
      { maxAmountCents: { USDX: 1 } },
      { maxAmountCents: { USD: 0.5 } },
    ]) {
      expect((await manager.post('/payouts/run', { method: 'manual', ...body })).status).toBe(400)
    }
    expect(await lookAtLedger(database, merchant)).toEqual({ payable: 817_050, violations: [] })
  })

  test('leaves out the selected partners and commissions, and keeps to the maximum', async () => {
    const { merchant, pages } = await createPages()
    const rows = await database.query<{ id: string; partner_id: string; slug: string }>(
      `select c.id, c.partner_id, p.slug from commissions c join partners p on p.id = c.partner_id
       where c.workspace_id = $1`,
      [merchant.workspace.id],
    )
    const leo = rows.find(({ slug }) => slug === 'leo')
    const ann = rows.find(({ slug }) => slug === 'ann')
    const without = await pages.get(
      `/payouts/new?method=manual&exclude=${leo?.partner_id}&max-USD=&commissions=`,
    )
    expect(without.text).toContain('$50.50 to 1 partner.')
    expect(without.text).toContain('Leo Okafor $8,120.00 Left out of this run.')
    const capped = await pages.get('/payouts/new?method=manual&max-USD=1,000.00')
    expect(capped.text).toContain('Leo Okafor $8,120.00 Above the maximum of this run.')
    const wrong = await pages.get('/payouts/new?method=manual&max-USD=lots')
    expect(wrong.status).toBe(400)
    const begun = await pages.post(
      '/payouts/new',
      fieldsOfPay((await pages.get(`/payouts/new?method=manual&commissions=${ann?.id}`)).html),
    )
    expect((await pages.get(`/payouts/runs/${idOf(begun.location)}`)).text).toContain(
      'Total $8,120.00',
    )
    expect(await lookAtLedger(database, merchant)).toEqual({
      payable: 5_050,
      processing: 812_000,
      violations: [],
    })
  })
})

test('a run above the sum of the settings waits for another manager’s approval', async () => {
  const { merchant, pages, slug } = await createPages()
  const settings = (sum: string) =>
    pages.post('/settings', {
      manualPayouts: 'on',
      payoutOrder: 'smallest_first',
      salesFrom: 'both',
      mode: 'live',
      approvalAboveCents: sum,
    })
  expect((await settings('many')).status).toBe(400)
  expect((await settings('8000.00')).status).toBe(303)
  expect((await pages.get('/settings')).html).toMatch(
    /name="approvalAboveCents"[^>]*|value="8000.00"/,
  )
  expect((await pages.get('/audit')).text).toContain(
    'approval of payout runs above from none to 800000',
  )

  const preview = await pages.get('/payouts/new?method=manual')
  const begun = await pages.post('/payouts/new', fieldsOfPay(preview.html))
  const [, id] = /runs\/([0-9a-f-]+)\?done=awaiting$/.exec(begun.location ?? '') ?? []
  const path = `/payouts/runs/${id}`
  const own = await pages.get(`${path}?done=awaiting`)
  expect(own.text).toContain('Nothing is paid yet: another manager has to approve this run.')
  expect(own.text).toContain('You started it, so you can only decline it.')
  expect(own.text).toContain('It would pay $8,170.50 now: Payouts to approve Partner Amount')
  expect(own.html).not.toContain('Approve run')
  expect((await pages.post(`${path}/approve`, {})).status).toBe(409)

  const email = `second@${slug}.example`
  await addApprover(database.query, merchant.workspace.id, email)
  const second = browse(await openSession(email))
  expect((await second.get(`/${slug}${path}`)).html).toContain('Approve run')
  const reader = await openPages(merchant, 'member')
  expect((await reader.post(`${path}/approve`, {})).status).toBe(403)
  const approved = await second.post(`/${slug}${path}/approve`, {})
  expect(approved).toMatchObject({ status: 303, location: `/app/${slug}${path}?done=approve` })
  const manager = await merchant.asManager()
  expect((await manager.get(`/payout-runs/${id}`)).body).toMatchObject({
    needsApproval: true,
    approvedBy: email,
    expected: [{ currency: 'USD', amountCents: 817_050, count: 2 }],
  })
  expect((await manager.post(`/payout-runs/${id}/decline`)).status).toBe(409)
  expect((await pages.get('/audit')).text).toContain('approved a payout run')

  const next = await manager.post('/payouts/run', { method: 'manual' })
  const declined = await manager.post(`/payout-runs/${next.body.runId}/decline`)
  expect([next.body.status, declined.body.status]).toEqual(['awaiting_approval', 'declined'])
  expect((await manager.post(`/payout-runs/${next.body.runId}/approve`)).status).toBe(409)
})

describe('skipped partners', () => {
  test.each([
    { case: 'is banned', change: `update partners set status = 'banned'`, words: 'Banned.' },
    {
      case: 'is below the minimum',
      change: 'update programs set minimum_payout_cents = 9900000000',
      words: 'Below the program’s minimum payout.',
    },
  ])('because it $case', async ({ change, words }) => {
    const { merchant, pages } = await createPages()
    await database.query(`${change} where workspace_id = $1`, [merchant.workspace.id])
    const { text } = await pages.get('/payouts/new?method=manual')
    expect(text).toContain(`Leo Okafor $8,120.00 ${words}`)
    expect(text).toContain('No payouts are due.')
  })
})

test.each([
  { fields: { method: 'cash' }, status: 400 },
  { fields: { method: 'manual', programId: 'x' }, status: 404 },
  { fields: { method: 'manual', programId: newId() }, status: 404 },
])('$fields returns $status, for preview and run', async ({ fields, status }) => {
  const { merchant, pages } = await createPages()
  expect((await pages.get(`/payouts/new?${new URLSearchParams(fields)}`)).status).toBe(status)
  expect((await pages.post('/payouts/new', fields)).status).toBe(status)
  expect(await lookAtLedger(database, merchant)).toEqual({ payable: 817_050, violations: [] })
})

test('one program is paid alone', async () => {
  const { merchant, pages } = await createPages()
  const other = await merchant.seed.addProgram(merchant.workspace.id, { name: 'Winter' })
  expect((await pages.get('/payouts')).html).toContain(`<option value="${other}">Winter</option>`)
  const preview = await pages.get(`/payouts/new?method=manual&programId=${other}`)
  expect(preview.text).toMatch(/No payouts are due in Winter ?\./)
  const paid = await pages.post('/payouts/new', { method: 'manual', programId: merchant.programId })
  const { text } = await pages.get(`/payouts/runs/${idOf(paid.location)}`)
  expect(text).toContain('Program A program')
})

test('a member has read-only access', async () => {
  const { merchant } = await createPages()
  const pages = await openPages(merchant, 'member')
  const id = await merchant.begin()
  const list = await pages.get('/payouts')
  expect(list.text).toContain('0 of 2 payouts paid')
  expect(list.text).not.toContain('Preview payouts')
  const run = await pages.get(`/payouts/runs/${id}`)
  expect(run.text).toContain('Leo Okafor')
  expect(run.html).not.toContain('name="status"')
  expect((await pages.get('/payouts/all')).status).toBe(200)

  expect((await pages.get('/payouts/new?method=manual')).status).toBe(403)
  expect((await pages.post('/payouts/new', { method: 'manual' })).status).toBe(403)
  expect((await pages.post(`/payouts/runs/${id}`, { status: 'paid' })).status).toBe(403)
  expect(await lookAtLedger(database, merchant)).toEqual({ processing: 817_050, violations: [] })
})

test('a run of another workspace is not found', async () => {
  const [ours, theirs] = await Promise.all([createPages(), createPages()])
  const id = await theirs.merchant.begin()
  for (const path of [`/payouts/runs/${id}`, '/payouts/runs/x']) {
    expect((await ours.pages.get(path)).status).toBe(404)
    expect((await ours.pages.post(path, { status: 'paid' })).status).toBe(404)
  }
  expect((await ours.pages.get(`/payouts/all?runId=${id}`)).text).toContain(
    'No payouts match these filters.',
  )
})

test('forms from another site are rejected', async () => {
  const { merchant, pages } = await createPages()
  const foreign = { Origin: 'https://evil.example' }
  expect((await pages.post('/payouts/new', { method: 'manual' }, foreign)).status).toBe(403)
  expect(await lookAtLedger(database, merchant)).toEqual({ payable: 817_050, violations: [] })
})

test('a partner’s page shows payouts and the account status', async () => {
  const { merchant, pages } = await createPages()
  const [leo] = await database.query<{ id: string; email: string }>(
    `select id, email from partners where workspace_id = $1 and slug = 'leo'`,
    [merchant.workspace.id],
  )
  const path = `/partners/${leo?.id}`
  expect((await pages.get(path)).text).toContain('Stripe account Not connected')
  await database.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
     values ($2, $1, $3, 'DE', 'acct_1', 'enabled', now() - interval '4 days')`,
    [merchant.workspace.id, newId(), leo?.email],
  )
  const id = await merchant.begin()
  const onItsWay = await pages.get(path)
  expect(onItsWay.text).toContain('Connected')
  expect(onItsWay.text).toContain('USD $0.00 $0.00 $8,120.00 $0.00')
  await pages.post(`/payouts/runs/${id}`, { status: 'paid' })
  const paid = await pages.get(path)
  expect(paid.text).toContain('USD $0.00 $0.00 $0.00 $8,120.00')
  expect(paid.text).toContain('$8,120.00 paid Bank')
  expect((await pages.get(`/payouts/all?partnerId=${leo?.id}&status=paid`)).text).toContain(
    '$8,120.00',
  )
  expect((await pages.get(`/payouts/all?partnerId=${leo?.id}&status=failed`)).text).toContain(
    'No payouts match these filters.',
  )
})

test('a retried or failed payout shows the reason', async () => {
  const { merchant, pages } = await createPages()
  await database.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
     select gen_random_uuid(), workspace_id, email, 'DE', 'acct_' || slug, 'enabled', now() - interval '4 days' from partners
     where workspace_id = $1`,
    [merchant.workspace.id],
  )
  const id = await merchant.begin('stripe')
  await database.query(
    `update payouts set last_error = 'Your Stripe balance <b>is</b> too low.' where run_id = $1 and amount_cents > 9999`,
    [id],
  )
  await database.query(
    `with failed as (update payouts set failed_at = now(), last_error = 'The account was closed.'
                     where run_id = $1 and amount_cents = 5050 returning id)
     update commissions set payout_id = null from failed where payout_id = failed.id`,
    [id],
  )
  const { text, html } = await pages.get(`/payouts/runs/${id}`)
  expect(text).toContain('0 of 2 payouts sent, 1 failed')
  expect(html).toContain(
    'Retrying automatically: Your Stripe balance &lt;b&gt;is&lt;/b&gt; too low.',
  )
  expect(text).toContain('The account was closed. Its commissions are payable again.')
  // A run by Stripe can be canceled, and nothing else.
  expect([...html.matchAll(/name="status" value="(\w+)"/g)].map(([, to]) => to)).toEqual([
    'canceled',
  ])
})

test('the audit log describes run actions and links to the run', async () => {
  const { merchant, pages } = await createPages()
  const id = await merchant.begin()
  for (const status of ['paid', 'processing', 'canceled'])
    await pages.post(`/payouts/runs/${id}`, { status })
  const { text, html } = await pages.get('/audit')
  for (const words of [
    'marked a payout run as paid: 2 payouts',
    'marked a payout run as unpaid: 2 payouts',
    'canceled a payout run: 2 payouts',
  ]) {
    expect(text).toContain(words)
  }
  expect(html).toContain(`/payouts/runs/${id}`)
})
