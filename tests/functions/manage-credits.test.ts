/** Events that a manager credits by hand. docs/decisions.md, "Credits by hand". */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import { creditEvent } from '../../lib/purchases/corrections/credit.service.ts'
import { openShop, type Shop } from '../support/buyers.ts'
import { type Fault, startFaultyDatabase } from '../support/faulty-database.ts'
import { codes, createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { refund } from '../support/stripe.ts'
import { sampled } from '../support/thorough.ts'

const database = useDatabase()

const leadReward = { leadReward: { kind: 'flat', amountCents: 500n, currency: 'USD' } as const }

/** A merchant with the partners "maya" and "leo". */
const open = async (options: Parameters<typeof createMerchant>[0] = {}) => {
  const merchant = await createMerchant({ manualPayouts: true, ...options })
  const leo = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'leo',
  })
  const manager = await merchant.asManager()
  const credit = (eventId: unknown, partnerId: string | null, more: Record<string, unknown> = {}) =>
    manager.post(`/events/${eventId}/credit`, {
      partnerId,
      reason: 'Told us on the phone',
      ...more,
    })
  return { merchant, manager, maya: merchant.partnerId, leo, credit }
}

/** What each partner has earned, in cents, by its slug. */
const earned = async ({ workspace }: Merchant) => {
  const rows = await database.query<{ slug: string; cents: number }>(
    `select p.slug, sum(c.amount_cents)::int as cents from commissions c join partners p on p.id = c.partner_id
     where c.workspace_id = $1 group by p.slug order by p.slug`,
    [workspace.id],
  )
  return Object.fromEntries(rows.map(({ slug, cents }) => [slug, cents]))
}

const sound = async ({ workspace }: Merchant) =>
  expect(await database.violations(workspace.id)).toEqual([])

