/** Money that is made payable by hand, without anybody else noticing. */
import { describe, expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import type { ManualEarningsDetails } from '../../lib/mail/outbox/details.ts'
import { saveAdjustment } from '../../lib/tracking/ledger/adjustments.queries.ts'
import { holdCommission } from '../support/holds.ts'
import { importer } from '../support/imports.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

/** A merchant with two managers, who are mailed both, and a member, who is not. */
const createOffice = async () => {
  const merchant = await createMerchant()
  const manager = await merchant.asManager()
  const address = (name: string) => `${name}@${merchant.workspace.slug}.example`
  await merchant.seed.addMember(merchant.workspace.id, address('ben'), 'manager')
  await merchant.seed.addMember(merchant.workspace.id, address('mike'), 'member')
  const adjust = (amountCents: number, fields: Record<string, unknown> = {}, caller = manager) =>
    caller.post('/commissions', {
      externalId: newId(),
      partnerId: merchant.partnerId,
      currency: 'USD',
      reason: 'Bonus',
      ...fields,
      amountCents,
    })
  return { merchant, manager, address, adjust }
}

type Row = { recipient: string; details: ManualEarningsDetails }

const mailsOf = ({ workspace }: Merchant) =>
  database.query<Row>(
    `select recipient, details from mails where workspace_id = $1 and kind = 'manual_earnings' order by id`,
    [workspace.id],
  )

/** What the mails to one manager list, and to whom there are any. */
const mailed = async (merchant: Merchant) => {
  const rows = await mailsOf(merchant)
  const [first] = rows
  const made = rows
    .filter(({ recipient }) => recipient === first?.recipient)
    .flatMap(({ details }) => details.made)
    .map(({ what, by, partner, amountCents, currency }) => ({
      what,
      by,
      partner,
      amountCents,
      currency,
    }))
  return { recipients: [...new Set(rows.map(({ recipient }) => recipient))].toSorted(), made }
}

describe('all managers, the actor too, are mailed', () => {
  test('bonuses for many partners, by their sum', async () => {
    const { merchant, manager, address } = await createOffice()
    const { workspace, programId, partnerId, seed } = merchant
    const leo = await seed.addPartner(workspace.id, programId, { slug: 'leo' })
    const give = (externalId: string) =>
      manager.post('/commissions/bulk', {
        ...{ externalId, partnerIds: [partnerId, leo], amountCents: 5_000, currency: 'USD' },
        reason: 'Contest',
      })
    await give('one')
    expect((await mailed(merchant)).made).toEqual([])
    await give('two')
    await give('two')
    expect(await mailed(merchant)).toMatchObject({
      recipients: [address('ben'), expect.stringContaining('manager@')],
      made: [{ what: 'bonuses', partner: null, amountCents: 10_000, currency: 'USD' }],
    })
  })

  test('an adjustment above the sum of the program, and none below', async () => {
    const { merchant, address, adjust } = await createOffice()
    await adjust(10_000)
    expect(await mailsOf(merchant)).toEqual([])
    await adjust(5_000_000)
    expect(await mailed(merchant)).toEqual({
      recipients: [address('ben'), address('manager')],
      made: [
        {
          what: 'adjustment',
          by: address('manager'),
          partner: 'maya',
          amountCents: 5_000_000,
          currency: 'USD',
        },
      ],
    })
  })

  test('a repeat of the same request once', async () => {
    const { merchant, adjust } = await createOffice()
    await adjust(20_000, { externalId: 'bonus' })
    await adjust(20_000, { externalId: 'bonus' })
    expect((await mailed(merchant)).made).toHaveLength(1)
  })

  test('an API key’s too, by its name', async () => {
    const { merchant, manager, adjust } = await createOffice()
    const created = await manager.post('/api-keys', { name: 'Bonuses', scopes: ['write'] })
    const backend = merchant.withHeaders({ Authorization: `Bearer ${created.body.key}` })
    expect((await adjust(20_000, {}, backend)).status).toBe(201)
    expect((await mailed(merchant)).made).toMatchObject([{ by: 'API key "Bonuses"' }])
  })

  test('a credit by hand, and a commission that is released, with what is left of them', async () => {
    const { merchant, manager, address } = await createOffice()
    await merchant.sale({ externalId: 'inv_1', amountCents: 100_000 })
    const sale = await merchant.explainReport('sale', 'inv_1')
    const credited = { partnerId: merchant.partnerId, reason: 'By phone' }
    expect((await manager.post(`/events/${sale?.id}/credit`, credited)).status).toBe(200)
    expect((await manager.post(`/events/${sale?.id}/credit`, credited)).status).toBe(200)

    const clickId = await merchant.click()
    await merchant.sale({
      externalId: 'inv_2',
      customerExternalId: 'user_2',
      amountCents: 200_000,
      clickId,
    })
    const held = await holdCommission(merchant, 'inv_2', 'inv_1')
    expect(
      (
        await manager.post(`/commissions/${held}/reverse`, {
          externalId: 'r',
          reason: 'Ours',
          amountCents: 1_000,
        })
      ).status,
    ).toBe(201)
    expect((await manager.post(`/commissions/${held}/release`)).status).toBe(200)
    const by = address('manager')
    expect((await mailed(merchant)).made).toEqual([
      { what: 'credit', by, partner: 'maya', amountCents: 20_000, currency: 'USD' },
      { what: 'release', by, partner: 'maya', amountCents: 39_000, currency: 'USD' },
    ])
  })

  test('what is rejected, reversed or deducted is no earning', async () => {
    const { merchant, manager, adjust } = await createOffice()
    const clickId = await merchant.click()
    await merchant.sale({ externalId: 'inv_1', amountCents: 100_000, clickId })
    await merchant.sale({
      externalId: 'inv_2',
      customerExternalId: 'user_2',
      amountCents: 200_000,
      clickId,
    })
    const held = await holdCommission(merchant, 'inv_2', 'inv_1')
    await manager.post(`/commissions/${held}/reject`)
    await adjust(-50_000)
    expect(await mailsOf(merchant)).toEqual([])
  })

  test('the importer of opening balances, however little they are', async () => {
    const { merchant, address } = await createOffice()
    const { partners } = await importer(merchant)
    await partners([{ email: 'new@partner.example', openingBalanceCents: 100 }], {
      importOpeningBalances: true,
    })
    const rows = await database.query<{ recipient: string }>(
      `select recipient from mails where workspace_id = $1 and kind = 'opening_balances' order by recipient`,
      [merchant.workspace.id],
    )
    expect(rows.map(({ recipient }) => recipient)).toEqual([address('ben'), address('manager')])
  })
})

describe('a sum cannot be split', () => {
  const adjustAt = async (
    merchant: Merchant,
    at: string,
    amountCents: number,
    { currency = 'USD', partnerId = merchant.partnerId } = {},
  ) => {
    const act = {
      workspaceId: merchant.workspace.id,
      actor: 'eve@evil.example',
      now: new Date(at),
      firstId: undefined,
    }
    const adjustment = { externalId: newId(), amountCents, currency, reason: 'Bonus', partnerId }
    await saveAdjustment(connect(inject('database')), act, {
      ...adjustment,
      payableAt: null,
      eventId: null,
      commissionId: null,
    })
  }

  test('into small adjustments of one day, other currencies or programs', async () => {
    const { merchant } = await createOffice()
    await adjustAt(merchant, '2026-11-20T08:00:00Z', 6_000)
    expect(await mailsOf(merchant)).toEqual([])
    await adjustAt(merchant, '2026-11-20T23:00:00Z', 6_000, { currency: 'EUR' })
    expect((await mailed(merchant)).made).toMatchObject([{ amountCents: 6_000, currency: 'EUR' }])
    const other = await merchant.seed.addProgram(merchant.workspace.id)
    const partnerId = await merchant.seed.addPartner(merchant.workspace.id, other, { slug: 'leo' })
    await adjustAt(merchant, '2026-11-20T23:30:00Z', 100, { partnerId })
    expect((await mailed(merchant)).made).toHaveLength(2)

    await adjustAt(merchant, '2026-11-21T00:00:00Z', 6_000)
    expect((await mailed(merchant)).made).toHaveLength(2)
  })

  test('and five minutes are one mail to each manager, of twenty lines at most', async () => {
    const { merchant } = await createOffice()
    for (let n = 0; n < 22; n++) await adjustAt(merchant, '2026-11-20T08:01:00Z', 20_000 + n)
    await adjustAt(merchant, '2026-11-20T08:05:00Z', 30_000)
    const rows = await mailsOf(merchant)
    expect(rows.map(({ details }) => [details.made.length, details.more])).toEqual([
      [20, 2],
      [20, 2],
      [1, 0],
      [1, 0],
    ])
  })
})

describe('how a program pays by itself', () => {
  const noticesOf = ({ workspace }: Merchant) =>
    database.query<{ recipient: string; details: Record<string, unknown> }>(
      `select recipient, details from mails where workspace_id = $1 and kind = 'workspace_notice' order by id`,
      [workspace.id],
    )

  test('a schedule begins three days after it is set, and all managers are mailed', async () => {
    const { merchant, manager, address } = await createOffice()
    const path = `/programs/${merchant.programId}`
    const before = Date.now()
    const { body } = await manager.patch(path, { payoutSchedule: 'weekly' })
    const since = new Date(body.payoutScheduleSince as string).getTime()
    expect(since).toBeGreaterThanOrEqual(before + 3 * 86_400_000)
    const notices = await noticesOf(merchant)
    expect(notices.map(({ recipient }) => recipient)).toEqual([address('ben'), address('manager')])
    const day = notices[0]?.details.day as string
    expect(new Date(day).getTime()).toBeGreaterThanOrEqual(since)
    expect(new Date(day).getUTCDay()).toBe(1)
    expect(notices[0]?.details).toMatchObject({
      notice: 'payout_settings',
      person: address('manager'),
    })
  })

  test('other days of it, a new program with one, and a cut of the review period or of the sum, too', async () => {
    const { merchant, manager } = await createOffice()
    const path = `/programs/${merchant.programId}`
    await manager.patch(path, { payoutSchedule: 'weekly', reviewDays: 14 })
    for (const change of [
      { payoutSchedule: 'weekly', payoutDays: [5] },
      { reviewDays: 0 },
      { manualEarningsNoticeCents: 99_999_999 },
    ])
      expect((await manager.patch(path, change)).status).toBe(200)
    await manager.patch(path, { name: 'Winter' })
    const terms = {
      name: 'Summer',
      siteUrl: 'https://shop.example',
      reward: { kind: 'percent', percent: 20 },
      rewardInterval: 'recurring',
    }
    const created = await manager.post('/programs', { ...terms, payoutSchedule: 'monthly' })
    expect(new Date(created.body.payoutScheduleSince as string).getTime()).toBeGreaterThan(
      Date.now() + 2 * 86_400_000,
    )
    await manager.post('/programs', terms)
    const notices = await noticesOf(merchant)
    expect(notices).toHaveLength(2 * 5)
    expect(notices.filter(({ details }) => details.day !== null)).toHaveLength(2 * 3)
  })
})
