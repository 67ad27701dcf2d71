/**
 * Refunds that a manager records on a sale's page. docs/decisions.md, "Refunds reported by API".
 */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { refundByHand } from '../../lib/purchases/corrections/hand-refund.service.ts'
import { openShop } from '../support/buyers.ts'
import { type Fault, startFaultyDatabase } from '../support/faulty-database.ts'
import { codes, createMerchant, useDatabase } from '../support/merchant.ts'
import { fieldsOf, openPages } from '../support/pages.ts'

const database = useDatabase()

/** A merchant with a sale of 49.00 USD that earned "maya" 9.80, and its manager's pages. */
const open = async () => {
  const merchant = await createMerchant()
  const sale = await merchant.sale({ clickId: await merchant.click() })
  const path = `/events/${sale.body.eventId}`
  const pages = await openPages(merchant)
  /** The form as the page shows it, with what the manager types. */
  const fill = async (typed: Record<string, string>) => {
    const fields = fieldsOf((await pages.get(`${path}/refund`)).html)
    return { ...fields, reason: 'Returned the box', ...typed }
  }
  return {
    merchant,
    pages,
    path,
    fill,
    /** Opens the form, and sends it. */
    refund: async (amount: string, reason = 'Returned the box') =>
      pages.post(`${path}/refund`, await fill({ amount, reason })),
    reversed: async () => (await merchant.explain(sale.body.eventId)).commission?.reversedCents,
    refunds: () =>
      database.query<{ cents: number; id: string }>(
        `select id, amount_cents::int as cents from events where workspace_id = $1 and kind = 'refund' order by id`,
        [merchant.workspace.id],
      ),
    audited: async () =>
      (await database.audit(merchant)).filter(({ action }) => action === 'event.refunded'),
    sound: async () => expect(await database.violations(merchant.workspace.id)).toEqual([]),
  }
}

test('a manager refunds a part of a sale, then the rest, each with a reason that the partner sees', async () => {
  const { merchant, pages, path, refund, reversed, refunds, audited, sound } = await open()
  const base = `/app/${merchant.workspace.slug}${path}`
  expect((await pages.get(`${path}/refund`)).text).toContain(
    'Leave it empty to refund all that is left: $49.00.',
  )

  expect(await refund('24.50')).toMatchObject({ status: 303, location: `${base}?done=refunded` })
  expect(await reversed()).toBe(490)
  const after = (await pages.get(`${path}?done=refunded`)).text
  expect(after).toContain('Refund recorded.')
  expect(after).toContain('Refunded $24.50')
  expect(after).toContain('$24.50 of this sale is left to refund.')

  expect((await refund('', 'Sent the rest back')).status).toBe(303)
  expect(await reversed()).toBe(980)
  expect((await pages.get(path)).text).toContain('Nothing of this sale is left to refund.')

  const [first, second] = await refunds()
  expect([first?.cents, second?.cents]).toEqual([2_450, 2_450])
  const manager = `manager@${merchant.workspace.slug}.example`
  const explained = await merchant.explain(second?.id)
  expect(codes(explained)).toEqual(['refunded_by_hand', 'sale_refunded'])
  expect(explained.steps[0]?.text).toBe(
    `${manager} recorded this refund by hand: Sent the rest back`,
  )
  expect(await audited()).toMatchObject([
    {
      actor: manager,
      subject_id: first?.id,
      details: {
        externalId: 'inv_1',
        amountCents: 2_450,
        currency: 'USD',
        reason: 'Returned the box',
      },
    },
    {
      actor: manager,
      subject_id: second?.id,
      details: { amountCents: 2_450, reason: 'Sent the rest back' },
    },
  ])
  expect((await pages.get('/audit')).text).toContain(
    `${manager} recorded a refund of $24.50 of the sale “inv_1”: Sent the rest back`,
  )
  await sound()
})

test('a form that is sent twice refunds once, also at the same time, and with other values it is refused', async () => {
  const { pages, path, fill, refunds, audited, reversed, sound } = await open()
  const fields = await fill({ amount: '' })
  const answers = await Promise.all([1, 2, 3].map(() => pages.post(`${path}/refund`, fields)))
  expect(answers.map(({ status }) => status)).toEqual([303, 303, 303])
  expect((await pages.post(`${path}/refund`, fields)).status).toBe(303)
  const other = await pages.post(`${path}/refund`, { ...fields, reason: 'Something else' })
  expect(other.status).toBe(409)
  expect(other.text).toContain('This form was already submitted with other values')
  expect(await refunds()).toMatchObject([{ cents: 4_900 }])
  expect(await audited()).toHaveLength(1)
  expect(await reversed()).toBe(980)
  await sound()
})