describe('POST /events/:id/credit', () => {
  test('credits a sale that nobody was credited with, and says who decided it and why', async () => {
    const { merchant, credit, maya } = await open()
    await merchant.sale({})
    const before = await merchant.explainReport('sale', 'inv_1')
    const { status, body } = await credit(before?.id, maya)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        id: before?.id,
        attributed: true,
        attributedBy: 'manual',
        partner: { slug: 'maya' },
        commission: { amountCents: 980, reversedCents: 0 },
      },
    })
    const { steps } = body as unknown as { steps: { code: string; text: string }[] }
    expect(steps.map(({ code }) => code)).toEqual([
      'credited_by_hand',
      'program_reward',
      'commission_created',
    ])
    expect(steps[0]?.text).toBe(
      `manager@${merchant.workspace.slug}.example credited “maya” by hand: Told us on the phone`,
    )
    expect((await credit(before?.id, maya)).body).toEqual(body)
    // The repeated report is answered with the event.
    expect((await merchant.sale({})).body).toMatchObject({ eventId: before?.id, attributed: true })
    expect(
      (await database.audit(merchant)).filter(({ action }) => action === 'event.credited'),
    ).toMatchObject([
      {
        subject_id: before?.id,
        details: { externalId: 'inv_1', slug: 'maya', reason: 'Told us on the phone' },
      },
    ])
    expect(await earned(merchant)).toEqual({ maya: 980 })
    await sound(merchant)
  })

  test('takes a sale from the former partner, whose paid commission is deducted, and gives it back', async () => {
    const { merchant, manager, credit, maya, leo } = await open()
    const sale = await merchant.sale({ clickId: await merchant.click() })
    await database.age(merchant, '31 days')
    await manager.post('/payouts/run', { method: 'manual' })
    expect((await credit(sale.body.eventId, leo)).status).toBe(200)
    expect(await earned(merchant)).toEqual({ maya: 0, leo: 980 })
    const { steps } = await merchant.explain(sale.body.eventId)
    expect(codes({ steps })).toEqual([
      'credited_by_hand',
      'program_reward',
      'commission_created',
      'commission_replaced',
    ])
    expect(
      (await manager.post('/payouts/run', { dryRun: true, method: 'manual' })).body.payouts,
    ).toMatchObject([{ amountCents: 980 }])
    await credit(sale.body.eventId, maya)
    expect(await earned(merchant)).toEqual({ maya: 980, leo: 0 })
    await credit(sale.body.eventId, null, { reason: 'Our own test' })
    expect(await earned(merchant)).toEqual({ maya: 0, leo: 0 })
    expect(await merchant.explain(sale.body.eventId)).toMatchObject({
      attributed: false,
      partner: null,
    })
    await sound(merchant)
  })

  test('credits a lead, moves it to another partner, and takes the credit away', async () => {
    const { merchant, credit, maya, leo } = await open()
    const group = await merchant.seed.addGroup(
      merchant.workspace.id,
      merchant.programId,
      leadReward,
    )
    for (const id of [maya, leo])
      await database.query('update partners set group_id = $2 where id = $1', [id, group])
    await merchant.lead({})
    const lead = await merchant.explainReport('lead', 'user_1')
    const answers = await Promise.all([1, 2, 3, 4].map(() => credit(lead?.id, maya)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(answers[0]?.body).toMatchObject({ kind: 'lead', commission: { amountCents: 500 } })
    await credit(lead?.id, leo)
    expect(await earned(merchant)).toEqual({ maya: 0, leo: 500 })
    await credit(lead?.id, null)
    expect(await earned(merchant)).toEqual({ maya: 0, leo: 0 })
    await credit(lead?.id, leo)
    expect(await earned(merchant)).toEqual({ maya: 0, leo: 500 })
    await sound(merchant)
  })

  test('a customer of nobody belongs to the partner from then on; another’s only if it is asked for', async () => {
    const { merchant, credit, maya, leo } = await open({
      program: { attribute_known_customers: true },
    })
    await merchant.sale({})
    const first = await merchant.explainReport('sale', 'inv_1')
    await credit(first?.id, maya)
    const second = await merchant.sale({ externalId: 'inv_2' })
    expect((await merchant.explain(second.body.eventId)).partner?.slug).toBe('maya')
    await credit(second.body.eventId, leo)
    const third = await merchant.sale({ externalId: 'inv_3' })
    expect((await merchant.explain(third.body.eventId)).partner?.slug).toBe('maya')
    await credit(second.body.eventId, leo, { customer: true, reason: 'Leo looks after it' })
    const fourth = await merchant.sale({ externalId: 'inv_4' })
    expect((await merchant.explain(fourth.body.eventId)).partner?.slug).toBe('leo')
    await sound(merchant)
  })

  test('what arrives later never undoes it: a repeat, a late lead, a lead’s click before the payment', async () => {
    const { merchant, credit, leo } = await open({ program: { attribute_known_customers: true } })
    const clickId = await merchant.click()
    await merchant.sale({})
    const sale = await merchant.explainReport('sale', 'inv_1')
    const other = await merchant.sale({ externalId: 'inv_2' })
    expect(other.body.attributed).toBe(false)
    await credit(sale?.id, leo)
    await merchant.lead({ clickId })
    await merchant.sale({})
    expect(await merchant.explain(sale?.id)).toMatchObject({
      attributedBy: 'manual',
      partner: { slug: 'leo' },
    })
    const refused = await merchant.explainReport('sale', 'inv_2')
    await credit(refused?.id, null, { reason: 'Our own test' })
    await merchant.lead({ externalId: 'again', customerExternalId: 'user_1', clickId })
    expect(await merchant.explain(refused?.id)).toMatchObject({ attributed: false })
    await sound(merchant)
  })

  test('what was refunded before and after it reduces it, and a refund is credited as its sale is', async () => {
    const { merchant, credit, maya, leo } = await open()
    await merchant.sale({})
    const refund = (externalId: string) =>
      merchant.post('/api/track/refund', {
        externalId,
        saleExternalId: 'inv_1',
        amountCents: 1_225,
      })
    await refund('re_1')
    const sale = await merchant.explainReport('sale', 'inv_1')
    await credit(sale?.id, maya)
    expect(await earned(merchant)).toEqual({ maya: 735 })
    await refund('re_2')
    expect(await earned(merchant)).toEqual({ maya: 490 })
    await credit(sale?.id, leo)
    expect(await earned(merchant)).toEqual({ leo: 490, maya: 0 })
    const { body } = await merchant.get('/events?kind=refund')
    const [returned] = (body as unknown as { data: { id: string; partner: { slug: string } }[] })
      .data
    expect([returned?.partner.slug, (await credit(returned?.id, maya)).status]).toEqual([
      'leo',
      409,
    ])
    await sound(merchant)
  })

  test('credits, refunds and reversals at the same time leave what is left to the last partner', async () => {
    const { merchant, manager, credit, leo } = await open()
    const sale = await merchant.sale({ clickId: await merchant.click() })
    const { commission } = await merchant.explain(sale.body.eventId)
    const answers = await Promise.all([
      ...[1, 2, 3, 4].map((n) =>
        merchant.post('/api/track/refund', {
          externalId: `re_${n}`,
          saleExternalId: 'inv_1',
          amountCents: 490,
        }),
      ),
      credit(sale.body.eventId, leo),
      credit(sale.body.eventId, leo),
      manager.post(`/commissions/${commission?.id}/reverse`, { reason: 'Ours' }),
    ])
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    expect(await earned(merchant)).toEqual({ maya: 0, leo: 588 })
    await sound(merchant)
  })

  test('concurrent credits to two partners, payouts, reversals and releases leave one partner with one commission', async () => {
    const { merchant, manager, credit, maya, leo } = await open()
    const sale = await merchant.sale({ clickId: await merchant.click() })
    await database.age(merchant, '31 days')
    const { commission } = await merchant.explain(sale.body.eventId)
    await manager.post(`/commissions/${commission?.id}/hold`, { note: 'Wait' })
    const answers = await Promise.all([
      ...[leo, maya, leo, maya, leo, null].map((partnerId) => credit(sale.body.eventId, partnerId)),
      manager.post(`/commissions/${commission?.id}/release`),
      manager.post('/payouts/run', { method: 'manual' }),
    ])
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    const last = await credit(sale.body.eventId, leo, { reason: 'The last word' })
    expect(last.status).toBe(200)
    expect(await earned(merchant)).toEqual({ maya: 0, leo: 980 })
    await sound(merchant)
  })

  test.each([
    ['no reason', { partnerId: null, reason: '' }],
    ['no partner', { reason: 'x' }],
    ['an unknown field', { partnerId: null, reason: 'x', amountCents: 1 }],
  ])('%s is 400', async (_, body) => {
    const { merchant, manager } = await open()
    const sale = await merchant.sale({ clickId: await merchant.click() })
    expect((await manager.post(`/events/${sale.body.eventId}/credit`, body)).status).toBe(400)
  })

  test('banned partners, others’ partners and events, and rejected commissions are refused', async () => {
    const [{ merchant, manager, credit, maya, leo }, other] = await Promise.all([open(), open()])
    const sale = await merchant.sale({ clickId: await merchant.click() })
    const { eventId } = sale.body
    const status = async (answer: ReturnType<typeof credit>) => (await answer).status
    expect([
      await status(credit(eventId, other.leo)),
      await status(credit(eventId, newId())),
      await status(credit(newId(), leo)),
      await status(other.credit(eventId, other.leo)),
    ]).toEqual([404, 404, 404, 404])
    await manager.patch(`/partners/${leo}`, { status: 'banned' })
    const banned = await credit(eventId, leo)
    expect([banned.status, banned.body.error?.message]).toEqual([
      409,
      'This partner is banned. Approve the partner before you credit it.',
    ])
    const { commission } = await merchant.explain(eventId)
    await manager.post(`/commissions/${commission?.id}/hold`, { note: 'Ours?' })
    await manager.post(`/commissions/${commission?.id}/reject`)
    expect(await status(credit(eventId, maya))).toBe(409)
    expect(await earned(merchant)).toEqual({ maya: 0 })
    await sound(merchant)
  })
})

