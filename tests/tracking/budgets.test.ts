/** A program's monthly budget holds what exceeds it. docs/budgets.md. */
import { describe, expect, test } from 'vitest'
import { exceedsBudget } from '../../lib/rules/programs/budgets.ts'
import { codes, createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { checkoutSession, stripeEvent, stripeId, useStripe } from '../support/stripe.ts'

const database = useDatabase()

test.each([
  { case: 'exactly what is left', earns: 200n, spent: 800, exceeds: false },
  { case: 'a cent more than is left', earns: 201n, spent: 800, exceeds: true },
  { case: 'another currency', earns: 5_000n, currency: 'EUR', spent: 800, exceeds: false },
  { case: 'a used-up budget', earns: 1n, spent: 1_000, exceeds: true },
  {
    case: 'a month with more reversals than commissions',
    earns: 1_100n,
    spent: -100,
    exceeds: false,
  },
])('$case', ({ earns, currency = 'USD', spent, exceeds }) => {
  const budget = { month: '2026-11', budgetCents: 1_000, currency: 'USD', spentCents: spent }
  expect(exceedsBudget({ amountCents: earns, currency }, budget)).toBe(exceeds)
  expect(exceedsBudget({ amountCents: earns, currency }, null)).toBe(false)
})

/** A merchant whose program pays 20% of sales, up to 10.00 USD in a month. */
const openBudget = async (options: Parameters<typeof createMerchant>[0] = {}, cents = 1_000) => {
  const merchant = await createMerchant(options)
  const manager = await merchant.asManager()
  const { status, body } = await manager.patch(`/programs/${merchant.programId}`, {
    monthlyBudget: { amountCents: cents, currency: 'usd' },
  })
  expect(status).toBe(200)
  expect(body.monthlyBudget).toEqual({ amountCents: cents, currency: 'USD' })
  const clickId = await merchant.click()
  /** A sale of a customer of its own, of which the partner earns so many cents. */
  const earn = async (id: string, earned: number, more: Record<string, unknown> = {}) => {
    const { status, body } = await merchant.sale({
      ...{ externalId: id, customerExternalId: `user of ${id}`, clickId },
      ...{ amountCents: earned * 5, ...more },
    })
    expect({ status, body }).toMatchObject({ status: 200, body: { attributed: true } })
    return state(merchant, id)
  }
  return { merchant, manager, clickId, earn }
}

/** What has become of what a sale or lead has earned: its status, and why it is held, if it is. */
const state = async (merchant: Merchant, id: string, kind: 'sale' | 'lead' = 'sale') => {
  const event = await merchant.explainReport(kind, id)
  const isOver = codes(event)?.includes('over_budget')
  return [event?.commission?.status, ...(isOver ? ['over_budget'] : [])].join(' ')
}

const HELD = 'held over_budget'

const noViolations = async ({ workspace }: Merchant) =>
  expect(await database.violations(workspace.id)).toEqual([])

const commissionId = async (merchant: Merchant, id: string) =>
  (await merchant.explainReport('sale', id))?.commission?.id

test('what exceeds the budget is held: neither what reaches it exactly, nor what is left after it', async () => {
  const { merchant, earn } = await openBudget()
  expect(await earn('a', 600)).toBe('pending')
  expect(await earn('more', 401)).toBe(HELD)
  // What is held counts, so nothing is left for anybody.
  expect(await earn('b', 400)).toBe(HELD)
  const event = await merchant.explainReport('sale', 'b')
  expect(event?.steps).toContainEqual(
    expect.objectContaining({
      code: 'over_budget',
      facts: {
        month: new Date().toISOString().slice(0, 7),
        ...{ budgetCents: 1_000, currency: 'USD', spentCents: 1_001 },
      },
    }),
  )
  const { body } = await merchant.get('/commissions?status=held')
  expect(body.data).toMatchObject([
    { amountCents: 400, hold: { reason: 'over_budget' } },
    { amountCents: 401, hold: { reason: 'over_budget' } },
  ])
  await noViolations(merchant)
})

test('managers are mailed once a month that the budget is used up', async () => {
  const { merchant, earn } = await openBudget()
  const mails = () =>
    database.query(
      `select details ->> 'notice' as notice, details ->> 'programName' as program, details ->> 'day' as day
       from mails where workspace_id = $1 and kind = 'workspace_notice'`,
      [merchant.workspace.id],
    )
  await earn('a', 1_000)
  expect(await mails()).toEqual([])
  await Promise.all(Array.from({ length: 8 }, (_, n) => earn(`more ${n}`, 100)))
  await earn('last', 100)
  const day = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
  expect(await mails()).toEqual([
    { notice: 'budget_used', program: expect.any(String), day: day.format(new Date()) },
  ])
  await noViolations(merchant)
})

test('exactly the budget is payable, before and after the totals are folded', async () => {
  const { merchant, earn } = await openBudget()
  expect(await earn('a', 600)).toBe('pending')
  await database.query('select fold_totals(100000)')
  expect(await earn('b', 400)).toBe('pending')
  expect(await earn('c', 1)).toBe(HELD)
  await noViolations(merchant)
})

test('other currencies and other programs have no part in it', async () => {
  const { merchant, earn } = await openBudget()
  const { seed, workspace } = merchant
  const other = await seed.addProgram(workspace.id)
  await seed.addPartner(workspace.id, other, { slug: 'nora' })
  const nora = await merchant.click('nora', other)
  expect(await earn('euro', 5_000, { currency: 'EUR' })).toBe('pending')
  expect(await earn('other', 5_000, { clickId: nora })).toBe('pending')
  expect(await earn('a', 1_000)).toBe('pending')
  expect(await earn('again', 5_000, { clickId: nora })).toBe('pending')
  expect(await earn('b', 1)).toBe(HELD)
})

test('refunds and rejections free the budget, and what is released counts', async () => {
  const { merchant, manager, earn } = await openBudget()
  expect(await earn('a', 1_000)).toBe('pending')
  expect(await earn('b', 500)).toBe(HELD)
  const reject = await manager.post(`/commissions/${await commissionId(merchant, 'b')}/reject`)
  expect(reject.status).toBe(200)
  await merchant.refund({ saleExternalId: 'a', amountCents: 2_500 })
  expect(await earn('c', 500)).toBe('pending')
  expect(await earn('d', 100)).toBe(HELD)
  await manager.post(`/commissions/${await commissionId(merchant, 'd')}/release`)
  expect(await state(merchant, 'd')).toBe('pending over_budget')
  // Of 11.00, 2.00 are reversed: 1.00 is left.
  await merchant.refund({ externalId: 'ref_2', saleExternalId: 'c', amountCents: 1_000 })
  expect(await earn('e', 101)).toBe(HELD)
  await noViolations(merchant)
})

test('each month has a budget of its own, by the time of the sale', async () => {
  const { merchant, clickId, earn } = await openBudget()
  const today = new Date()
  const occurredAt = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 0, 12))
  await database.query(
    `update clicks set created_at = created_at - interval '40 days', expires_at = expires_at + interval '40 days'
     where workspace_id = $1 and id = $2`,
    [merchant.workspace.id, clickId],
  )
  expect(await earn('a', 1_000)).toBe('pending')
  expect(await earn('old', 1_000, { occurredAt })).toBe('pending')
  expect(await earn('older', 1, { occurredAt })).toBe(HELD)
  expect(await earn('b', 1)).toBe(HELD)
  await noViolations(merchant)
})

