import { describe, expect, inject, test } from 'vitest'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { fieldsOf, openPages } from '../support/pages.ts'

const database = useDatabase()

const SUMMER = {
  name: 'Summer',
  siteUrl: 'https://shop.example',
  'reward.kind': 'percent',
  'reward.percent': '12.5',
  'reward.amountCents': '',
  'reward.currency': 'USD',
  rewardInterval: 'recurring',
  rewardDurationMonths: '12',
  oneTimeMinimumCents: '5.00',
  rewardShipping: 'on',
  creditOutOfBand: 'on',
  holdingDays: '14',
  netDays: '30',
  attributionDays: '',
  attribution: 'first',
  attributeKnownCustomers: 'backend',
  trustedAttribution: 'on',
  minimumPayoutCents: '50.00',
  payoutSchedule: 'monthly',
  payoutWeekday: '5',
  payoutDay: '31',
  secondPayoutDay: '15',
  reviewDays: '3',
}

describe('programs', () => {
  const stored = async ({ programId, as, manager }: Merchant, id = programId) =>
    (await as(await manager()).get(`/programs/${id}`)).body

  test('are created by a form, as by the API', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const { status, location } = await pages.post('/programs/new', SUMMER)
    expect(status).toBe(303)
    const id = /programs\/([^?]+)\?done=created$/.exec(location ?? '')?.[1]
    expect(await stored(merchant, id)).toMatchObject({
      name: 'Summer',
      reward: { kind: 'percent', percent: 12.5 },
      rewardDurationMonths: 12,
      oneTimeMinimumCents: 500,
      rewardShipping: true,
      creditOutOfBand: true,
      holdingDays: 14,
      netDays: 30,
      attributionDays: 90,
      attribution: 'first',
      attributeKnownCustomers: true,
      trustedAttribution: true,
      minimumPayoutCents: 5_000,
      payoutSchedule: 'monthly',
      payoutDays: [31],
      reviewDays: 3,
    })
    const { html } = await pages.get(`/programs/${id}?done=created`)
    expect(html).toContain('Program created.')
    const tag = `&lt;script defer src=&quot;${inject('baseUrl')}/via.js&quot; data-program=&quot;${id}&quot;&gt;`
    expect(html).toContain(tag)
  })

  test.each([
    { reward: { amount: '5.00', currency: 'usd' }, is: { amountCents: 500, currency: 'USD' } },
    { reward: { amount: '5', currency: 'USD' }, is: { amountCents: 500, currency: 'USD' } },
    { reward: { amount: '500', currency: 'JPY' }, is: { amountCents: 500, currency: 'JPY' } },
    { reward: { amount: '0.125', currency: 'KWD' }, is: { amountCents: 125, currency: 'KWD' } },
  ])('a flat reward of $reward is entered in major units', async ({ reward, is }) => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const flat = {
      'reward.kind': 'flat',
      'reward.amountCents': reward.amount,
      'reward.currency': reward.currency,
    }
    expect(
      (await pages.post(`/programs/${merchant.programId}`, { ...SUMMER, ...flat })).status,
    ).toBe(303)
    expect((await stored(merchant)).reward).toEqual({ kind: 'flat', ...is })
  })

  test('a recurring program asks who reports renewals', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const { attributeKnownCustomers: _, ...unanswered } = SUMMER
    const { status, html } = await pages.post('/programs/new', unanswered)
    expect(status).toBe(400)
    expect(html).toContain('Choose who reports renewals.')
    const once = { ...unanswered, rewardInterval: 'one-time' }
    expect((await pages.post('/programs/new', once)).status).toBe(303)
  })

  test('a sale of a known customer that it does not credit leads to this question', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    await merchant.lead({ externalId: 'user_1', clickId: await merchant.click() })
    await merchant.sale({ externalId: 'renewal', customerExternalId: 'user_1' })
    const event = await merchant.explainReport('sale', 'renewal')
    const path = `/programs/${merchant.programId}`
    expect((await pages.get(`/events/${event?.id}`)).html).toContain(
      `<a href="/app/${merchant.workspace.slug}${path}#attributeKnownCustomers">Change this setting</a>`,
    )
    expect((await pages.get(path)).html).toContain('id="attributeKnownCustomers"')
  })

  test('a schedule with the name of a property of objects is refused', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const typed = { ...SUMMER, payoutSchedule: '__proto__' }
    expect((await pages.post(`/programs/${merchant.programId}`, typed)).status).toBe(400)
  })

  test('saving an unchanged form changes nothing and logs nothing', async () => {
    const merchant = await createMerchant({
      program: {
        name: '"Ann" & <Bob>',
        reward: { amountCents: 1_250n, currency: 'EUR' },
        reward_interval: 'one-time',
        reward_duration_months: 3,
        one_time_minimum_cents: 150,
        reward_shipping: true,
        credit_out_of_band: true,
        minimum_payout_cents: 1_234,
        payout_schedule: 'weekly',
        payout_days: [5],
      },
    })
    const pages = await openPages(merchant)
    const path = `/programs/${merchant.programId}`
    const before = await stored(merchant)
    const { html } = await pages.get(path)
    expect(html).not.toContain('<Bob>')
    expect(html).toMatch(/Payout schedule: Every Friday, next on \d{4}-\d\d-\d\d\./)
    expect(await pages.post(path, fieldsOf(html))).toMatchObject({
      status: 303,
      location: `/app/${merchant.workspace.slug}${path}?done=saved`,
    })
    expect(await stored(merchant)).toEqual(before)
    expect(await database.audit(merchant)).toEqual([])
  })

  test('their forms work the saved reward out, also beside a refused one', async () => {
    const merchant = await createMerchant({
      program: { reward: { percent: 30 }, reward_interval: 'one-time' },
      group: { leadReward: { amountCents: 250n, currency: 'EUR' } },
    })
    const pages = await openPages(merchant)
    const saved = 'A customer’s first sale of 100.00 USD earns 30.00 USD. Later sales earn nothing.'
    const path = `/programs/${merchant.programId}`
    expect((await pages.get(path)).html).toContain(saved)
    expect((await pages.post(path, { ...SUMMER, 'reward.percent': '200' })).html).toContain(saved)
    const [group] = await database.query<{ id: string }>(
      'select id from groups where program_id = $1',
      [merchant.programId],
    )
    const { html } = await pages.get(`/groups/${group?.id}`)
    expect(html).toContain(saved)
    expect(html).toContain('A lead earns 2.50 EUR.')
  })

  test('the audit log describes changes', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const flat = { 'reward.kind': 'flat', 'reward.amountCents': '5.00' }
    await pages.post(`/programs/${merchant.programId}`, { ...SUMMER, ...flat })
    const { html } = await pages.get('/audit')
    expect(html).toContain('name from A program to Summer')
    expect(html).toContain('reward from 20% of each sale to $5.00 for each sale')
    expect(html).toContain('reward duration from none to 12')
    expect(html).toContain('credit for known customers from off to on')
    expect(html).toContain('reward for shipping from off to on')
    expect(html).toContain('payout schedule from manual to monthly')
    expect(html).toContain('payout days from none to 31')
  })

  test('an emptied field takes the default', async () => {
    const merchant = await createMerchant({
      program: { reward_duration_months: 3, holding_days: 7, net_days: 15 },
    })
    const pages = await openPages(merchant)
    const path = `/programs/${merchant.programId}`
    const fields = fieldsOf((await pages.get(path)).html)
    await pages.post(path, { ...fields, rewardDurationMonths: '', holdingDays: ' ', netDays: '' })
    expect(await stored(merchant)).toMatchObject({
      rewardDurationMonths: null,
      holdingDays: 30,
      netDays: null,
    })
  })

  test.each([
    { field: 'name', typed: '' },
    { field: 'siteUrl', typed: 'shop.example' },
    { field: 'siteUrl', typed: 'https://ann:secret@shop.example' },
    { field: 'reward.kind', typed: 'other' },
    { field: 'reward.percent', typed: '' },
    { field: 'reward.percent', typed: 'a lot' },
    { field: 'reward.percent', typed: '101' },
    { field: 'reward.percent', typed: '1.234' },
    { field: 'rewardInterval', typed: '' },
    { field: 'rewardDurationMonths', typed: '0' },
    { field: 'rewardDurationMonths', typed: '1.5' },
    { field: 'holdingDays', typed: '-1' },
    { field: 'holdingDays', typed: '1e3' },
    { field: 'attributionDays', typed: '9999999999999999999999' },
    { field: 'minimumPayoutCents', typed: '1,000.00' },
    { field: 'oneTimeMinimumCents', typed: '-1.00' },
    { field: 'reward.amountCents', typed: '', kind: 'flat' },
    { field: 'reward.amountCents', typed: '0', kind: 'flat' },
    { field: 'reward.amountCents', typed: '5.001', kind: 'flat' },
    { field: 'reward.currency', typed: 'XXX', kind: 'flat' },
  ])(
    '"$typed" as $field comes back beside the field, with all that was typed',
    async ({ field, typed, kind }) => {
      const merchant = await createMerchant()
      const pages = await openPages(merchant)
      const fields = {
        ...SUMMER,
        'reward.amountCents': '5.00',
        ...(kind && { 'reward.kind': kind }),
        [field]: typed,
      }
      for (const path of ['/programs/new', `/programs/${merchant.programId}`]) {
        const { status, html } = await pages.post(path, fields)
        expect(status).toBe(400)
        expect(html).toContain('role="alert"')
        expect(html.match(new RegExp(`<a href="#${field}">`, 'g'))).toHaveLength(1)
        expect(html).toContain(`id="${field}-error"`)
        if (!['reward.kind', 'rewardInterval'].includes(field)) {
          expect(fieldsOf(html)).toMatchObject({
            name: fields.name,
            [field]: typed,
            attribution: 'first',
          })
        }
      }
      expect(await database.audit(merchant)).toEqual([])
    },
  )
})