describe('a sale that Stripe reports', () => {
  const sale = (shop: Shop, name: string) => shop.merchant.explainReport('sale', name)
  const creditAs = async (shop: Shop, id: string, slug: string) => {
    const [partner] = await database.query<{ id: string }>(
      'select id from partners where workspace_id = $1 and slug = $2',
      [shop.merchant.workspace.id, slug],
    )
    const event = await sale(shop, id)
    const answer = await shop.manager.post(`/events/${event?.id}/credit`, {
      partnerId: partner?.id,
      reason: 'Told us',
    })
    expect(answer.status).toBe(200)
    return answer.body
  }

  test('stays credited by hand when its events arrive again, with another amount or a refund, and takes its renewals along', async () => {
    const shop = await openShop(database)
    const { merchant } = shop
    const buyer = shop.buyer()
    const first = { at: 60, parent: ofSubscription(buyer.id('sub'), 'subscription_create') }
    await buyer.invoice(first)
    await buyer.invoice({ id: buyer.id('in2'), at: 90, parent: ofSubscription(buyer.id('sub')) })
    expect(await earned(merchant)).toEqual({})
    await creditAs(shop, buyer.id('in'), 'leo')
    expect(await earned(merchant)).toEqual({ leo: 2 * 980 })
    await buyer.invoice(first)
    await buyer.lead({ clickId: await buyer.click('maya'), customerExternalId: buyer.id('cus') })
    expect(await sale(shop, buyer.id('in'))).toMatchObject({
      attributedBy: 'manual',
      partner: { slug: 'leo' },
    })
    await creditAs(shop, buyer.id('in'), 'nora')
    expect((await sale(shop, buyer.id('in')))?.partner?.slug).toBe('nora')
    expect((await sale(shop, buyer.id('in2')))?.partner?.slug).toBe('nora')
    await sound(merchant)
  })

  test('what was refunded before and after reduces what is credited, in every order', async () => {
    const shop = await openShop(database)
    const { merchant } = shop

    for (const isCreditedFirst of [true, false]) {
      const buyer = shop.buyer()
      await buyer.checkout({ at: 10, payment_status: 'paid' })
      const half = refund({ id: buyer.id('re'), payment_intent: buyer.id('pi'), amount: 2_450 })
      const refunded = () => buyer.event('refund.created', half)
      if (!isCreditedFirst) await refunded()
      await creditAs(shop, buyer.id('pi'), 'leo')
      if (isCreditedFirst) await refunded()
      expect(await sale(shop, buyer.id('pi'))).toMatchObject({
        partner: { slug: 'leo' },
        commission: { amountCents: 980, reversedCents: 490 },
      })
    }
    await sound(merchant)
  })
})

