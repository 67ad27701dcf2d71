import { describe, expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { createMerchant, errorShape, useDatabase } from '../support/merchant.ts'
import { usePaidByStripe } from '../support/paid-by-stripe.ts'

const database = useDatabase()
const { connectStripe, owe, connectMaya } = usePaidByStripe(database)

describe('POST /api/workspaces/:workspace/payouts/run', () => {
  test('pays what is payable, and says who got what and who did not', async () => {
    const merchant = await createMerchant()
    const key = await connectStripe(merchant)
    await owe(merchant)
    const manager = await merchant.asManager()
    const [maya] = await database.query<{ id: string }>(
      'select id from partners where workspace_id = $1',
      [merchant.workspace.id],
    )

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
        skipped: [
          { partnerId: maya?.id, currency: 'USD', amountCents: 4_900, code: 'not_connected' },
        ],
      },
    })

    await connectMaya(merchant, key)
    expect(await manager.post('/payouts/run', { dryRun: true })).toMatchObject({
      status: 200,
      body: {
        runId: null,
        payouts: [{ id: null, amountCents: 4_900, status: 'payable' }],
        skipped: [],
      },
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
    const { status } = await merchant.post(
      `/api/workspaces/${merchant.workspace.slug}/payouts/run`,
      {},
    )
    expect(status).toBe(401)
    expect(
      await database.query('select from payout_runs where workspace_id = $1', [
        merchant.workspace.id,
      ]),
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
      await database.query('select from payout_runs where workspace_id = $1', [
        merchant.workspace.id,
      ]),
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
      await database.query('select from payout_runs where workspace_id = $1', [
        merchant.workspace.id,
      ]),
    ).toEqual([])
  })
})
