import { describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { connectTo } from '../../lib/payouts/stripe/connect.service.ts'
import { encryptSecret } from '../../lib/secrets.ts'
import { createMerchant, errorShape, type Merchant, useDatabase } from '../support/merchant.ts'
import { SECRETS_KEY } from '../support/secrets.ts'

const database = useDatabase()

/** Lets a merchant pay from an account of its own at the Stripe that all tests share. @returns its key */
const connectStripe = async ({ workspace }: Merchant): Promise<string> => {
  const key = `sk_test_${workspace.id.replaceAll('-', '')}`
  await database.query(
    `insert into stripe_keys (workspace_id, ciphertext, last4, stripe_account_id, livemode, created_at)
     values ($1, $2, 'test', 'acct_test', false, now())`,
    [workspace.id, await encryptSecret(SECRETS_KEY, workspace.id, key)],
  )
  return key
}

/** Owes maya an opening balance. */
const owe = ({ workspace }: Merchant, amountCents = 4_900) =>
  database.query(
    `insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency,
                              payable_at, created_at)
     select gen_random_uuid(), workspace_id, program_id, id, 'opening_balance', $2, 'USD', now(), now()
     from partners where workspace_id = $1`,
    [workspace.id, amountCents],
  )

/** Connects maya to an account that can be paid. */
const connectMaya = async ({ workspace }: Merchant, key: string) => {
  const stripe = inject('stripeUrl')
  const account = await connectTo({ STRIPE_URL: stripe }, key).createAccount({
    email: 'maya@partner.example',
    country: 'DE',
    metadata: {},
    idempotencyKey: newId(),
  })
  await fetch(`${stripe}/dev/stripe/accounts/${account}/onboard`, {
    method: 'POST',
    headers: { Origin: stripe },
    redirect: 'manual',
  })
  await database.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
     values ($1, $2, 'maya@partner.example', 'DE', $3, 'enabled', now())`,
    [newId(), workspace.id, account],
  )
}

describe('POST /api/workspaces/:workspace/payouts/run', () => {
  test('pays what is payable, and says who got what and who did not', async () => {
    const merchant = await createMerchant()
    const key = await connectStripe(merchant)
    await owe(merchant)
    const manager = await merchant.asManager()
    const [maya] = await database.query<{ id: string }>('select id from partners where workspace_id = $1', [
      merchant.workspace.id,
    ])

    const balances = async () => (await merchant.get(`/partners/${maya?.id}/balances`)).body.data
    const nothing = {
      currency: 'USD',
      heldCents: 0,
      pendingCents: 0,
      payableCents: 0,
      processingCents: 0,
      paidCents: 0,
    }
    expect(await balances()).toEqual([{ ...nothing, payableCents: 4_900 }])

    const before = await manager.post('/payouts/run', {})
    expect(before).toMatchObject({
      status: 200,
      body: {
        runId: expect.any(String),
        payouts: [],
        skipped: [{ partnerId: maya?.id, currency: 'USD', amountCents: 4_900, code: 'not_connected' }],
      },
    })

    await connectMaya(merchant, key)
    expect(await manager.post('/payouts/run', { dryRun: true })).toMatchObject({
      status: 200,
      body: { runId: null, payouts: [{ id: null, amountCents: 4_900, status: 'payable' }], skipped: [] },
    })
    expect(await manager.post('/payouts/run', {})).toMatchObject({
      status: 200,
      body: {
        runId: expect.any(String),
        payouts: [
          {
            id: expect.any(String),
            partnerId: maya?.id,
            currency: 'USD',
            amountCents: 4_900,
            status: 'paid',
          },
        ],
        skipped: [],
      },
    })
    expect(await balances()).toEqual([{ ...nothing, paidCents: 4_900 }])
    const { body: all } = await merchant.get('/commissions')
    const [{ payoutId } = { payoutId: '' }] = all.data as { payoutId: string }[]
    expect(all.data).toMatchObject([{ status: 'paid', payoutId: expect.any(String) }])
    expect((await merchant.get(`/commissions?payoutId=${payoutId}`)).body.data).toEqual(all.data)
    expect((await merchant.get(`/commissions?payoutId=${newId()}`)).body.data).toEqual([])
    expect((await database.audit(merchant)).map(({ action }) => action)).toEqual([
      'payout_run.begun',
      'payout_run.begun',
    ])
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('notifies a partner of its payout even if it is banned before the mail is sent', async () => {
    const merchant = await createMerchant()
    const key = await connectStripe(merchant)
    await owe(merchant)
    const manager = await merchant.asManager()
    await manager.post('/payouts/run', {})
    await connectMaya(merchant, key)
    const { body } = await manager.post('/payouts/run', {})
    const [{ partnerId } = { partnerId: '' }] = body.payouts as { partnerId: string }[]
    await manager.patch(`/partners/${partnerId}`, { status: 'banned' })
    const mails = (await manager.get('/mails')).body.data as { kind: string; status: string }[]
    expect(mails.map(({ kind, status }) => `${kind} ${status}`).sort()).toEqual([
      'connect_account failed',
      'payout_sent queued',
    ])
  })

  test('refuses whoever is no manager, before anything is paid', async () => {
    const merchant = await createMerchant()
    await owe(merchant)
    const stranger = merchant.as(await merchant.stranger())
    expect(await stranger.post('/payouts/run', {})).toMatchObject({
      status: 404,
      body: errorShape('not_found'),
    })
    const member = merchant.as(await merchant.member())
    expect(await member.post('/payouts/run', {})).toMatchObject({
      status: 403,
      body: errorShape('manager_required'),
    })
    // An API key is for reports, and lies in places from which nobody should be able to move money.
    const { status } = await merchant.post(`/api/workspaces/${merchant.workspace.slug}/payouts/run`, {})
    expect(status).toBe(401)
    expect(
      await database.query('select from payout_runs where workspace_id = $1', [merchant.workspace.id]),
    ).toEqual([])
  })

  test('refuses without a key of Stripe, but returns a dry run', async () => {
    const merchant = await createMerchant()
    await owe(merchant)
    const manager = await merchant.asManager()
    expect(await manager.post('/payouts/run', {})).toMatchObject({
      status: 409,
      body: errorShape('conflict'),
    })
    expect(await manager.post('/payouts/run', { dryRun: true })).toMatchObject({ status: 200 })
  })

  test('a partner who never connected an account is not paid by bank until a manager allows bank transfers', async () => {
    const merchant = await createMerchant()
    await owe(merchant)
    const manager = await merchant.asManager()
    const refused = await manager.post('/payouts/run', { method: 'manual' })
    expect(refused).toMatchObject({ status: 409, body: errorShape('conflict') })
    expect(refused.body.error?.message).toContain('Turn them on in its settings')
    expect(await manager.post('/payouts/run', { method: 'manual', dryRun: true })).toMatchObject({
      status: 200,
      body: { runId: null, payouts: [{ amountCents: 4_900 }] },
    })
    expect(
      await database.query('select from payout_runs where workspace_id = $1', [merchant.workspace.id]),
    ).toEqual([])

    await manager.patch('/settings', { manualPayouts: true })
    expect(await manager.post('/payouts/run', { method: 'manual' })).toMatchObject({
      status: 200,
      body: { payouts: [{ status: 'processing', amountCents: 4_900 }], skipped: [] },
    })
  })

  test('finds no program of another workspace, and none that is no id', async () => {
    const [merchant, other] = [await createMerchant(), await createMerchant()]
    const manager = await merchant.asManager()
    for (const programId of [other.programId, newId(), 'x']) {
      const { status, body } = await manager.post('/payouts/run', { programId, method: 'manual' })
      expect({ status, body }).toMatchObject({ status: 404, body: errorShape('not_found') })
    }
  })

  test.each([
    { case: 'a misspelt field', body: { dryrun: true } },
    { case: 'a text for yes', body: { dryRun: 'true' } },
    { case: 'a method that there is not', body: { method: 'paypal' } },
    { case: 'no object', body: [] },
  ])('refuses $case, so that nobody pays who wanted to look', async ({ body }) => {
    const merchant = await createMerchant()
    await owe(merchant)
    const manager = await merchant.asManager()
    expect(await manager.post('/payouts/run', body)).toMatchObject({
      status: 400,
      body: errorShape('invalid_body'),
    })
    expect(
      await database.query('select from payout_runs where workspace_id = $1', [merchant.workspace.id]),
    ).toEqual([])
  })
})