test('a held commission stays held, whatever the budget is changed to, and a payable one payable', async () => {
  const { merchant, manager, earn } = await openBudget()
  expect(await earn('a', 900)).toBe('pending')
  expect(await earn('b', 200)).toBe(HELD)
  const change = (monthlyBudget: object | null) =>
    manager.patch(`/programs/${merchant.programId}`, { monthlyBudget })
  await change({ amountCents: 100, currency: 'USD' })
  expect(await state(merchant, 'a')).toBe('pending')
  await change(null)
  expect(await state(merchant, 'b')).toBe(HELD)
  expect(await earn('c', 5_000)).toBe('pending')
  await change({ amountCents: 100_000, currency: 'USD' })
  expect(await earn('d', 5_000)).toBe('pending')
})

describe('a sale that is decided again', () => {
  const openTwo = async () => {
    const { merchant, manager, earn } = await openBudget()
    const { seed, workspace, programId } = merchant
    const leo = await seed.addPartner(workspace.id, programId, { slug: 'leo' })
    const other = await seed.addProgram(workspace.id)
    const nora = await seed.addPartner(workspace.id, other, { slug: 'nora' })
    const credit = async (id: string, partnerId: string) => {
      const event = await merchant.explainReport('sale', id)
      const { status } = await manager.post(`/events/${event?.id}/credit`, {
        ...{ partnerId, reason: 'Agreed by phone', customer: false },
      })
      expect(status).toBe(200)
      return state(merchant, id)
    }
    return { merchant, manager, earn, credit, leo, nora, maya: merchant.partnerId }
  }

  test('keeps its step and hold with another partner of the program', async () => {
    const { merchant, manager, earn, credit, leo, maya } = await openTwo()
    expect(await earn('a', 1_000)).toBe('pending')
    expect(await earn('b', 100)).toBe(HELD)
    expect(await credit('b', leo)).toBe(HELD)
    await manager.post(`/commissions/${await commissionId(merchant, 'b')}/release`)
    expect(await credit('b', maya)).toBe('pending over_budget')
    // It was payable, and the budget has been used up by others since.
    expect(await credit('a', leo)).toBe('pending')
    await noViolations(merchant)
  })

  test('is decided by the budget of the other program that it is credited in', async () => {
    const { merchant, earn, credit, leo, nora } = await openTwo()
    expect(await earn('a', 1_000)).toBe('pending')
    expect(await earn('b', 100)).toBe(HELD)
    expect(await credit('b', nora)).toBe('pending')
    expect(await earn('c', 100)).toBe(HELD)
    expect(await credit('b', leo)).toBe(HELD)
    await noViolations(merchant)
  })

  test('is held once it is credited, if nobody was at first', async () => {
    const { merchant, earn, credit, leo } = await openTwo()
    expect(await earn('a', 1_000)).toBe('pending')
    await merchant.sale({ externalId: 'b', customerExternalId: 'user of b', amountCents: 500 })
    expect(await credit('b', leo)).toBe(HELD)
  })

  test('keeps both when Stripe reports it too', async () => {
    const { merchant, clickId, earn } = await openBudget()
    const stripe = await useStripe(merchant)
    const payment = stripeId('pi')
    expect(await earn('a', 1_000)).toBe('pending')
    expect(await earn(payment, 980)).toBe(HELD)
    const session = checkoutSession({ payment_intent: payment, client_reference_id: clickId })
    await stripe.deliver(stripeEvent('checkout.session.completed', session))
    expect(await state(merchant, payment)).toBe(HELD)
    await noViolations(merchant)
  })
})

