/**
 * The largest amount, twelve digits before the decimals, and one minor unit more, wherever an
 * amount comes in.
 */
import { describe, expect, test } from 'vitest'
import { importer } from '../support/imports.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { charge, invoice, stripeEvent, useStripe } from '../support/stripe.ts'

const database = useDatabase()

const LARGEST = 99_999_999_999_999
/** A part of it of which floating point would miss a cent. */
const PART = 61_234_567_890_123

/** What a refund of a part leaves of 33.33% of the largest sale. */
const leftOf = (part: number) => {
  const earned = (2n * BigInt(LARGEST) * 3_333n + 10_000n) / 20_000n
  return Number(earned - (2n * earned * BigInt(part) + BigInt(LARGEST)) / (2n * BigInt(LARGEST)))
}

const open = () => createMerchant({ manualPayouts: true, program: { reward: { percent: 33.33 } } })

const earnedBy = async ({ workspace }: Merchant) => {
  const rows = await database.query<{ cents: string }>(
    `select sum(amount_cents)::text as cents from commissions where workspace_id = $1
     group by event_id having sum(amount_cents) <> 0 order by 1`,
    [workspace.id],
  )
  return rows.map(({ cents }) => Number(cents))
}

test('a sale, a batch and a refund of rupiah are kept, rewarded, added up and shown to the cent', async () => {
  const merchant = await open()
  const clickId = await merchant.click()
  const large = { currency: 'IDR', amountCents: LARGEST }
  const sale = await merchant.sale({ externalId: 'alone', clickId, ...large })
  const { body } = await merchant.post('/api/track/batch', {
    events: [
      { kind: 'sale', externalId: 'in a batch', customerExternalId: 'user_2', clickId, ...large },
    ],
  })
  expect([sale.body, ...(body.results as object[])]).toMatchObject([
    { attributed: true },
    { attributed: true },
  ])
  await merchant.refund({ externalId: 'part', saleExternalId: 'alone', amountCents: PART })
  await merchant.refund({ externalId: 'all', saleExternalId: 'in a batch', amountCents: LARGEST })

  expect(await earnedBy(merchant)).toEqual([leftOf(PART)])
  const stats = await merchant.get('/stats?by=program')
  expect((stats.body.data as object[])[0]).toMatchObject({
    amounts: [{ currency: 'IDR', revenueCents: 2 * LARGEST, commissionCents: leftOf(PART) }],
  })
  expect(String((await merchant.get('/export/events.csv')).body.text)).toContain(`"${LARGEST}"`)
  const pages = await openPages(merchant)
  expect((await pages.get('/events')).html).toContain('999,999,999,999.99')
  expect((await pages.get('')).html).toContain('1,999,999,999,999.98')
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

describe('a minor unit more is refused, and never cut off', () => {
  test.each<{ what: string; path: string; body: (merchant: Merchant) => object }>([
    {
      what: 'a sale',
      path: '/api/track/sale',
      body: () => ({ externalId: 'a', customerExternalId: 'b', amountCents: LARGEST + 1 }),
    },
    {
      what: 'a refund',
      path: '/api/track/refund',
      body: () => ({ externalId: 'a', saleExternalId: 'b', amountCents: LARGEST + 1 }),
    },
  ])('of $what', async ({ path, body }) => {
    const merchant = await createMerchant()
    const answer = await merchant.post(path, body(merchant))
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { details: [{ path: 'amountCents' }] } },
    })
  })

  test('of a sale of a batch', async () => {
    const merchant = await createMerchant()
    const events = [
      { kind: 'sale', externalId: 'a', customerExternalId: 'b', amountCents: LARGEST + 1 },
    ]
    const { body } = await merchant.post('/api/track/batch', { events })
    expect(body.results).toMatchObject([{ error: { code: 'invalid_body' } }])
  })

  test('of settings, rewards, imports and adjustments, which take the largest', async () => {
    const merchant = await createMerchant({ manualPayouts: true })
    const manager = await merchant.asManager()
    const { partners, customers } = await importer(merchant)
    const program = `/programs/${merchant.programId}`
    const reward = (amountCents: number) => ({ kind: 'flat', amountCents, currency: 'IDR' })
    const calls: Record<string, (cents: number) => Promise<{ status: number; body: object }>> = {
      reward: (cents) => manager.patch(program, { reward: reward(cents) }),
      oneTimeMinimum: (cents) => manager.patch(program, { oneTimeMinimumCents: cents }),
      minimumPayout: (cents) => manager.patch(program, { minimumPayoutCents: cents }),
      partnerMinimum: (cents) =>
        manager.patch(`/partners/${merchant.partnerId}`, { minimumPayoutCents: cents }),
      approval: (cents) => manager.patch('/settings', { approvalAboveCents: cents }),
      adjustment: (cents) =>
        manager.post('/commissions', {
          externalId: `adjustment of ${cents}`,
          partnerId: merchant.partnerId,
          amountCents: cents,
          currency: 'IDR',
          reason: 'A very good year',
        }),
    }
    for (const [what, call] of Object.entries(calls)) {
      const { status, body } = await call(LARGEST)
      expect({ what, status: status < 300, body }).toMatchObject({ what, status: true })
      expect({ what, ...(await call(LARGEST + 1)) }).toMatchObject({ what, status: 400 })
    }
    const email = (name: string) => `${name}@partner.example`
    const imported = await partners(
      [
        { email: email('largest'), openingBalanceCents: LARGEST },
        { email: email('larger'), openingBalanceCents: LARGEST + 1 },
      ],
      { importOpeningBalances: true },
    )
    expect(imported.body.results).toMatchObject([{ status: 'created' }, { status: 'error' }])
    const prior = (cents: number) => ({
      customerExternalId: `cus_${cents}`,
      partnerEmail: email('largest'),
      priorCommissions: 1,
      priorAmountCents: cents,
      priorCurrency: 'IDR',
    })
    const mapped = await customers([prior(LARGEST), prior(LARGEST + 1)])
    expect(mapped.body.results).toMatchObject([{ status: 'created' }, { status: 'error' }])
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })
})