describe('groups', () => {
  test('are created and changed by forms, and a reward is removed', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const made = await pages.post(`/programs/${merchant.programId}/groups/new`, {
      name: 'Gold',
      'saleReward.kind': 'percent',
      'saleReward.percent': '30%',
      'leadReward.kind': 'flat',
      'leadReward.amountCents': '2.50',
      'leadReward.currency': 'EUR',
    })
    const path = /\/groups\/[^?]+/.exec(made.location ?? '')?.[0] ?? ''
    const stored = async () => (await (await merchant.asManager()).get(path)).body
    expect(await stored()).toMatchObject({
      name: 'Gold',
      saleReward: { kind: 'percent', percent: 30 },
      leadReward: { kind: 'flat', amountCents: 250, currency: 'EUR' },
    })
    const { html } = await pages.get(`/programs/${merchant.programId}`)
    expect(html).toContain('30% of each sale')
    expect(html).toContain('2.50 EUR for each lead')

    const fields = fieldsOf((await pages.get(path)).html)
    expect(fields).toMatchObject({
      name: 'Gold',
      'saleReward.percent': '30',
      'leadReward.amountCents': '2.50',
    })
    await pages.post(path, { ...fields, 'saleReward.kind': '' })
    expect(await stored()).toMatchObject({ saleReward: null, leadReward: { amountCents: 250 } })
  })

  test('a percentage of a lead is rejected', async () => {
    const merchant = await createMerchant()
    const answer = await (await openPages(merchant)).post(
      `/programs/${merchant.programId}/groups/new`,
      {
        name: 'Gold',
        'leadReward.kind': 'percent',
        'leadReward.percent': '30',
      },
    )
    expect(answer.status).toBe(400)
    expect(answer.html).toContain('a lead has no amount')
  })
})
