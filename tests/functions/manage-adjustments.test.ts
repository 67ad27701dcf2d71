import { describe, expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { createMerchant, errorShape, type Merchant, useDatabase } from '../support/merchant.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

/** A merchant whose partner has earned 9.80, payable now. */
const createEarner = async () => {
  const merchant = await createMerchant({ manualPayouts: true })
  const sale = await merchant.sale({ clickId: await merchant.click() })
  await database.age(merchant, '31 days')
  const manager = await merchant.asManager()
  const [commission] = (await merchant.get('/commissions')).body.data as {
    id: string
    partnerId: string
  }[]
  const { id: commissionId, partnerId } = commission ?? { id: '', partnerId: '' }
  const adjust = (fields: Record<string, unknown> = {}) =>
    manager.post('/commissions', {
      externalId: 'adj-1',
      partnerId,
      amountCents: -500,
      currency: 'USD',
      reason: 'Paid twice in May',
      ...fields,
    })
  return { merchant, manager, adjust, partnerId, commissionId, eventId: sale.body.eventId }
}

const payable = async ({ manager }: Awaited<ReturnType<typeof createEarner>>) => {
  const { body } = await manager.post('/payouts/run', { dryRun: true, method: 'manual' })
  return (body.payouts as { amountCents: number }[]).map(({ amountCents }) => amountCents)
}

const amounts = async (merchant: Merchant, query = '') =>
  ((await merchant.get(`/commissions${query}`)).body.data as { amountCents: number }[]).map(
    ({ amountCents }) => amountCents,
  )

const violations = ({ workspace }: Merchant) => database.violations(workspace.id)

describe('POST /commissions', () => {
  test('corrects a wrong amount: the next payout is less by the adjustment, which says who made it and why', async () => {
    const earner = await createEarner()
    const { merchant, adjust, partnerId, commissionId, eventId } = earner
    const { status, body } = await adjust({ commissionId })
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.any(String),
        kind: 'adjustment',
        amountCents: -500,
        currency: 'USD',
        status: 'payable',
        payableAt: expect.any(String),
        createdAt: expect.any(String),
        partnerId,
        customerExternalId: null,
        eventId: null,
        reversesId: null,
        payoutId: null,
        hold: null,
        adjustment: {
          externalId: 'adj-1',
          reason: 'Paid twice in May',
          createdBy: `manager@${merchant.workspace.slug}.example`,
          eventId,
          commissionId,
        },
        bonus: null,
      },
    })
    expect(await payable(earner)).toEqual([480])
    expect(await amounts(merchant, '?kind=adjustment')).toEqual([-500])
    expect(await amounts(merchant, `?eventId=${eventId}`)).toEqual([-500, 980])
    expect((await merchant.get(`/commissions/${body.id}`)).body).toEqual(body)
    expect((await database.audit(merchant)).at(-1)).toEqual({
      actor: `manager@${merchant.workspace.slug}.example`,
      action: 'commission.adjusted',
      subject_id: body.id,
      details: {
        amountCents: -500,
        currency: 'USD',
        slug: 'maya',
        reason: 'Paid twice in May',
        externalId: 'adj-1',
      },
    })
    const run = await earner.manager.post('/payouts/run', { method: 'manual' })
    expect(run.body.payouts).toMatchObject([{ amountCents: 480 }])
    expect(await violations(merchant)).toEqual([])
  })

  test('a repeat returns the first, with Idempotency-Mismatch if it differs, however many arrive at once', async () => {
    const { merchant, adjust } = await createEarner()
    const answers = await Promise.all([
      adjust(),
      adjust(),
      adjust({ currency: 'usd', payableAt: null }),
      adjust(),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.some(({ headers }) => headers.has('Idempotency-Mismatch'))).toBe(false)
    const other = await adjust({ amountCents: 700, partnerId: newId() })
    expect([
      other.status,
      other.body.amountCents,
      other.headers.get('Idempotency-Mismatch'),
    ]).toEqual([200, -500, 'true'])
    expect(await amounts(merchant)).toEqual([-500, 980])
    const log = (await database.audit(merchant)).filter(
      ({ action }) => action === 'commission.adjusted',
    )
    expect(log).toHaveLength(1)
  })

  test('is payable at once, or when it says', async () => {
    const earner = await createEarner()
    await earner.adjust({ amountCents: 100 })
    const later = await earner.adjust({
      externalId: 'adj-2',
      amountCents: 200,
      payableAt: new Date(Date.now() + 86_400_000).toISOString(),
    })
    expect(later.body.status).toBe('pending')
    const past = await earner.adjust({
      externalId: 'adj-3',
      amountCents: 400,
      payableAt: '2020-01-01T00:00:00Z',
    })
    expect(past.body).toMatchObject({ status: 'payable', payableAt: past.body.createdAt })
    expect(await payable(earner)).toEqual([980 + 100 + 400])
  })

  test('a balance that it makes negative is not paid, and is deducted from what is earned next', async () => {
    const earner = await createEarner()
    await earner.adjust({ amountCents: -1_000 })
    expect(await payable(earner)).toEqual([])
    await earner.adjust({ externalId: 'adj-2', amountCents: 50 })
    expect(await payable(earner)).toEqual([30])
    expect(await violations(earner.merchant)).toEqual([])
  })

  test.each(
    everyNth(2, [
      { case: 'no amount', fields: { amountCents: 0 }, says: 'amountCents' },
      { case: 'half a cent', fields: { amountCents: 0.5 }, says: 'amountCents' },
      { case: 'a fortune', fields: { amountCents: 100_000_000_000_000 }, says: 'amountCents' },
      { case: 'no reason', fields: { reason: '  ' }, says: 'reason' },
      { case: 'a reason of two lines', fields: { reason: 'a\nb' }, says: 'reason' },
      { case: 'an unknown currency', fields: { currency: 'XXX' }, says: 'currency' },
      { case: 'no id', fields: { externalId: '' }, says: 'externalId' },
      { case: 'a date without a time', fields: { payableAt: '2026-12-01' }, says: 'payableAt' },
      {
        case: 'both subjects',
        fields: { eventId: newId(), commissionId: newId() },
        says: 'eventId',
      },
      { case: 'a field of another resource', fields: { payoutId: newId() }, says: 'payoutId' },
    ]),
  )('$case is 400, and nothing is saved', { tags: 'sampled' }, async ({ fields, says }) => {
    const { merchant, adjust } = await createEarner()
    const { status, body } = await adjust(fields)
    expect({ status, body }).toMatchObject({ status: 400, body: errorShape('invalid_body') })
    expect(body.error?.message).toContain(says)
    expect(await amounts(merchant)).toEqual([980])
  })

  test('partners, events and commissions of others are not found', async () => {
    const [earner, other] = await Promise.all([createEarner(), createEarner()])
    for (const fields of [
      { partnerId: other.partnerId },
      { eventId: other.eventId },
      { commissionId: other.commissionId },
      { commissionId: earner.commissionId, currency: 'EUR' },
    ]) {
      expect((await earner.adjust(fields)).status).toBe(404)
    }
    const { merchant } = earner
    const request = {
      externalId: 'x',
      partnerId: earner.partnerId,
      amountCents: 1,
      currency: 'USD',
      reason: 'x',
    }
    const as = async (cookie: string) =>
      (await merchant.as(cookie).post('/commissions', request)).status
    expect([await as(await merchant.member()), await as(await merchant.stranger())]).toEqual([
      403, 404,
    ])
    const byKey = await merchant.post(
      `/api/workspaces/${merchant.workspace.slug}/commissions`,
      request,
    )
    expect([byKey.status, byKey.body.error?.code]).toEqual([403, 'insufficient_scope'])
    expect(await amounts(merchant)).toEqual([980])
    expect((await earner.adjust()).status).toBe(201)
    expect((await other.adjust()).status).toBe(201)
  })
})

