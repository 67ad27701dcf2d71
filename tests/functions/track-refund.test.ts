import { describe, expect, inject, test } from 'vitest'
import { codes, createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { openSession } from '../support/people.ts'
import { checkoutSession, stripeEvent, stripeId, useStripe } from '../support/stripe.ts'

const database = useDatabase()

/** A merchant with the sale inv_1 of 49.00 USD, which earned 9.80. */
const createSold = async (options?: Parameters<typeof createMerchant>[0]) => {
  const merchant = await createMerchant(options)
  const { body } = await merchant.sale({ clickId: await merchant.click() })
  return { ...merchant, saleId: body.eventId }
}

/** The rows of a merchant's ledger, in order. */
const ledger = async ({ workspace }: Pick<Merchant, 'workspace'>) =>
  (
    await database.query<{ cents: string }>(
      'select amount_cents as cents from commissions where workspace_id = $1 order by created_at, id',
      [workspace.id],
    )
  ).map(({ cents }) => Number(cents))

/** A page as a person reads it. */
const readAs = async (Cookie: string, path: string) => {
  const page = await (await fetch(`${inject('baseUrl')}${path}`, { headers: { Cookie } })).text()
  return { page, text: page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ') }
}

const sum = (cents: number[]) => cents.reduce((all, one) => all + one, 0)

describe('POST /api/track/refund', () => {
  test('reverses the commission in proportion, and explains itself', async () => {
    const merchant = await createSold()
    const { status, body } = await merchant.refund({
      amountCents: 1_000,
      currency: 'usd',
      metadata: { reason: 'late' },
    })
    expect({ status, body }).toEqual({
      status: 200,
      body: { eventId: expect.stringMatching(/^[0-9a-f-]{36}$/), attributed: true },
    })
    expect(await merchant.explain(body.eventId)).toMatchObject({
      kind: 'refund',
      externalId: 'ref_1',
      eventName: 'refund',
      attributed: true,
      attributedBy: 'click',
      partner: { slug: 'maya' },
      customer: { externalId: 'user_1' },
      amountCents: 1_000,
      currency: 'USD',
      metadata: { reason: 'late' },
      sale: { id: merchant.saleId, externalId: 'inv_1' },
      commission: null,
      steps: [
        {
          code: 'sale_refunded',
          facts: { amountCents: 1_000, leftCents: 3_900, saleCents: 4_900 },
        },
      ],
    })
    expect(await merchant.explain(merchant.saleId)).toMatchObject({
      sale: null,
      commission: { amountCents: 980, reversedCents: 200 },
      steps: [
        {},
        {},
        { code: 'commission_created' },
        { code: 'commission_reversed', facts: { refundedCents: 1_000 } },
      ],
    })
    expect(await ledger(merchant)).toEqual([980, -200])
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('without an amount, refunds all that is left; partial refunds that reach the whole reverse exactly the whole', async () => {
    const merchant = await createSold()
    for (const [index, amountCents] of [333, 333, 1_111].entries())
      await merchant.refund({ externalId: `ref_${index}`, amountCents })
    const { body } = await merchant.refund({ externalId: 'rest' })
    expect(await merchant.explain(body.eventId)).toMatchObject({ amountCents: 3_123 })
    expect(sum(await ledger(merchant))).toBe(0)
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('a repeat returns the first response and changes nothing, also with another body', async () => {
    const merchant = await createSold()
    const first = await merchant.refund({ amountCents: 1_000 })
    const repeat = await merchant.refund({ amountCents: 1_000 })
    expect(repeat.body).toEqual(first.body)
    expect(repeat.headers.get('Idempotency-Mismatch')).toBeNull()
    const other = await merchant.refund({ amountCents: 2_000 })
    expect(other.body).toEqual(first.body)
    expect(other.headers.get('Idempotency-Mismatch')).toBe('true')
    expect(await ledger(merchant)).toEqual([980, -200])
  })

  test('more than is left counts as what is left, and a refund of nothing left is no error', async () => {
    const merchant = await createSold()
    await merchant.refund({ externalId: 'a', amountCents: 4_000 })
    const { body } = await merchant.refund({ externalId: 'b', amountCents: 4_000 })
    expect(await merchant.explain(body.eventId)).toMatchObject({
      amountCents: 900,
      steps: [
        { code: 'sale_refunded' },
        { code: 'refund_exceeds_sale', facts: { requestedCents: 4_000, leftCents: 900 } },
      ],
    })
    const nothing = await merchant.refund({ externalId: 'c' })
    expect(nothing.status).toBe(200)
    expect(await merchant.explain(nothing.body.eventId)).toMatchObject({
      amountCents: 0,
      steps: [{}, { text: 'Nothing of the sale was left to refund.' }],
    })
    expect(sum(await ledger(merchant))).toBe(0)
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('another currency than the sale’s is 400, and saves nothing', async () => {
    const merchant = await createSold()
    const { status, body } = await merchant.refund({ amountCents: 1_000, currency: 'EUR' })
    expect({ status, code: body.error?.code }).toEqual({ status: 400, code: 'currency_mismatch' })
    expect(await merchant.explainReport('refund', 'ref_1')).toBeUndefined()
    expect((await merchant.refund({ amountCents: 1_000 })).status).toBe(200)
  })

  test('a flat reward is reversed in proportion, in its own currency', async () => {
    const merchant = await createSold({
      program: { reward: { amountCents: 500n, currency: 'EUR' } },
    })
    await merchant.refund({ amountCents: 2_450 })
    expect(await ledger(merchant)).toEqual([500, -250])
  })

  test('revenue and the number of sales stay as they are, as after a refund at Stripe', async () => {
    const merchant = await createSold()
    await merchant.refund({})
    const [row] = await database.query<{ sales: number; cents: string }>(
      `select sum(sales)::integer as sales, sum(revenue_cents) as cents from total_deltas where workspace_id = $1`,
      [merchant.workspace.id],
    )
    const [folded] = await database.query<{ sales: number; cents: string }>(
      `select coalesce(sum(sales), 0)::integer as sales, coalesce(sum(revenue_cents), 0) as cents from totals
       where workspace_id = $1 and level = 'partner' and dimension = 'all' and unit = 'day'`,
      [merchant.workspace.id],
    )
    expect((row?.sales ?? 0) + (folded?.sales ?? 0)).toBe(1)
    expect(Number(row?.cents ?? 0) + Number(folded?.cents ?? 0)).toBe(4_900)
  })

  test('the sale of a banned partner is reversed, too', async () => {
    const merchant = await createSold()
    const manager = await merchant.asManager()
    await manager.patch(`/partners/${merchant.partnerId}`, { status: 'banned' })
    expect((await merchant.refund({})).body.attributed).toBe(true)
    expect(sum(await ledger(merchant))).toBe(0)
  })

  test.each([
    { body: {}, field: 'saleExternalId' },
    { body: { saleExternalId: 'inv_1', amountCents: 0 }, field: 'amountCents' },
    { body: { saleExternalId: 'inv_1', amountCents: 1.5 }, field: 'amountCents' },
    { body: { saleExternalId: 'inv_1', currency: 'XXX' }, field: 'currency' },
    { body: { saleExternalId: '' }, field: 'saleExternalId' },
  ])('refuses $body', async ({ body, field }) => {
    const merchant = await createMerchant()
    const answer = await merchant.post('/api/track/refund', { externalId: 'ref_1', ...body })
    expect(answer.status).toBe(400)
    expect(answer.body.error?.details?.map(({ path }) => path)).toEqual([field])
  })

  test('a key without the scope `track` is refused', async () => {
    const merchant = await createSold()
    const manager = await merchant.asManager()
    const { body } = await manager.post('/api-keys', { name: 'Reports', scopes: ['read'] })
    const answer = await merchant.refund({}, { Authorization: `Bearer ${body.key}` })
    expect({ status: answer.status, code: answer.body.error?.code }).toEqual({
      status: 403,
      code: 'insufficient_scope',
    })
  })
})

test('the dashboard and the partner’s portal show a refund', async () => {
  const merchant = await createSold()
  const { body } = await merchant.refund({ amountCents: 1_000 })
  const { page, text } = await readAs(
    await merchant.manager(),
    `/app/${merchant.workspace.slug}/events/${body.eventId}`,
  )
  expect(text).toContain(
    '$10.00 of the $49.00 of the sale “inv_1” was refunded, and $39.00 is left.',
  )
  expect(page).toContain(`/app/${merchant.workspace.slug}/events/${merchant.saleId}`)
  const [partner] = await database.query<{ email: string }>(
    'select email from partners where id = $1',
    [merchant.partnerId],
  )
  const cookie = await openSession(partner?.email ?? '')
  const portal = await readAs(cookie, `/portal/events/${body.eventId}`)
  expect(portal.text).toContain(
    'The buyer received a refund, so the same proportion of your commission',
  )
  expect((await readAs(cookie, `/portal/events/${merchant.saleId}`)).text).toContain(
    '$2.00 was reversed',
  )
})

describe('a refund before its sale', () => {
  test('waits, and counts once the sale is reported', async () => {
    const merchant = await createMerchant()
    const { body } = await merchant.refund({ amountCents: 1_000 })
    expect(body).toEqual({ eventId: null, attributed: false })
    expect(await merchant.explainReport('refund', 'ref_1')).toMatchObject({
      amountCents: null,
      sale: { id: null, externalId: 'inv_1' },
      steps: [{ code: 'waiting_for_sale', facts: { amountCents: 1_000 } }],
    })
    const sale = await merchant.sale({ clickId: await merchant.click() })
    expect(await ledger(merchant)).toEqual([980, -200])
    expect(codes(await merchant.explain(sale.body.eventId))).toEqual([
      'click',
      'program_reward',
      'commission_created',
      'commission_reversed',
    ])
    const event = await merchant.explainReport('refund', 'ref_1')
    expect(event).toMatchObject({
      attributed: true,
      amountCents: 1_000,
      sale: { id: sale.body.eventId },
    })
    // A repeat returns what is known by now, like that of a sale.
    expect((await merchant.refund({ amountCents: 1_000 })).body).toEqual({
      eventId: event?.id,
      attributed: true,
    })
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('of all of it and in another currency: each is decided when the sale is known', async () => {
    const merchant = await createMerchant()
    await merchant.refund({ externalId: 'euros', amountCents: 1_000, currency: 'EUR' })
    await merchant.refund({ externalId: 'all' })
    await merchant.sale({ clickId: await merchant.click() })
    expect(codes(await merchant.explainReport('refund', 'euros'))).toEqual([
      'refund_currency_mismatch',
    ])
    expect(await merchant.explainReport('refund', 'all')).toMatchObject({ amountCents: 4_900 })
    expect(sum(await ledger(merchant))).toBe(0)
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('of a sale that nobody is credited with is known, and reduces the commission of whoever is credited later', async () => {
    const merchant = await createMerchant({ program: { attribute_known_customers: true } })
    const clickId = await merchant.click()
    await merchant.refund({ amountCents: 1_000 })
    await merchant.sale({})
    expect(await merchant.explainReport('refund', 'ref_1')).toMatchObject({
      attributed: false,
      amountCents: 1_000,
    })
    await merchant.lead({ clickId, externalId: 'user_1' })
    expect(await merchant.explainReport('refund', 'ref_1')).toMatchObject({ attributed: true })
    expect(sum(await ledger(merchant))).toBe(780)
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('of a sale that is credited by hand later reduces that commission, and follows the sale', async () => {
    const merchant = await createMerchant()
    await merchant.refund({ amountCents: 1_000 })
    await merchant.sale({})
    const sale = await merchant.explainReport('sale', 'inv_1')
    const manager = await merchant.asManager()
    const { status } = await manager.post(`/events/${sale?.id}/credit`, {
      partnerId: merchant.partnerId,
      reason: 'Told us by mail',
    })
    expect(status).toBe(200)
    expect(sum(await ledger(merchant))).toBe(780)
    expect(await merchant.explainReport('refund', 'ref_1')).toMatchObject({ attributed: true })
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('names a sale of another workspace: it waits, and says nothing of it', async () => {
    const [merchant, stranger] = await Promise.all([createSold(), createMerchant()])
    expect((await stranger.refund({})).body).toEqual({ eventId: null, attributed: false })
    expect(codes(await stranger.explainReport('refund', 'ref_1'))).toEqual(['waiting_for_sale'])
    expect((await stranger.refund({ externalId: 'x', currency: 'EUR' })).status).toBe(200)
    expect(await ledger(merchant)).toEqual([980])
  })
})

describe('what was returned of a sale is stored with it', () => {
  const returned = async ({ workspace }: Pick<Merchant, 'workspace'>) => {
    expect(await database.violations(workspace.id)).toEqual([])
    const [sale] = await database.query<{ cents: number; earns: boolean }>(
      `select returned_cents::int as cents, commission_id is not null as earns from events
       where workspace_id = $1 and kind = 'sale' order by id desc limit 1`,
      [workspace.id],
    )
    return sale
  }

  test.each([
    ['the refunds first', [0, 1, 2]],
    ['the sale first', [2, 0, 1]],
    ['the sale in between', [0, 2, 1]],
  ])('if nobody is credited with it: %s', async (_, order) => {
    const merchant = await createMerchant()
    const reports = [
      () => merchant.refund({ externalId: 'a', amountCents: 1_000 }),
      () => merchant.refund({ externalId: 'b', amountCents: 333 }),
      () => merchant.sale({}),
    ]
    for (const at of order) expect((await reports[at]?.())?.status).toBe(200)
    expect(await returned(merchant)).toEqual({ cents: 1_333, earns: false })
  })

  test('if a partner is credited, who earns nothing, and if it earns', async () => {
    const merchant = await createMerchant({ program: { reward_interval: 'one-time' } })
    await merchant.sale({ clickId: await merchant.click() })
    await merchant.refund({ amountCents: 4_900 })
    expect(await returned(merchant)).toEqual({ cents: 4_900, earns: true })
    await merchant.sale({ externalId: 'inv_2' })
    await merchant.refund({ externalId: 'ref_2', saleExternalId: 'inv_2', amountCents: 100 })
    expect(await returned(merchant)).toEqual({ cents: 100, earns: false })
  })

  test('also if a cent of it reverses nothing', async () => {
    const merchant = await createSold()
    for (const cents of [1, 2, 3]) {
      await merchant.refund({ externalId: `ref_${cents}`, amountCents: 1 })
      expect(await returned(merchant)).toEqual({ cents, earns: true })
    }
  })
})

describe('concurrent', () => {
  test('8 copies of one refund reverse once', async () => {
    const merchant = await createSold()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => merchant.refund({ amountCents: 1_000 })),
    )
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.eventId}`)).size).toBe(1)
    expect(await ledger(merchant)).toEqual([980, -200])
  })

  test('8 partial refunds that exceed the sale together reverse the whole, and no more', async () => {
    const merchant = await createSold()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        merchant.refund({ externalId: `r${index}`, amountCents: 1_000 }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(sum(await ledger(merchant))).toBe(0)
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('a refund and its sale, reported at once, meet', async () => {
    const merchant = await createMerchant()
    const clickId = await merchant.click()
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => [
        merchant.sale({ externalId: `inv_${index}`, customerExternalId: `user_${index}`, clickId }),
        merchant.refund({ externalId: `ref_${index}`, saleExternalId: `inv_${index}` }),
      ]).flat(),
    )
    expect(sum(await ledger(merchant))).toBe(0)
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  /** Saves the refund ref_1 of inv_1 only once `second` waits for it, or was answered. */
  const whileRefundIsSaved = <T>(merchant: Merchant, second: () => Promise<T>) =>
    database.whileSaving(
      `insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, steps, occurred_at,
                           sale_external_id)
       values (gen_random_uuid(), $1, 'refund', 'ref_1', 'refund', '', '[]', now(), 'any')`,
      [merchant.workspace.id],
      () => merchant.refund({}),
      second,
    )

  test('a sale that is reported while its refund is saved sees it', async () => {
    const merchant = await createMerchant()
    const clickId = await merchant.click()
    const answers = await whileRefundIsSaved(merchant, () => merchant.sale({ clickId }))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await ledger(merchant)).toEqual([980, -980])
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('a sale that Stripe reports while its refund is saved sees it', async () => {
    const merchant = await createMerchant()
    const { deliver } = await useStripe(merchant)
    const clickId = await merchant.click()
    const session = checkoutSession({ client_reference_id: clickId, customer: stripeId('cus') })
    const event = stripeEvent('checkout.session.completed', session)
    const sale = {
      ...merchant,
      refund: () => merchant.refund({ saleExternalId: `${session.payment_intent}` }),
    }
    await whileRefundIsSaved(sale, () => deliver(event))
    const [earned = 0, ...reversed] = await ledger(merchant)
    expect({ earned: earned > 0, left: sum([earned, ...reversed]) }).toEqual({
      earned: true,
      left: 0,
    })
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('a commission that a manager reverses while its sale is refunded is reversed once', async () => {
    const merchant = await createSold()
    const [commission] = await database.query<{ id: string }>(
      'select id from commissions where workspace_id = $1',
      [merchant.workspace.id],
    )
    const manager = await merchant.asManager()
    const [refund] = await whileRefundIsSaved(merchant, () =>
      manager.post(`/commissions/${commission?.id}/reverse`, { reason: 'A mistake' }),
    )
    expect(refund.status).toBe(200)
    expect(await ledger(merchant)).toEqual([980, -980])
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })
})
