import { describe, expect, inject, test, vi } from 'vitest'
import { decryptSecret } from '../../lib/platform/secrets.ts'
import { askAs, payoutsHere } from '../support/in-process.ts'
import { createMerchant, errorShape, type Merchant, useDatabase } from '../support/merchant.ts'
import { SECRETS_KEY, stripeKey } from '../support/secrets.ts'

const database = useDatabase()

const createSetup = async () => {
  const merchant = await createMerchant()
  const manager = await merchant.asManager()
  return {
    merchant,
    manager,
    set: (key: unknown) => manager.put('/stripe/key', { key }),
    remove: () => manager.delete('/stripe/key'),
  }
}

const kept = ({ workspace }: Pick<Merchant, 'workspace'>) =>
  database.query<{ ciphertext: string; last4: string; stripe_account_id: string }>(
    'select * from stripe_keys where workspace_id = $1',
    [workspace.id],
  )

/** Lets a partner be connected, or a payout to it be on its way. */
const connectPartner = ({ workspace }: Merchant) =>
  database.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
     values (gen_random_uuid(), $1, 'maya@example.com', 'DE', 'acct_' || gen_random_uuid(), 'enabled', now() - interval '4 days')`,
    [workspace.id],
  )
const addPayout = ({ workspace }: Merchant) =>
  database.query(
    `with run as (
       insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at)
       values (gen_random_uuid(), $1, 'stripe', now(), 'a manager', now()) returning id)
     insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, stripe_account_id,
                          created_at, next_attempt_at)
     select gen_random_uuid(), $1, run.id, p.program_id, p.id, 'USD', 100, a.stripe_account_id, now(), 'infinity'
     from run, partners p, payout_accounts a where p.workspace_id = $1 and a.workspace_id = $1`,
    [workspace.id],
  )

describe('PUT /stripe/key', () => {
  test('keeps it encrypted, and it is known by its end and by whose it is', async () => {
    const { merchant, manager, set } = await createSetup()
    const key = stripeKey()
    const { status, body } = await set(` ${key}\n`)
    expect([status, body]).toEqual([
      200,
      {
        last4: key.slice(-4),
        stripeAccountId: expect.stringMatching(/^acct_/),
        livemode: false,
        createdAt: expect.any(String),
      },
    ])
    expect((await manager.get('/stripe')).body.key).toEqual(body)

    const rows = await kept(merchant)
    expect(await decryptSecret(SECRETS_KEY, merchant.workspace.id, rows[0]?.ciphertext ?? '')).toBe(
      key,
    )
    const log = await database.audit(merchant)
    expect(JSON.stringify([rows, log])).not.toContain(key.slice(8, -4))
    expect(log).toMatchObject([
      {
        actor: `manager@${merchant.workspace.slug}.example`,
        action: 'stripe_key.added',
        details: { last4: key.slice(-4), stripeAccountId: body.stripeAccountId },
      },
    ])
  })

  test.each([
    ['a secret key', '', true, true],
    ['a restricted key that may read what was bought', '_webhooks', true, true],
    ['one that may not read invoices', '_lacks_invoice_read', false, true],
    ['one that may not read checkouts', '_lacks_checkout_session_read', false, true],
    ['one that may not read products', '_lacks_product_read', true, false],
  ])(
    'knows whether lines and products may be read with %s',
    async (_case, suffix, lines, products) => {
      const { merchant, set } = await createSetup()
      const key = suffix ? `${stripeKey().replace('sk_', 'rk_')}${suffix}` : stripeKey()
      expect((await set(key)).status).toBe(200)
      expect(await kept(merchant)).toMatchObject([{ reads_lines: lines, reads_products: products }])
    },
  )

  test('takes a restricted key, and another one of the same account in its place', async () => {
    const { merchant, set } = await createSetup()
    const key = stripeKey()
    const first = await set(key)
    await connectPartner(merchant)
    await addPayout(merchant)
    const second = await set(key.replace('sk_', 'rk_'))
    expect(second.body.stripeAccountId).toBe(first.body.stripeAccountId)
    const rolled = await set(`${key}_rolled`)
    expect([rolled.status, rolled.body.last4]).toEqual([200, 'lled'])
    expect(await kept(merchant)).toHaveLength(1)
  })

  test('takes none of another account while partners are connected', async () => {
    const { merchant, set } = await createSetup()
    const { body } = await set(stripeKey())
    expect((await set(stripeKey())).status).toBe(200)
    await connectPartner(merchant)
    expect(await set(stripeKey())).toMatchObject({ status: 409, body: errorShape('conflict') })
    await database.query(`update payout_accounts set status = 'closed' where workspace_id = $1`, [
      merchant.workspace.id,
    ])
    const last = await set(stripeKey())
    expect(last.status).toBe(200)
    expect(await kept(merchant)).toMatchObject([{ stripe_account_id: last.body.stripeAccountId }])
    expect(last.body.stripeAccountId).not.toBe(body.stripeAccountId)
    expect(await database.audit(merchant)).toHaveLength(3)
  })

  test.each([
    ['none', undefined],
    ['nothing', ''],
    ['a number', 7],
    ['null', null],
    ['a publishable key', 'pk_live_51H4xxxxxxxxxxxxxxxxxxxxxx'],
    ['a signing secret', 'whsec_0123456789abcdef0123456789abcdef'],
    ['a key without an end', 'sk_test_'],
    ['a key of two lines', `${stripeKey()}\n${stripeKey()}`],
    ['a key with a NUL', `${stripeKey()}\0`],
    ['a key that is too long', `sk_test_${'x'.repeat(241)}`],
    ['a list', [stripeKey()]],
    ['a live key that Stripe doesn’t know', 'sk_live_0123456789abcdef01234567'],
    ['a key that may do nothing about Connect', `${stripeKey().replace('sk_', 'rk_')}_noconnect`],
  ])('refuses %s, and doesn’t quote it', async (_case, key) => {
    const { merchant, set } = await createSetup()
    const { status, body } = await set(key)
    expect([status, body.error?.code]).toEqual([400, 'invalid_body'])
    const words = String(key).match(/\w{20,}/g) ?? []
    for (const word of words) expect(JSON.stringify(body)).not.toContain(word)
    expect(await kept(merchant)).toEqual([])
  })

  test.each([
    { lacks: 'transfer_write', says: '“Transfers” (Write), rak_transfer_write.' },
    { lacks: 'transfer_read', says: '“Transfers” (Write)' },
    { lacks: 'balance_read', says: '“Balance” (Read), rak_balance_read.' },
    { lacks: 'connected_account_write', says: '“Accounts” (Write), rak_connected_account_write.' },
    { lacks: 'account_link_write', says: '“Account links” (Write), rak_account_link_write.' },
    {
      lacks: 'account_link_write_and_balance_read',
      says: '“Balance” (Read), rak_balance_read; “Account links” (Write), rak_account_link_write.',
    },
  ])(
    'refuses a restricted key that lacks $lacks, names the permission, and creates nothing',
    async ({ lacks, says }) => {
      const { merchant, set } = await createSetup()
      const { status, body } = await set(`${stripeKey().replace('sk_', 'rk_')}_lacks_${lacks}`)
      expect([status, body.error?.code]).toEqual([400, 'invalid_body'])
      expect(body.error?.message).toContain('lacks permissions that payouts need: ')
      expect(body.error?.message).toContain(says)
      expect(await kept(merchant)).toEqual([])
    },
  )

  test('takes a restricted key that may do what payouts need, and not read its own account', async () => {
    const { set } = await createSetup()
    const key = stripeKey()
    const { body } = await set(key)
    const restricted = await set(`${key.replace('sk_', 'rk_')}_lacks_accounts_kyc_basic_read`)
    expect([restricted.status, restricted.body.stripeAccountId]).toEqual([
      200,
      body.stripeAccountId,
    ])
  })

  test('says that Connect is not turned on in the Stripe account', async () => {
    const { merchant, set } = await createSetup()
    const { status, body } = await set(`${stripeKey()}_noplatform`)
    expect([status, body.error?.message]).toEqual([
      400,
      expect.stringContaining('Connect is not turned on'),
    ])
    expect(await kept(merchant)).toEqual([])
  })

  test('refuses a key that is named as one of test mode, and is of live mode at Stripe', async () => {
    const { merchant, set } = await createSetup()
    const { status, body } = await set(`${stripeKey()}_live`)
    expect([status, body.error?.message]).toEqual([
      400,
      expect.stringContaining('Stripe reports that this key is for its live mode'),
    ])
    expect(await kept(merchant)).toEqual([])
  })

  test('creates nothing at Stripe', async () => {
    const { set } = await createSetup()
    const key = stripeKey()
    expect((await set(key)).status).toBe(200)
    const ask = async (path: string) => {
      const answer = await fetch(new URL(path, inject('stripeUrl')), {
        headers: { Authorization: `Bearer ${key}` },
      })
      return ((await answer.json()) as { data: unknown[] }).data
    }
    expect(await ask('/v1/transfers')).toEqual([])
    expect(await ask('/v1/accounts')).toEqual([])
  })

  test.each([
    { mode: 'live', key: stripeKey(), says: 'This workspace is for Stripe’s live mode.' },
    {
      mode: 'test',
      key: 'sk_live_0123456789abcdef01234567',
      says: 'This workspace is for Stripe’s test mode.',
    },
  ])('refuses a key of the other mode than $mode', async ({ mode, key, says }) => {
    const { merchant, set } = await createSetup()
    await database.query('update workspaces set mode = $2 where id = $1', [
      merchant.workspace.id,
      mode,
    ])
    const { status, body } = await set(key)
    expect([status, body.error?.message]).toEqual([400, expect.stringContaining(says)])
    expect(await kept(merchant)).toEqual([])
  })

  test.each([
    {
      case: 'Stripe doesn’t answer',
      payouts: () => payoutsHere({ STRIPE_URL: 'http://127.0.0.1:9' }),
      status: 400,
      code: 'invalid_body',
    },
    {
      case: 'the payouts Worker is gone',
      payouts: () => ({ saveKey: () => Promise.reject(new Error('It is not there.')) }),
      status: 503,
      code: 'try_again',
    },
  ])('keeps nothing when $case', async ({ payouts, status, code }) => {
    const { merchant } = await createSetup()
    const key = stripeKey()
    const answer = await askAs(
      'manage',
      `manager@${merchant.workspace.slug}.example`,
      `/api/workspaces/${merchant.workspace.slug}/stripe/key`,
      {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ key }),
      },
      { PAYOUTS: payouts() },
    )
    expect([answer.status, await answer.json()]).toMatchObject([status, { error: { code } }])
    expect(await kept(merchant)).toEqual([])
    expect(JSON.stringify(vi.mocked(console.log).mock.calls)).not.toContain(key)
  })
})

describe('DELETE /stripe/key', () => {
  test('forgets it, once payouts under it have arrived', async () => {
    const { merchant, manager, set, remove } = await createSetup()
    expect(await remove()).toMatchObject({ status: 404, body: errorShape('not_found') })
    const key = stripeKey()
    await set(key)
    await connectPartner(merchant)
    await addPayout(merchant)
    expect(await remove()).toMatchObject({ status: 409, body: errorShape('conflict') })
    expect(await kept(merchant)).toHaveLength(1)
    await database.query('update payouts set failed_at = now() where workspace_id = $1', [
      merchant.workspace.id,
    ])
    const removed = await Promise.all(Array.from({ length: 4 }, remove))
    expect(removed.every(({ status }) => status === 204 || status === 404)).toBe(true)
    expect((await manager.get('/stripe')).body.key).toBeNull()
    const actions = (await database.audit(merchant)).map(({ action }) => action)
    expect(actions).toEqual(['stripe_key.added', 'stripe_key.removed'])
  })
})

test('a key is for managers of the workspace', async () => {
  const { merchant } = await createSetup()
  const ask = async (cookie: string | null, method: string) => {
    const answer = await fetch(
      `${inject('baseUrl')}/api/workspaces/${merchant.workspace.slug}/stripe/key`,
      {
        method,
        headers: { 'Content-Type': 'application/json', ...(cookie && { Cookie: cookie }) },
        ...(method === 'PUT' && { body: JSON.stringify({ key: stripeKey() }) }),
      },
    )
    return answer.status
  }
  for (const method of ['PUT', 'DELETE']) {
    expect(await ask(null, method)).toBe(401)
    expect(await ask(await merchant.member(), method)).toBe(403)
    expect(await ask(await merchant.stranger(), method)).toBe(404)
  }
})