describe('POST /commissions/:id/reverse', () => {
  test('takes back a part and then all that is left, and says so to the partner, however often it is repeated', async () => {
    const earner = await createEarner()
    const { merchant, manager, commissionId, partnerId, eventId } = earner
    const path = `/commissions/${commissionId}/reverse`
    const part = { amountCents: 300, reason: 'Half of it was ours', externalId: 'rev-1' }
    const answers = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => manager.post(path, part)))
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200, 200, 200, 200, 200, 200, 200, 201,
    ])
    expect(answers[0]?.body).toMatchObject({
      kind: 'reversal',
      amountCents: -300,
      status: 'payable',
      partnerId,
      eventId,
      reversesId: commissionId,
      adjustment: {
        externalId: 'rev-1',
        reason: 'Half of it was ours',
        createdBy: `manager@${merchant.workspace.slug}.example`,
        commissionId,
      },
    })
    const other = await manager.post(path, { ...part, amountCents: 400 })
    expect([
      other.status,
      other.body.amountCents,
      other.headers.get('Idempotency-Mismatch'),
    ]).toEqual([200, -300, 'true'])
    expect(await payable(earner)).toEqual([680])
    const tooMuch = await manager.post(path, { ...part, amountCents: 681, externalId: 'rev-2' })
    expect([tooMuch.status, tooMuch.body.error?.message]).toEqual([
      409,
      'Only 6.80 USD of this commission is left. Reverse at most that.',
    ])
    const rest = await manager.post(path, { reason: 'Fraud' })
    expect([rest.status, rest.body.amountCents]).toEqual([201, -680])
    const again = await manager.post(path, { reason: 'Fraud' })
    expect([again.status, again.body.id]).toEqual([200, rest.body.id])
    const nothing = await manager.post(path, { ...part, externalId: 'rev-3' })
    expect([nothing.status, nothing.body.error?.code]).toEqual([409, 'conflict'])
    const { steps } = await merchant.explain(eventId)
    expect(steps.slice(-2).map(({ code, text }) => [code, text])).toEqual([
      [
        'reversed_by_hand',
        `manager@${merchant.workspace.slug}.example reversed 3.00 USD of the commission of “maya”: Half of it was ours`,
      ],
      [
        'reversed_by_hand',
        `manager@${merchant.workspace.slug}.example reversed 6.80 USD of the commission of “maya”: Fraud`,
      ],
    ])
    const log = (await database.audit(merchant)).filter(
      ({ action }) => action === 'commission.reversed',
    )
    expect(log.map(({ details }) => details)).toMatchObject([
      {
        amountCents: 300,
        currency: 'USD',
        slug: 'maya',
        reason: 'Half of it was ours',
        externalId: 'rev-1',
      },
      { amountCents: 680, reason: 'Fraud' },
    ])
    expect(await violations(merchant)).toEqual([])
  })

  test('eight reversals at once never take back more than the commission', async () => {
    const { merchant, manager, commissionId } = await createEarner()
    const answers = await Promise.all(
      [1, 2, 3, 4, 5, 6, 7, 8].map((n) =>
        manager.post(`/commissions/${commissionId}/reverse`, {
          amountCents: 300,
          reason: 'Ours',
          externalId: `rev-${n}`,
        }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5)
    expect(await amounts(merchant)).toEqual([-300, -300, -300, 980])
    expect(await violations(merchant)).toEqual([])
  })

  test('of a commission in a payout is deducted from the next one, and of a held one is held with it', async () => {
    const earner = await createEarner()
    const { merchant, manager, commissionId } = earner
    const run = await manager.post('/payouts/run', { method: 'manual' })
    expect(run.body.payouts).toMatchObject([{ amountCents: 980 }])
    await manager.post(`/commissions/${commissionId}/reverse`, { reason: 'Ours' })
    expect(await payable(earner)).toEqual([])
    const bonus = await earner.adjust({ amountCents: 1_500 })
    expect(await payable(earner)).toEqual([520])
    await manager.post(`/commissions/${bonus.body.id}/hold`, { note: 'Wait' })
    const part = { amountCents: 200, reason: 'Too much', externalId: 'rev-2' }
    const held = await manager.post(`/commissions/${bonus.body.id}/reverse`, part)
    expect(held.body).toMatchObject({ status: 'held', amountCents: -200 })
    expect(await payable(earner)).toEqual([])
    await manager.post(`/commissions/${bonus.body.id}/reject`)
    expect(await amounts(merchant, '?kind=reversal')).toEqual([-1_300, -200, -980])
    expect(await violations(merchant)).toEqual([])
  })

  test.each([
    {
      case: 'an amount without an id, which a repeat would take twice',
      body: { amountCents: 1, reason: 'x' },
    },
    { case: 'no reason', body: {} },
    { case: 'a negative amount', body: { amountCents: -1, reason: 'x', externalId: 'x' } },
    { case: 'half a cent', body: { amountCents: 0.5, reason: 'x', externalId: 'x' } },
  ])('$case is 400', async ({ body }) => {
    const { merchant, manager, commissionId } = await createEarner()
    expect((await manager.post(`/commissions/${commissionId}/reverse`, body)).status).toBe(400)
    expect(await amounts(merchant)).toEqual([980])
  })

  test('reversals, deductions and commissions of others are refused', async () => {
    const [earner, other] = await Promise.all([createEarner(), createEarner()])
    const { manager, commissionId } = earner
    const reverse = async (id: unknown) =>
      (await manager.post(`/commissions/${id}/reverse`, { reason: 'x' })).status
    expect([await reverse(other.commissionId), await reverse(newId()), await reverse('x')]).toEqual(
      [404, 404, 404],
    )
    const deduction = await earner.adjust()
    const reversal = await manager.post(`/commissions/${commissionId}/reverse`, { reason: 'x' })
    expect([await reverse(deduction.body.id), await reverse(reversal.body.id)]).toEqual([409, 409])
    expect(await amounts(other.merchant)).toEqual([980])
  })
})

