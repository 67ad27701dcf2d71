import { describe, expect, test } from 'vitest'
import { codes, createMerchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

describe('spec 4.2: POST /api/track/lead', () => {
  test('records a lead event, server-side, and answers eventId and attributed', async () => {
    const merchant = await createMerchant()
    const { status, body } = await merchant.lead({
      clickId: await merchant.click(),
      eventName: 'trial',
      metadata: { seats: 3 },
    })
    expect(status).toBe(200)
    expect(body).toEqual({ eventId: expect.stringMatching(/^[0-9a-f-]{36}$/), attributed: true })
    expect(await merchant.explain(body.eventId)).toMatchObject({
      kind: 'lead',
      eventName: 'trial',
      amountCents: null,
      currency: null,
      metadata: { seats: 3 },
    })
  })

  test('names the event "lead" by default', async () => {
    const merchant = await createMerchant()
    const { body } = await merchant.lead({ clickId: await merchant.click() })
    expect(await merchant.explain(body.eventId)).toMatchObject({ eventName: 'lead' })
  })

  test('rule 1: without clickId the event is recorded but not attributed, and no commission is created', async () => {
    const merchant = await createMerchant({
      group: { leadReward: { amountCents: 500n, currency: 'USD' } },
    })
    expect((await merchant.lead({})).body).toEqual({ eventId: null, attributed: false })
    expect(codes(await merchant.explainReport('lead', 'user_1'))).toEqual(['no_click'])
    expect(await database.counts(merchant)).toEqual({ events: 1, customers: 0, commissions: 0 })
  })

  test('rule 2: with an unresolvable clickId, the same as without clickId', async () => {
    const merchant = await createMerchant({
      group: { leadReward: { amountCents: 500n, currency: 'USD' } },
    })
    expect((await merchant.lead({ clickId: 'clk_nobody' })).body).toEqual({
      eventId: null,
      attributed: false,
    })
    expect(codes(await merchant.explainReport('lead', 'user_1'))).toEqual(['unknown_click'])
    expect(await database.counts(merchant)).toEqual({ events: 1, customers: 0, commissions: 0 })
  })

  test('rule 2: with an expired clickId, the same as without clickId', async () => {
    const merchant = await createMerchant({
      group: { leadReward: { amountCents: 500n, currency: 'USD' } },
    })
    const clickId = await merchant.click()
    await database.age(merchant, '90 days')
    expect((await merchant.lead({ clickId })).body).toEqual({ eventId: null, attributed: false })
    expect(codes(await merchant.explainReport('lead', 'user_1'))).toEqual(['expired_click'])
    expect(await database.counts(merchant)).toEqual({ events: 1, customers: 0, commissions: 0 })
  })

  test('rule 2: a click of another workspace counts as unresolvable', async () => {
    const [merchant, stranger] = await Promise.all([createMerchant(), createMerchant()])
    expect((await merchant.lead({ clickId: await stranger.click() })).body.attributed).toBe(false)
    expect(codes(await merchant.explainReport('lead', 'user_1'))).toEqual(['unknown_click'])
  })

  test('rule 3: with a valid clickId, a customer and an event are created and attributed to the partner', async () => {
    const merchant = await createMerchant()
    const { body } = await merchant.lead({
      clickId: await merchant.click(),
      customerEmail: ' Ann@Example.COM',
      customerName: 'Ann',
    })
    expect(await merchant.explain(body.eventId)).toMatchObject({
      attributed: true,
      partner: { slug: 'maya' },
      customer: {
        id: expect.any(String),
        externalId: 'user_1',
        email: 'ann@example.com',
        name: 'Ann',
      },
    })
    expect(await database.counts(merchant)).toEqual({ events: 1, customers: 1, commissions: 0 })
  })

  test('rule 3: the customer goes by the lead’s externalId, or by customerExternalId when that is given', async () => {
    const merchant = await createMerchant()
    const clickId = await merchant.click()
    await merchant.lead({ externalId: 'lead_1', clickId })
    await merchant.lead({ externalId: 'lead_2', customerExternalId: 'lead_1', clickId })
    expect(await database.counts(merchant)).toEqual({ events: 2, customers: 1, commissions: 0 })
  })

  test('rule 4: when the partner’s group has a lead reward, a commission is created', async () => {
    const merchant = await createMerchant({
      group: { leadReward: { amountCents: 500n, currency: 'EUR' } },
    })
    const { body } = await merchant.lead({ clickId: await merchant.click() })
    const event = await merchant.explain(body.eventId)
    expect(event.commission).toMatchObject({ amountCents: 500, currency: 'EUR', status: 'pending' })
    expect(codes(event)).toEqual(['click', 'group_reward', 'commission_created'])
  })

  test('rule 4: without one there is none, and the trace says so', async () => {
    const merchant = await createMerchant({ group: { saleReward: { percent: 30 } } })
    const { body } = await merchant.lead({ clickId: await merchant.click() })
    expect(codes(await merchant.explain(body.eventId))).toEqual(['click', 'no_reward'])
  })

  test('rule 5, and idempotent on externalId: when it is posted again, nothing new is created and the call does not fail; retrying is safe', async () => {
    const merchant = await createMerchant({
      group: { leadReward: { amountCents: 500n, currency: 'USD' } },
    })
    const lead = { clickId: await merchant.click() }
    const first = await merchant.lead(lead)
    const again = await merchant.lead(lead)
    expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body })
    const other = await merchant.lead({ ...lead, customerName: 'Ann' })
    expect({ body: other.body, mismatch: other.headers.get('Idempotency-Mismatch') }).toEqual({
      body: first.body,
      mismatch: 'true',
    })
    expect(await database.counts(merchant)).toEqual({ events: 1, customers: 1, commissions: 1 })
  })
})

describe('a lead commission', () => {
  test('does not count as prior commission for a one-time reward', async () => {
    const merchant = await createMerchant({
      program: { reward_interval: 'one-time' },
      group: { leadReward: { amountCents: 500n, currency: 'USD' } },
    })
    const clickId = await merchant.click()
    await merchant.lead({ externalId: 'user_1', clickId })
    const sale = await merchant.sale({ customerExternalId: 'user_1', clickId })
    expect((await merchant.explain(sale.body.eventId)).commission?.amountCents).toBe(980)
  })
})
