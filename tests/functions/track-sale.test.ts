import { describe, expect, inject, test } from 'vitest'
import { codes, createMerchant, send, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

describe('spec 4.1: POST /api/track/sale', () => {
  test('records a successful sale; creates a pending commission for the attributed partner', async () => {
    const merchant = await createMerchant()
    const { status, body } = await merchant.sale({
      clickId: await merchant.click(),
      amountCents: 4_900,
      currency: 'eur',
      eventName: 'subscription',
      metadata: { plan: 'pro' },
    })

    expect(status).toBe(200)
    expect(body).toEqual({ eventId: expect.stringMatching(/^[0-9a-f-]{36}$/), attributed: true })
    expect(await merchant.explain(body.eventId)).toMatchObject({
      kind: 'sale',
      externalId: 'inv_1',
      eventName: 'subscription',
      amountCents: 4_900,
      currency: 'EUR',
      metadata: { plan: 'pro' },
      attributed: true,
      attributedBy: 'click',
      partner: { slug: 'maya' },
      customer: { externalId: 'user_1' },
      commission: { amountCents: 980, currency: 'EUR', status: 'pending' },
      steps: [{ code: 'click' }, { code: 'program_reward' }, { code: 'commission_created' }],
    })
  })

  test('headers: Authorization with a Bearer key, and Content-Type application/json; response body: eventId and attributed', async () => {
    const merchant = await createMerchant()
    const body = {
      externalId: 'inv_1',
      customerExternalId: 'user_1',
      amountCents: 4_900,
      clickId: await merchant.click(),
    }
    const headers = {
      Authorization: `Bearer ${merchant.apiKey}`,
      'Content-Type': 'application/json',
    }
    for (const [missing, status] of [
      ['Authorization', 401],
      ['Content-Type', 415],
    ] as const) {
      expect(
        (
          await send(`${inject('baseUrl')}/api/track/sale`, {
            body,
            headers: { ...headers, [missing]: '' },
          })
        ).status,
      ).toBe(status)
    }
    const answer = await send(`${inject('baseUrl')}/api/track/sale`, { body, headers })
    expect(answer.headers.get('Content-Type')).toContain('application/json')
    expect(answer.body).toEqual({
      eventId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}$/),
      attributed: true,
    })
  })

  test('fills in the defaults of section 2: USD, "sale", no metadata', async () => {
    const merchant = await createMerchant()
    const { body } = await merchant.sale({ clickId: await merchant.click() })
    expect(await merchant.explain(body.eventId)).toMatchObject({
      currency: 'USD',
      eventName: 'sale',
      metadata: null,
    })
  })

  test('accepts null for optional fields', async () => {
    const merchant = await createMerchant()
    const { status, body } = await merchant.sale({
      clickId: null,
      currency: null,
      eventName: null,
      metadata: null,
    })
    expect({ status, body }).toEqual({ status: 200, body: { eventId: null, attributed: false } })
  })

  test('rule 1.1: when the partner is in a group that has a sale reward, the group reward is used', async () => {
    const merchant = await createMerchant({ group: { saleReward: { percent: 30 } } })
    const { body } = await merchant.sale({ clickId: await merchant.click() })
    const event = await merchant.explain(body.eventId)
    expect(event.commission?.amountCents).toBe(1_470)
    expect(codes(event)).toEqual(['click', 'group_reward', 'commission_created'])
  })

  test('rule 1.2: otherwise the program’s default reward is used, also in a group without a sale reward', async () => {
    const merchant = await createMerchant({
      program: { reward: { amountCents: 700n, currency: 'USD' } },
      group: { leadReward: { percent: 1 } },
    })
    const { body } = await merchant.sale({ clickId: await merchant.click(), currency: 'JPY' })
    const event = await merchant.explain(body.eventId)
    expect(event.commission).toMatchObject({ amountCents: 700, currency: 'USD' })
    expect(codes(event)).toEqual(['click', 'program_reward', 'commission_created'])
  })

  test('rule 1.3: with a one-time interval, no commission is created when a prior commission exists for the same customer', async () => {
    const merchant = await createMerchant({ program: { reward_interval: 'one-time' } })
    const clickId = await merchant.click()
    await merchant.sale({ clickId })
    const second = await merchant.sale({ clickId, externalId: 'inv_2' })
    const other = await merchant.sale({
      clickId,
      externalId: 'inv_3',
      customerExternalId: 'user_2',
    })

    expect(second.body.attributed).toBe(true)
    expect(codes(await merchant.explain(second.body.eventId))).toEqual([
      'click',
      'program_reward',
      'one_time_already_rewarded',
    ])
    expect((await merchant.explain(other.body.eventId)).commission?.amountCents).toBe(980)
    expect(await database.counts(merchant)).toEqual({ events: 3, customers: 2, commissions: 2 })
  })

  test('rule 1.4: with a recurring interval, no commission is created once past rewardDurationMonths', async () => {
    const merchant = await createMerchant({
      program: { reward_interval: 'recurring', reward_duration_months: 2 },
    })
    await merchant.sale({ clickId: await merchant.click() })
    await database.age(merchant, '1 month')
    const within = await merchant.sale({ clickId: await merchant.click(), externalId: 'inv_2' })
    await database.age(merchant, '2 months')
    const past = await merchant.sale({ clickId: await merchant.click(), externalId: 'inv_3' })

    expect((await merchant.explain(within.body.eventId)).commission?.amountCents).toBe(980)
    expect(await merchant.explain(past.body.eventId)).toMatchObject({
      attributed: true,
      commission: null,
      steps: [
        { code: 'click' },
        { code: 'program_reward' },
        { code: 'past_reward_duration', text: expect.stringContaining('2 months') },
      ],
    })
  })

  test('rule 2: attribution requires clickId', async () => {
    const merchant = await createMerchant()
    const { status, body } = await merchant.sale({})
    expect({ status, body }).toEqual({ status: 200, body: { eventId: null, attributed: false } })
  })

  test('rule 2: of a known customer too, unless the program opted in to attributeKnownCustomers', async () => {
    for (const [optedIn, attributed] of [
      [false, false],
      [true, true],
    ] as const) {
      const merchant = await createMerchant({ program: { attribute_known_customers: optedIn } })
      await merchant.lead({ externalId: 'user_1', clickId: await merchant.click() })
      expect((await merchant.sale({ customerExternalId: 'user_1' })).body.attributed).toBe(
        attributed,
      )
    }
  })

  test('rule 3: when the same externalId is posted again, nothing new is created, the call does not fail, and the original event id is returned: retrying is safe', async () => {
    const merchant = await createMerchant()
    const sale = { clickId: await merchant.click() }
    const first = await merchant.sale(sale)
    const again = await merchant.sale(sale)

    expect(again.status).toBe(200)
    expect(again.body).toEqual(first.body)
    expect(again.headers.has('Idempotency-Mismatch')).toBe(false)
    expect(await database.counts(merchant)).toEqual({ events: 1, customers: 1, commissions: 1 })
  })

  test('rule 3: a repeat with a different body returns the first response with Idempotency-Mismatch, and changes nothing', async () => {
    const merchant = await createMerchant()
    const clickId = await merchant.click()
    const first = await merchant.sale({ clickId })
    const other = await merchant.sale({
      clickId,
      amountCents: 1,
      customerExternalId: 'someone-else',
    })

    expect(other.body).toEqual(first.body)
    expect(other.headers.get('Idempotency-Mismatch')).toBe('true')
    expect((await merchant.explain(first.body.eventId)).amountCents).toBe(4_900)
    expect(await database.counts(merchant)).toEqual({ events: 1, customers: 1, commissions: 1 })
  })

  test('rule 3: a repeat with explicit defaults or another key order counts as the same body', async () => {
    const merchant = await createMerchant()
    await merchant.sale({ metadata: { a: 1, b: { c: 2, d: 3 } } })
    const again = await merchant.sale({
      eventName: 'sale',
      metadata: { b: { d: 3, c: 2 }, a: 1 },
      currency: 'usd',
    })
    expect(again.headers.has('Idempotency-Mismatch')).toBe(false)
  })

  test('rule 3: an unattributed sale stays unattributed when it is repeated with a click', async () => {
    const merchant = await createMerchant()
    await merchant.sale({})
    const again = await merchant.sale({ clickId: await merchant.click() })
    expect(again.body).toEqual({ eventId: null, attributed: false })
    expect(again.headers.get('Idempotency-Mismatch')).toBe('true')
  })

  test('rule 4, which the spec leaves open: a sale without clickId is recorded with the reason why it earned nothing', async () => {
    const merchant = await createMerchant()
    await merchant.sale({ externalId: 'direct' })
    const event = await merchant.explainReport('sale', 'direct')
    expect(event).toMatchObject({
      attributed: false,
      partner: null,
      commission: null,
      customer: { id: null, externalId: 'user_1' },
    })
    expect(codes(event)).toEqual(['no_click'])
    expect(await database.counts(merchant)).toEqual({ events: 1, customers: 0, commissions: 0 })
  })
})