describe('POST /commissions/:id/hold', () => {
  const NOTE = 'Order under investigation'

  test('holds any commission with a note, until it is released, rejected, or held again', async () => {
    const earner = await createEarner()
    const { merchant, manager, commissionId: id } = earner
    const held = await manager.post(`/commissions/${id}/hold`, { note: NOTE })
    expect(held).toMatchObject({
      status: 200,
      body: {
        status: 'held',
        hold: {
          reason: 'manual',
          note: NOTE,
          createdBy: `manager@${merchant.workspace.slug}.example`,
          evidenceEventId: null,
          resolution: null,
        },
      },
    })
    expect((await manager.post(`/commissions/${id}/hold`, { note: NOTE })).body).toEqual(held.body)
    const other = await manager.post(`/commissions/${id}/hold`, { note: 'Something else' })
    expect([other.status, other.body.error?.message]).toEqual([
      409,
      'This commission is held already. Release or reject it first.',
    ])
    expect(await payable(earner)).toEqual([])
    expect((await manager.post(`/commissions/${id}/release`)).body.status).toBe('payable')
    expect(await payable(earner)).toEqual([980])
    await manager.post(`/commissions/${id}/hold`, { note: 'Once more' })
    await manager.post(`/commissions/${id}/reject`)
    const rejected = await manager.post(`/commissions/${id}/hold`, { note: NOTE })
    expect([rejected.status, rejected.body.error?.message]).toEqual([
      409,
      'This commission was rejected, so there is nothing to hold.',
    ])
    expect(await amounts(merchant)).toEqual([-980, 980])
    expect((await database.audit(merchant)).map(({ action }) => action).slice(-4)).toEqual([
      'commission.held',
      'commission.released',
      'commission.held',
      'commission.rejected',
    ])
    expect(await violations(merchant)).toEqual([])
  })

  test('an adjustment or opening balance is held and rejected like a sale, also a deduction', async () => {
    const earner = await createEarner()
    const { merchant, manager } = earner
    const { body } = await earner.adjust({ amountCents: -300 })
    await manager.post(`/commissions/${body.id}/hold`, { note: NOTE })
    expect(await payable(earner)).toEqual([980])
    expect(await amounts(merchant, '?status=held')).toEqual([-300])
    const answers = await Promise.all(
      [1, 2, 3].map(() => manager.post(`/commissions/${body.id}/reject`)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await amounts(merchant)).toEqual([300, -300, 980])
    const log = (await database.audit(merchant)).filter(
      ({ action }) => action === 'commission.rejected',
    )
    expect(log).toHaveLength(1)
    expect(await violations(merchant)).toEqual([])
  })

  test('a commission in a payout, a reversal, and one that no longer counts cannot be held', async () => {
    const { merchant, manager, adjust, commissionId } = await createEarner()
    await manager.post('/payouts/run', { method: 'manual' })
    const paid = await manager.post(`/commissions/${commissionId}/hold`, { note: NOTE })
    expect([paid.status, paid.body.error?.message]).toEqual([
      409,
      'This commission is part of a payout. Cancel the payout before you hold it.',
    ])
    const { body } = await adjust()
    await manager.post(`/commissions/${body.id}/hold`, { note: NOTE })
    await manager.post(`/commissions/${body.id}/reject`)
    const [reversal] = (await merchant.get('/commissions')).body.data as { id: string }[]
    const refused = await manager.post(`/commissions/${reversal?.id}/hold`, { note: NOTE })
    expect([refused.status, refused.body.error?.message]).toEqual([
      409,
      'A reversal is held with the commission that it reverses. Hold that one.',
    ])
    expect((await manager.post(`/commissions/${commissionId}/hold`, {})).status).toBe(400)
    expect((await manager.post(`/commissions/${newId()}/hold`, { note: NOTE })).status).toBe(404)
    const member = merchant.as(await merchant.member())
    expect((await member.post(`/commissions/${commissionId}/hold`, { note: NOTE })).status).toBe(
      403,
    )
  })

  test('and a payout run at the same time: the commission is held or paid, never both', async () => {
    for (let round = 0; round < 5; round++) {
      const { merchant, manager, commissionId } = await createEarner()
      const [held, run] = await Promise.all([
        manager.post(`/commissions/${commissionId}/hold`, { note: NOTE }),
        manager.post('/payouts/run', { method: 'manual' }),
      ])
      expect((run.body.payouts as unknown[]).length).toBe(held.status === 200 ? 0 : 1)
      expect(await violations(merchant)).toEqual([])
    }
  })
})