/** What an invoice says of its subscription. */
const ofSubscription = (subscription: string, reason = 'subscription_cycle') => ({
  type: 'subscription_details',
  subscription_details: { subscription, metadata: { reason } },
})

describe('a credit whose database fails is made once, or repeated until it is', {
  tags: 'thorough',
}, () => {
  let faulty: Awaited<ReturnType<typeof startFaultyDatabase>>
  beforeAll(async () => {
    faulty = await startFaultyDatabase(inject('database').SQL_ENDPOINT)
  })
  afterAll(() => faulty.stop())

  type Failure = { fault: Fault; times: number }

  /** For good, before the commit and after it: the manager repeats the credit. */
  const LASTING: Failure[] = [
    { fault: 'cut_before', times: 3 },
    { fault: 'cut_after', times: 3 },
  ]
  const OTHERS: Failure[] = [
    { fault: 'cut_before', times: 1 },
    { fault: 'cut_after', times: 1 },
    { fault: 'own_twin', times: 1 },
    { fault: 'own_twin', times: 3 },
  ]

  /** An event of a merchant of its own, which a manager credits to "leo". */
  const EVENTS = {
    'a sale of nobody': async (merchant: Merchant) => {
      await merchant.sale({})
      return merchant.explainReport('sale', 'inv_1')
    },
    'a sale of another partner, half refunded': async (merchant: Merchant) => {
      await merchant.sale({ clickId: await merchant.click() })
      await merchant.refund({ amountCents: 2_450 })
      return merchant.explainReport('sale', 'inv_1')
    },
    'a lead': async (merchant: Merchant) => {
      await merchant.lead({})
      return merchant.explainReport('lead', 'user_1')
    },
  }

  const stage = async (kind: keyof typeof EVENTS) => {
    const { merchant, leo } = await open({ group: leadReward })
    const { workspace } = merchant
    const [group] = await database.query<{ id: string }>(
      'select id from groups where workspace_id = $1',
      [workspace.id],
    )
    await database.query('update partners set group_id = $2 where id = $1', [leo, group?.id])
    const event = await EVENTS[kind](merchant)
    const tenant = [workspace.id]
    const act = { workspaceId: workspace.id, actor: 'ann@shop.example' }
    return {
      plan: (...faults: (Fault | null)[]) => faulty.plan(tenant, faults),
      fetches: () => faulty.fetches(tenant) ?? 0,
      left: () => faulty.left(tenant),
      credit: () => {
        const db = connect({ ...inject('database'), SQL_ENDPOINT: faulty.url })
        return creditEvent(db, { ...act, now: new Date() }, event?.id ?? '', {
          partnerId: leo,
          reason: 'By phone',
          customer: false,
        })
      },
      result: async () => ({
        earned: await earned(merchant),
        entries: (await database.audit(merchant)).filter(
          ({ action }) => action === 'event.credited',
        ).length,
        steps: codes((await merchant.explain(event?.id)) as Parameters<typeof codes>[0]),
        violations: await database.violations(workspace.id),
      }),
    }
  }

  test.each(Object.keys(EVENTS) as (keyof typeof EVENTS)[])('%s', async (kind) => {
    const calm = await stage(kind)
    calm.plan()
    expect(await calm.credit()).toBe('credited')
    const expected = await calm.result()
    expect(expected).toMatchObject({
      earned: { leo: expect.any(Number) },
      entries: 1,
      violations: [],
    })
    const fetches = calm.fetches()
    expect(fetches).toBeGreaterThanOrEqual(3)

    // One of them meets everything at each step.
    const failures = (at: number) =>
      kind === 'a sale of nobody' ? [...LASTING, ...OTHERS] : sampled(LASTING, OTHERS, at)
    const cases = Array.from({ length: fetches }, (_, at) =>
      failures(at).map((one) => ({ ...one, at })),
    ).flat()
    const check = async ({ fault, at, times }: (typeof cases)[number]) => {
      const { plan, left, credit, result } = await stage(kind)
      plan(...Array(at).fill(null), ...Array(times).fill(fault))
      const first = await credit().catch((error) => error)
      if (first !== 'credited') {
        expect({ fault, at, times, first: first.name }).toMatchObject({ first: 'Unavailable' })
        plan()
        expect(await credit()).toBe('credited')
      } else expect({ fault, at, times, left: left() === 0 }).toMatchObject({ left: true })
      expect({ fault, at, times, ...(await result()) }).toEqual({ fault, at, times, ...expected })
    }
    // A merchant each, and the tests share a rate limit.
    while (cases.length > 0) await Promise.all(cases.splice(0, 8).map(check))
  })
})