describe('spec 6: a lead and a sale', () => {
  test('may have the same externalId, because their kinds differ', async () => {
    const merchant = await createMerchant()
    const clickId = await merchant.click()
    const lead = await merchant.lead({ externalId: 'same', clickId })
    const sale = await merchant.sale({ externalId: 'same', clickId })
    expect(sale.body.eventId).not.toBe(lead.body.eventId)
    expect(sale.headers.has('Idempotency-Mismatch')).toBe(false)
  })
})

describe('the customer of a sale', () => {
  test('is the lead’s, and moves to the partner of the last click', async () => {
    const merchant = await createMerchant()
    await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'leo' })
    await merchant.lead({
      externalId: 'user_1',
      clickId: await merchant.click('maya'),
      customerEmail: 'ANN@Example.com ',
    })
    const sale = await merchant.sale({
      customerExternalId: 'user_1',
      clickId: await merchant.click('leo'),
    })

    expect(await merchant.explain(sale.body.eventId)).toMatchObject({
      partner: { slug: 'leo' },
      customer: { email: 'ann@example.com' },
    })
    const owners = await database.query(
      'select p.slug from customers c join partners p on p.id = c.partner_id where c.workspace_id = $1',
      [merchant.workspace.id],
    )
    expect(owners).toEqual([{ slug: 'leo' }])
  })

  test('stays with the first partner under first-touch attribution', async () => {
    const merchant = await createMerchant({ program: { attribution: 'first' } })
    await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'leo' })
    await merchant.lead({ externalId: 'user_1', clickId: await merchant.click('maya') })
    const sale = await merchant.sale({
      customerExternalId: 'user_1',
      clickId: await merchant.click('leo'),
    })

    expect(await merchant.explain(sale.body.eventId)).toMatchObject({
      partner: { slug: 'maya' },
      attributedBy: 'customer',
    })
  })
})