test('different refunds at the same time never return more than the sale', async () => {
  const { pages, path, fill, refunds, reversed, sound } = await open()
  const forms = await Promise.all([1, 2, 3].map(() => fill({ amount: '20.00' })))
  await Promise.all(forms.map((fields) => pages.post(`${path}/refund`, fields)))
  const cents = (await refunds()).map((refund) => refund.cents)
  expect(cents.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(4_900)
  expect(await reversed()).toBe(
    Math.round((cents.reduce((sum, one) => sum + one, 0) * 980) / 4_900),
  )
  await sound()
})

test.each([
  {
    amount: '49.01',
    reason: 'x',
    says: 'Only 49.00 USD of this sale is left. Enter at most that.',
  },
  {
    amount: 'ten',
    reason: 'x',
    says: 'Enter an amount of the currency, such as 5.00, or nothing.',
  },
  { amount: '0', reason: 'x', says: 'Enter an amount of the currency, such as 5.00, or nothing.' },
  { amount: '-5', reason: 'x', says: 'Enter an amount of the currency, such as 5.00, or nothing.' },
  { amount: '5', reason: ' ', says: 'Must not be blank' },
])(
  '“$amount” with the reason “$reason” is refused with the form',
  async ({ amount, reason, says }) => {
    const { refund, refunds, audited } = await open()
    const { status, text, html } = await refund(amount, reason)
    expect(status).toBe(400)
    expect(text).toContain(says)
    expect(html).toContain(`value="${amount}"`)
    expect(await refunds()).toEqual([])
    expect(await audited()).toEqual([])
  },
)

test('a sale of nobody is refunded too, a lead and a refund are not, and another workspace’s sale is not found', async () => {
  const { merchant, pages, fill, refund, refunds, path } = await open()
  await merchant.sale({ externalId: 'lost' })
  await merchant.lead({})
  await refund('5.00')
  const fields = await fill({})
  const lost = await merchant.explainReport('sale', 'lost')
  expect((await pages.post(`/events/${lost?.id}/refund`, fields)).status).toBe(303)
  expect(await refunds()).toHaveLength(2)
  const lead = await merchant.explainReport('lead', 'user_1')
  const [recorded] = await refunds()
  for (const id of [lead?.id, recorded?.id, 'none']) {
    expect((await pages.get(`/events/${id}/refund`)).status).toBe(404)
    expect((await pages.post(`/events/${id}/refund`, fields)).status).toBe(404)
  }
  const other = await open()
  expect((await other.pages.get(`${path}/refund`)).status).toBe(404)
  expect((await other.pages.post(`${path}/refund`, fields)).status).toBe(404)
  expect(await other.refunds()).toEqual([])
  expect((await (await openPages(merchant, 'member')).post(`${path}/refund`, fields)).status).toBe(
    403,
  )
  expect((await (await openPages(merchant, 'member')).get(path)).html).not.toContain('/refund"')
})

test('a refund by hand and one at Stripe of the same sale are counted once, as the larger of the two', async () => {
  const { merchant, buyer: next, database: rows } = await openShop(database)
  const buyer = next()
  await buyer.invoice({ at: -60, metadata: { customerExternalId: buyer.id('user') } })
  const pages = await openPages(merchant)
  const sale = await merchant.explainReport('sale', buyer.id('in'))
  const maya = await pages.post(`/events/${sale?.id}/credit`, { partner: 'maya', reason: 'x' })
  expect(maya.status).toBe(303)
  const form = fieldsOf((await pages.get(`/events/${sale?.id}/refund`)).html)
  const fields = { ...form, reason: 'Returned the box' }
  expect((await pages.post(`/events/${sale?.id}/refund`, fields)).status).toBe(303)
  expect((await pages.post(`/events/${sale?.id}/refund`, fields)).status).toBe(303)
  const { commission } = await merchant.explain(sale?.id)
  expect(commission?.reversedCents).toBe(commission?.amountCents)
  const refund = (await merchant.get('/events?kind=refund')).body.data as {
    steps: { code: string }[]
  }[]
  expect(refund).toHaveLength(1)
  expect(refund[0]?.steps.map(({ code }) => code)).toEqual(['refunded_by_hand', 'sale_refunded'])
  await buyer.event('charge.refunded', {
    id: buyer.id('ch'),
    object: 'charge',
    payment_intent: buyer.id('pi'),
    amount: 4_900,
    amount_refunded: 4_900,
    currency: 'usd',
  })
  expect((await merchant.explain(sale?.id)).commission?.reversedCents).toBe(commission?.amountCents)
  expect(await rows.violations(merchant.workspace.id)).toEqual([])
})

describe('a refund whose database fails is recorded once, or repeated until it is', {
  tags: 'thorough',
}, () => {
  let faulty: Awaited<ReturnType<typeof startFaultyDatabase>>
  beforeAll(async () => {
    faulty = await startFaultyDatabase(inject('database').SQL_ENDPOINT)
  })
  afterAll(() => faulty.stop())

  /** A refund of half a sale that earned; `isJoined`: Stripe has reported the sale. */
  const stage = async (isJoined: boolean) => {
    const { merchant, buyer: next } = await openShop(database)
    const buyer = next()
    const clickId = await buyer.click()
    if (isJoined)
      await buyer.checkout({ at: 60, amount_total: 4_900, client_reference_id: clickId })
    else await buyer.sale({ clickId })
    const saleExternalId = isJoined ? buyer.id('cs_test') : buyer.id('order')
    const recorded = await database.query<{ id: string; externalId: string }>(
      `select id, external_id as "externalId" from events where workspace_id = $1 and kind = 'sale'`,
      [merchant.workspace.id],
    )
    const [sale = { id: '', externalId: saleExternalId }] = recorded
    const tenant = [merchant.workspace.id]
    const byHand = { reason: 'Returned', by: 'ann@shop.example' }
    const report = {
      externalId: buyer.id('refund'),
      saleExternalId: sale.externalId,
      requested: { amountCents: 2_450, currency: 'USD', byHand },
      eventName: 'refund',
      metadata: null,
    }
    return {
      plan: (...faults: (Fault | null)[]) => faulty.plan(tenant, faults),
      fetches: () => faulty.fetches(tenant) ?? 0,
      left: () => faulty.left(tenant),
      refund: () => {
        const db = connect({ ...inject('database'), SQL_ENDPOINT: faulty.url })
        const act = {
          workspaceId: merchant.workspace.id,
          actor: 'ann@shop.example',
          now: new Date(),
        }
        return refundByHand(db, act, report)
      },
      result: async () => ({
        reversed: (await merchant.explain(sale.id)).commission?.reversedCents,
        refunds: (
          (await merchant.get('/events?kind=refund')).body.data as { amountCents: number }[]
        ).map(({ amountCents }) => amountCents),
        entries: (await database.audit(merchant)).filter(
          ({ action }) => action === 'event.refunded',
        ).length,
        violations: await database.violations(merchant.workspace.id),
      }),
    }
  }

  test.each([
    { case: 'of a reported sale', isJoined: false },
    { case: 'of a sale that Stripe reported', isJoined: true },
  ])('$case', async ({ isJoined }) => {
    const calm = await stage(isJoined)
    calm.plan()
    expect(await calm.refund()).toEqual({ outcome: 'refunded' })
    const expected = await calm.result()
    expect(expected).toEqual({ reversed: 490, refunds: [2_450], entries: 1, violations: [] })
    const fetches = calm.fetches()
    expect(fetches).toBeGreaterThanOrEqual(3)

    const faults: Fault[] = ['cut_before', 'cut_after']
    const cases = faults.flatMap((fault) =>
      Array.from({ length: fetches }, (_, at) =>
        [1, 3].map((times) => ({ fault, at, times })),
      ).flat(),
    )
    const check = async ({ fault, at, times }: (typeof cases)[number]) => {
      const { plan, left, refund, result } = await stage(isJoined)
      plan(...Array(at).fill(null), ...Array(times).fill(fault))
      const first = await refund().catch((error) => error)
      if (first instanceof Error) {
        expect({ fault, at, times, first: first.name }).toMatchObject({ first: 'Unavailable' })
        plan()
        expect(await refund()).toEqual({ outcome: 'refunded' })
      } else
        expect({ fault, at, times, left: left() === 0, ...first }).toMatchObject({
          left: true,
          outcome: 'refunded',
        })
      expect({ fault, at, times, ...(await result()) }).toEqual({ fault, at, times, ...expected })
    }
    while (cases.length > 0) await Promise.all(cases.splice(0, 4).map(check))
  })
})