test('the commission of a lead counts, and is held', async () => {
  const { merchant, clickId, earn } = await openBudget({
    group: { leadReward: { amountCents: 600n, currency: 'USD' } },
  })
  const lead = async (externalId: string) => {
    await merchant.lead({ externalId, clickId })
    return state(merchant, externalId, 'lead')
  }
  expect(await lead('ann')).toBe('pending')
  expect(await lead('bob')).toBe(HELD)
  expect(await earn('a', 1)).toBe(HELD)
  await noViolations(merchant)
})

test('what Stripe reports is held alike', async () => {
  const { merchant, clickId, earn } = await openBudget()
  const stripe = await useStripe(merchant)
  const pay = async () => {
    const payment = stripeId('pi')
    const session = checkoutSession({ payment_intent: payment, client_reference_id: clickId })
    await stripe.deliver(stripeEvent('checkout.session.completed', session))
    return state(merchant, payment)
  }
  expect(await pay()).toBe('pending')
  expect(await pay()).toBe(HELD)
  expect(await earn('a', 20)).toBe(HELD)
  await noViolations(merchant)
})

test('nothing is held in shadow mode, because nothing is payable', async () => {
  const { merchant, manager, earn } = await openBudget()
  await manager.patch(`/programs/${merchant.programId}`, { mode: 'shadow' })
  expect(await earn('a', 2_000)).toBe('shadow')
  await manager.post(`/programs/${merchant.programId}/cut-over`, { expected: [] })
  expect(await earn('b', 1_000)).toBe('pending')
  expect(await earn('c', 1)).toBe(HELD)
})

test('sales of a batch spend the budget in their order', async () => {
  const { merchant, clickId } = await openBudget()
  const { status } = await merchant.post('/api/track/batch', {
    events: [400, 400, 400, 100, 100].map((earned, n) => ({
      ...{ kind: 'sale', externalId: `n${n}`, customerExternalId: `user_${n}`, clickId },
      amountCents: earned * 5,
    })),
  })
  expect(status).toBe(200)
  const states = await Promise.all([0, 1, 2, 3, 4].map((n) => state(merchant, `n${n}`)))
  expect(states).toEqual(['pending', 'pending', HELD, HELD, HELD])
  await noViolations(merchant)
})

test('a commission that is held for another reason too names that one', async () => {
  const { manager, earn } = await openBudget()
  expect(await earn('a', 1_000)).toBe('pending')
  expect(await earn('own', 100, { customerExternalId: 'maya@partner.example' })).toBe(HELD)
  const { body } = await manager.get('/commissions?status=held')
  expect(body.data).toMatchObject([{ hold: { reason: 'self_referral' } }])
})