test('payouts by bank of the largest adjustments add up beyond them, and their files and statements have every cent', async () => {
  const merchant = await createMerchant({ manualPayouts: true })
  const manager = await merchant.asManager()
  const other = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'leo',
  })
  for (const partnerId of [merchant.partnerId, other])
    await manager.post('/commissions', {
      externalId: `bonus of ${partnerId}`,
      partnerId,
      amountCents: LARGEST,
      currency: 'IDR',
      reason: 'A very good year',
    })
  const run = await manager.post('/payouts/run', { method: 'manual' })
  expect(run.body).toMatchObject({
    payouts: [{ amountCents: LARGEST }, { amountCents: LARGEST }],
    totals: [{ currency: 'IDR', amountCents: 2 * LARGEST, count: 2 }],
  })
  expect(String((await manager.get('/export/payouts.csv')).body.text)).toContain(`"${LARGEST}"`)
  const month = new Date().toISOString().slice(0, 7)
  const statement = await manager.get(`/partners/${other}/statement?month=${month}&format=csv`)
  expect(String(statement.body.text)).toContain('999999999999.99')
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

describe('what Stripe reports', () => {
  test.each([
    { case: 'an invoice of 1.5 billion rupiah', cents: 150_000_000_000, earns: 49_995_000_000 },
    { case: 'an invoice of the largest amount', cents: LARGEST, earns: leftOf(0) },
  ])('$case earns, and is refunded in part and in full', async ({ cents, earns }) => {
    const merchant = await open()
    const shop = await useStripe(merchant)
    const customer = 'cus_large'
    await merchant.lead({ externalId: customer, clickId: await merchant.click() })
    const [id, payment] = ['in_large', 'pi_large']
    const paid = {
      currency: 'idr',
      total: cents,
      total_excluding_tax: cents,
      amount_paid: cents,
      customer,
    }
    const payments = { data: [{ payment: { payment_intent: payment, charge: null } }] }
    const deliver = async (type: string, object: object) =>
      expect(await shop.deliver(stripeEvent(type, { ...object }))).toMatchObject({ status: 200 })
    await deliver('invoice.paid', invoice({ id, ...paid, payments }))
    expect(await earnedBy(merchant)).toEqual([earns])

    const refunded = (refundedCents: number) =>
      charge({
        id: 'ch_large',
        payment_intent: payment,
        currency: 'idr',
        amount: cents,
        amount_refunded: refundedCents,
      })
    const part = Math.min(PART, cents - 7)
    const [all, back, left] = [BigInt(cents), BigInt(part), BigInt(earns)]
    await deliver('charge.refunded', refunded(part))
    expect(await earnedBy(merchant)).toEqual([Number(left - (2n * left * back + all) / (2n * all))])
    await deliver('charge.refunded', refunded(cents))
    expect(await earnedBy(merchant)).toEqual([])
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })
})
