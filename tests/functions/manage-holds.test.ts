import { describe, expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { holdCommission } from '../support/holds.ts'
import {
  codes,
  createMerchant,
  errorShape,
  type Merchant,
  useDatabase,
} from '../support/merchant.ts'
import { checkoutSession, refund, stripeEvent, stripeId, useStripe } from '../support/stripe.ts'

const database = useDatabase()

/**
 * A merchant with two sales of 49.00, each of which earned 9.80; the second is held as a possible
 * duplicate.
 */
const createHold = async () => {
  const merchant = await createMerchant({ manualPayouts: true })
  const stripe = await useStripe(merchant)
  const clickId = await merchant.click()
  const payment = stripeId('pi')
  await merchant.sale({ externalId: 'order-1', clickId })
  await stripe.deliver(
    stripeEvent(
      'checkout.session.completed',
      checkoutSession({ payment_intent: payment, client_reference_id: clickId }),
    ),
  )
  const id = await holdCommission(merchant, payment, 'order-1')
  const refundHalf = () =>
    stripe.deliver(
      stripeEvent('refund.created', refund({ payment_intent: payment, amount: 2_450 })),
    )
  return { merchant, manager: await merchant.asManager(), payment, id, refundHalf }
}

type Row = {
  id: string
  amountCents: number
  status: string
  kind: string
  hold: Record<string, unknown>
}

const list = async (merchant: Merchant, query = ''): Promise<Row[]> => {
  const { status, body } = await merchant.get(`/commissions${query}`)
  expect(status).toBe(200)
  return (body as unknown as { data: Row[] }).data
}

const statuses = async (merchant: Merchant, query = '') =>
  (await list(merchant, query)).map(({ amountCents, status }) => [amountCents, status])

const balance = async (merchant: Merchant) => {
  const [partner] = (await merchant.get('/partners')).body.data as { id: string }[]
  const { body } = await merchant.get(`/partners/${partner?.id}/balances`)
  return (body.data as Record<string, number>[])[0]
}

/** What a payout run by bank would pay now. */
const payable = async (merchant: Merchant) => {
  const manager = await merchant.asManager()
  const { body } = await manager.post('/payouts/run', { dryRun: true, method: 'manual' })
  return (body.payouts as { amountCents: number }[]).map(({ amountCents }) => amountCents)
}

const violations = ({ workspace }: Merchant) => database.violations(workspace.id)

test('a held commission is not payable, also once its holding period has ended', async () => {
  const { merchant, id, payment } = await createHold()
  expect(await statuses(merchant)).toEqual([
    [980, 'held'],
    [980, 'pending'],
  ])
  await database.age(merchant, '31 days')
  expect(await payable(merchant)).toEqual([980])
  expect(await balance(merchant)).toMatchObject({
    heldCents: 980,
    payableCents: 980,
    pendingCents: 0,
  })
  expect(await list(merchant, '?status=held')).toMatchObject([
    {
      id,
      amountCents: 980,
      hold: { reason: 'possible_duplicate', resolution: null, resolvedBy: null },
    },
  ])
  expect(await statuses(merchant, '?status=payable')).toEqual([[980, 'payable']])
  const event = await merchant.explainReport('sale', payment)
  expect(event?.commission).toMatchObject({ id, status: 'held' })

  const run = await (await merchant.asManager()).post('/payouts/run', { method: 'manual' })
  expect(run.body.payouts).toMatchObject([{ amountCents: 980 }])
  expect(await statuses(merchant)).toEqual([
    [980, 'held'],
    [980, 'processing'],
  ])
  expect(await violations(merchant)).toEqual([])
})

test('a held commission that is partly refunded owes the partner nothing, rather than less than nothing', async () => {
  const { merchant, refundHalf } = await createHold()
  await refundHalf()
  await database.age(merchant, '31 days')
  expect(await statuses(merchant)).toEqual([
    [-490, 'held'],
    [980, 'held'],
    [980, 'payable'],
  ])
  expect(await statuses(merchant, '?status=held')).toHaveLength(2)
  expect(await payable(merchant)).toEqual([980])
  expect(await balance(merchant)).toMatchObject({ heldCents: 490, payableCents: 980 })
})

describe('POST /commissions/:id/release', () => {
  test('makes the commission payable, once, with an entry in the audit log', async () => {
    const { merchant, manager, id } = await createHold()
    const released = await manager.post(`/commissions/${id}/release`)
    expect([released.status, released.body]).toMatchObject([
      200,
      {
        id,
        status: 'pending',
        hold: { resolution: 'released', resolvedBy: expect.stringContaining('manager@') },
      },
    ])
    expect(await manager.post(`/commissions/${id}/release`)).toMatchObject({
      status: 200,
      body: released.body,
    })
    await database.age(merchant, '31 days')
    expect(await payable(merchant)).toEqual([1_960])
    const log = (await database.audit(merchant)).filter(({ subject_id }) => subject_id === id)
    expect(log).toEqual([
      {
        actor: `manager@${merchant.workspace.slug}.example`,
        action: 'commission.released',
        subject_id: id,
        details: expect.objectContaining({ amountCents: 980, currency: 'USD', slug: 'maya' }),
      },
    ])
  })
})

describe('POST /commissions/:id/reject', () => {
  test('reverses the commission, and the event says why it earns nothing', async () => {
    const { merchant, manager, id, payment } = await createHold()
    const rejected = await manager.post(`/commissions/${id}/reject`)
    expect(rejected).toMatchObject({ status: 200, body: { id, hold: { resolution: 'rejected' } } })
    expect((await manager.post(`/commissions/${id}/reject`)).body).toEqual(rejected.body)
    await database.age(merchant, '31 days')
    expect((await list(merchant)).map(({ amountCents, kind }) => [amountCents, kind])).toEqual([
      [-980, 'reversal'],
      [980, 'sale'],
      [980, 'sale'],
    ])
    expect(await payable(merchant)).toEqual([980])
    const event = await merchant.explainReport('sale', payment)
    expect([codes(event)?.at(-1), event?.commission]).toEqual(['commission_rejected', null])
    expect(await violations(merchant)).toEqual([])
  })

  test('reverses only what a refund has left, and a later refund reverses nothing more', async () => {
    const { merchant, manager, id, refundHalf } = await createHold()
    await refundHalf()
    await manager.post(`/commissions/${id}/reject`)
    await refundHalf()
    expect((await list(merchant)).map(({ amountCents }) => amountCents)).toEqual([
      -490, -490, 980, 980,
    ])
    expect(await violations(merchant)).toEqual([])
  })

  test('and a concurrent refund reverse the commission once', async () => {
    for (let round = 0; round < 5; round++) {
      const { merchant, manager, id, refundHalf } = await createHold()
      const answers = await Promise.all([
        refundHalf(),
        manager.post(`/commissions/${id}/reject`),
        refundHalf(),
        manager.post(`/commissions/${id}/reject`),
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const earned = (await list(merchant)).reduce((sum, { amountCents }) => sum + amountCents, 0)
      expect(earned).toBe(980)
      expect(await violations(merchant)).toEqual([])
    }
  })
})

test('a commission cannot be both released and rejected, whoever is first', async () => {
  const first = await createHold()
  await first.manager.post(`/commissions/${first.id}/release`)
  const refused = await first.manager.post(`/commissions/${first.id}/reject`)
  expect([refused.status, refused.body]).toMatchObject([409, errorShape('conflict')])
  expect(refused.body.error?.message).toBe('This commission was already released.')

  const second = await createHold()
  const answers = await Promise.all(
    ['release', 'reject', 'release', 'reject'].map((verb) =>
      second.manager.post(`/commissions/${second.id}/${verb}`),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409])
  expect(await violations(second.merchant)).toEqual([])
  expect(
    (await database.audit(second.merchant)).filter(({ subject_id }) => subject_id === second.id),
  ).toHaveLength(1)
})

test('of concurrent holds with other notes, one holds the commission, and the others are refused', async () => {
  const { merchant, manager } = await createHold()
  const [, free] = await list(merchant)
  const notes = ['Is it ours?', 'Is it ours?', 'A test order', 'A test order']
  const answers = await Promise.all(
    notes.map((note) => manager.post(`/commissions/${free?.id}/hold`, { note })),
  )
  const held = notes.filter((_, n) => answers[n]?.status === 200)
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409])
  expect(new Set(held).size).toBe(1)
  for (const { status, body } of answers) {
    if (status === 409)
      expect(body.error?.message).toBe(
        'This commission is held already. Release or reject it first.',
      )
  }
  expect(
    (await database.audit(merchant)).filter(({ action }) => action === 'commission.held'),
  ).toMatchObject([{ subject_id: free?.id }])
  expect(await violations(merchant)).toEqual([])
})

test('a payout run at the same time pays the commission in full or not at all', async () => {
  for (let round = 0; round < 5; round++) {
    const { merchant, manager, id } = await createHold()
    await database.age(merchant, '31 days')
    const verb = round % 2 ? 'release' : 'reject'
    await Promise.all([
      manager.post(`/commissions/${id}/${verb}`),
      manager.post('/payouts/run', { method: 'manual' }),
    ])
    const paid = await database.query<{ cents: number }>(
      'select amount_cents::int as cents from payouts where workspace_id = $1',
      [merchant.workspace.id],
    )
    expect(verb === 'reject' ? [980] : [980, 1_960]).toContain(paid[0]?.cents)
    expect(await violations(merchant)).toEqual([])
  }
})

test.each(['release', 'reject'])(
  '%s needs a manager of the workspace and a held commission',
  async (verb) => {
    const [{ merchant, manager, id }, other] = await Promise.all([createHold(), createHold()])
    const as = async (cookie: string) =>
      (await merchant.as(cookie).post(`/commissions/${id}/${verb}`)).status
    expect(await as(await merchant.member())).toBe(403)
    expect(await as(await merchant.stranger())).toBe(404)
    expect(
      (
        await merchant.post(
          `/api/workspaces/${merchant.workspace.slug}/commissions/${id}/${verb}`,
          {},
        )
      ).status,
    ).toBe(401)
    for (const wrong of [other.id, newId(), 'x', `${id}'--`]) {
      expect((await manager.post(`/commissions/${encodeURIComponent(wrong)}/${verb}`)).status).toBe(
        404,
      )
    }
    const [, free] = await list(merchant)
    const refused = await manager.post(`/commissions/${free?.id}/${verb}`)
    expect([refused.status, refused.body.error?.message]).toEqual([
      409,
      'This commission is not held.',
    ])
    expect(await statuses(merchant, '?status=held')).toEqual([[980, 'held']])
  },
)

test('a hold by a manager follows to the commission that replaces the held one', async () => {
  const merchant = await createMerchant()
  const stripe = await useStripe(merchant)
  const manager = await merchant.asManager()
  const clickId = await merchant.click()
  const payment = stripeId('pi')
  await merchant.sale({ externalId: payment, clickId, amountCents: 5_000 })
  const [reported] = await list(merchant)
  const note = 'Ask the buyer'
  await manager.post(`/commissions/${reported?.id}/hold`, { note })
  await stripe.deliver(
    stripeEvent(
      'checkout.session.completed',
      checkoutSession({ payment_intent: payment, client_reference_id: clickId }),
    ),
  )
  expect(await statuses(merchant)).toEqual([
    [980, 'held'],
    [-1_000, 'pending'],
    [1_000, 'pending'],
  ])
  const refused = await manager.post(`/commissions/${reported?.id}/hold`, { note })
  expect([refused.status, refused.body.error?.message]).toEqual([
    409,
    'This commission no longer counts, so there is nothing to hold.',
  ])
  expect((await list(merchant))[0]?.hold).toMatchObject({
    reason: 'manual',
    note,
    resolution: null,
  })
  expect(await violations(merchant)).toEqual([])
})

test('a possible duplicate of a sale that a manager holds is held too', async () => {
  const merchant = await createMerchant()
  const stripe = await useStripe(merchant)
  const clickId = await merchant.click()
  await stripe.deliver(
    stripeEvent(
      'checkout.session.completed',
      checkoutSession({ payment_intent: stripeId('pi'), client_reference_id: clickId }),
    ),
  )
  const [paid] = await list(merchant)
  await (await merchant.asManager()).post(`/commissions/${paid?.id}/hold`, {
    note: 'Ask the buyer',
  })
  await merchant.sale({ externalId: 'order-1', clickId })
  const held = await list(merchant, '?status=held')
  expect(held.map(({ hold }) => hold.reason)).toEqual(['possible_duplicate', 'manual'])
})
