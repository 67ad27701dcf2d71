import { describe, expect, test } from 'vitest'
import { createMerchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const twenty = { kind: 'percent', percent: 20 }
const five = { kind: 'flat', amountCents: 500, currency: 'USD' }
describe('groups', () => {
  test('are created with or without their own rewards', async () => {
    const merchant = await createMerchant()
    const as = await merchant.asManager()
    const path = `/programs/${merchant.programId}/groups`
    const plain = await as.post(path, { name: 'Silver' })
    expect(plain).toMatchObject({
      status: 201,
      body: { name: 'Silver', saleReward: null, leadReward: null },
    })
    const rich = await as.post(path, { name: 'Gold', saleReward: twenty, leadReward: five })
    expect(rich.body).toEqual({
      id: expect.any(String),
      programId: merchant.programId,
      name: 'Gold',
      saleReward: twenty,
      leadReward: five,
      createdAt: expect.any(String),
    })
    expect((await as.get(`/groups/${rich.body.id}`)).body).toEqual(rich.body)
    expect((await as.get(path)).body).toEqual({ data: [rich.body, plain.body], nextCursor: null })
    expect((await database.audit(merchant)).map(({ action }) => action)).toEqual([
      'group.created',
      'group.created',
    ])
  })

  test('are updated: a reward is replaced, removed by null, and kept when absent', async () => {
    const merchant = await createMerchant()
    const as = await merchant.asManager()
    const made = await as.post(`/programs/${merchant.programId}/groups`, {
      name: 'Gold',
      saleReward: twenty,
      leadReward: five,
    })
    const path = `/groups/${made.body.id}`
    const count = await database.rewards(merchant)

    expect((await as.patch(path, { name: 'Platinum', saleReward: twenty })).body).toEqual({
      ...made.body,
      name: 'Platinum',
    })
    expect(await database.rewards(merchant)).toBe(count)
    expect((await as.patch(path, { leadReward: null })).body).toMatchObject({
      saleReward: twenty,
      leadReward: null,
    })
    expect((await as.patch(path, { saleReward: five })).body).toMatchObject({ saleReward: five })
    expect(await database.rewards(merchant)).toBe(count + 1)
    expect((await as.get(path)).body).toMatchObject({
      name: 'Platinum',
      saleReward: five,
      leadReward: null,
    })
  })

  test('apply to their partners’ next sales', async () => {
    const merchant = await createMerchant({ group: {} })
    const as = await merchant.asManager()
    const { body } = await as.get(`/programs/${merchant.programId}/groups`)
    const [group] = (body as unknown as { data: { id: string }[] }).data
    await as.patch(`/groups/${group?.id}`, {
      saleReward: { kind: 'percent', percent: 50 },
      leadReward: five,
    })
    const clickId = await merchant.click()
    const sale = await merchant.sale({ clickId })
    expect((await merchant.explain(sale.body.eventId)).commission?.amountCents).toBe(2_450)
    const lead = await merchant.lead({ externalId: 'lead_1', clickId })
    expect((await merchant.explain(lead.body.eventId)).commission?.amountCents).toBe(500)
  })

  test('can’t have a percentage as lead reward', async () => {
    const merchant = await createMerchant({ group: {} })
    const as = await merchant.asManager()
    const answer = await as.post(`/programs/${merchant.programId}/groups`, {
      name: 'Gold',
      leadReward: twenty,
    })
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: { details: [{ path: 'leadReward', message: expect.stringContaining('no amount') }] },
      },
    })
  })

  test.each([{ name: '' }, { name: null }, { saleReward: 5 }, { salereward: null }])(
    'refuse the change %j with 400',
    async (change) => {
      const merchant = await createMerchant({ group: {} })
      const as = await merchant.asManager()
      const { body } = await as.get(`/programs/${merchant.programId}/groups`)
      const [group] = (body as unknown as { data: { id: string }[] }).data
      expect(await as.patch(`/groups/${group?.id}`, change)).toMatchObject({ status: 400 })
    },
  )
})
