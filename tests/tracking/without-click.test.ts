/**
 * Attribution requires a click (spec 4.1, rule 2). Settings of a program that credit sales without
 * one are off by default, and never take effect for what was sold before they were set.
 */
import { describe, expect, test } from 'vitest'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

const DAY_MS = 24 * 60 * 60_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)

/** A merchant with a click that is older than every sale of these tests. */
const open = async (program: Record<string, unknown> = {}) => {
  const merchant = await createMerchant({ program })
  const clickId = await merchant.click()
  await database.query('update clicks set created_at = $2 where workspace_id = $3 and id = $1', [
    ...[clickId, daysAgo(60), merchant.workspace.id],
  ])
  return { merchant, clickId }
}
const change = async (merchant: Merchant, terms: object) => {
  const { status } = await (await merchant.asManager()).patch(
    `/programs/${merchant.programId}`,
    terms,
  )
  expect(status).toBe(200)
}
/** Makes the present terms those of the last days, and those before them older. */
const ageTerms = (merchant: Merchant, days: number) =>
  database.query(
    `with former as (update former_program_terms set until = until - make_interval(days => $2) where program_id = $1)
     update programs set terms_since = terms_since - make_interval(days => $2) where id = $1`,
    [merchant.programId, days],
  )
const creditOf = async (merchant: Merchant, externalId: string) => {
  const event = await merchant.explainReport('sale', externalId)
  return { partner: event?.partner?.slug ?? null, cents: event?.commission?.amountCents ?? 0 }
}
const NOBODY = { partner: null, cents: 0 }
const MAYA = { partner: 'maya', cents: 980 }

/** What follows a sale of user_1 without a click, with a click from before it. */
const FOLLOWS: {
  what: string
  follow: (merchant: Merchant, clickId: string) => Promise<unknown>
}[] = [
  {
    what: 'a lead',
    follow: (merchant, clickId) => merchant.lead({ externalId: 'user_1', clickId }),
  },
  {
    what: 'another sale',
    follow: (merchant, clickId) => merchant.sale({ externalId: 'later', clickId }),
  },
  {
    what: 'a dated lead',
    follow: (merchant, clickId) =>
      merchant.lead({ externalId: 'user_1', clickId, occurredAt: daysAgo(0.5).toISOString() }),
  },
  {
    what: 'a batch with a lead and another sale',
    follow: (merchant, clickId) =>
      merchant.post('/api/track/batch', {
        events: [
          { kind: 'lead', externalId: 'user_1', clickId },
          {
            kind: 'sale',
            externalId: 'later',
            customerExternalId: 'user_1',
            amountCents: 4_900,
            clickId,
          },
        ],
      }),
  },
]

describe('spec 4.1, rule 2: a sale without a click is credited to nobody', () => {
  test.each(FOLLOWS)(
    'also when $what of its customer follows with an older click',
    async ({ follow }) => {
      const { merchant, clickId } = await open()
      await merchant.sale({ externalId: 'dated', occurredAt: daysAgo(5).toISOString() })
      await merchant.sale({ externalId: 'live' })
      await follow(merchant, clickId)
      expect(await creditOf(merchant, 'dated')).toEqual(NOBODY)
      expect(await creditOf(merchant, 'live')).toEqual(NOBODY)
    },
  )

  test('in a program that leaves the settings out', async () => {
    const { merchant } = await open()
    const { body } = await (await merchant.asManager()).post('/programs', {
      ...{ name: 'New', siteUrl: 'https://shop.example', rewardInterval: 'recurring' },
      reward: { kind: 'percent', percent: 20 },
    })
    expect(body).toMatchObject({ lateLeadDays: 0, attributeKnownCustomers: false })
  })
})

describe('a setting that credits sales without a click', () => {
  /** Each credits a sale of now with the lead that follows it. */
  const SETTINGS = [
    { setting: 'lateLeadDays, from 0 to 90', before: {}, after: { lateLeadDays: 90 } },
    {
      setting: 'lateLeadDays, from 2 to 10',
      before: { late_lead_days: 2 },
      after: { lateLeadDays: 10 },
    },
    {
      setting: 'attributeKnownCustomers and lateLeadDays',
      before: {},
      after: { attributeKnownCustomers: true, lateLeadDays: 10 },
    },
  ]
  const cases = SETTINGS.flatMap((setting) => FOLLOWS.map((follow) => ({ ...setting, ...follow })))

  test.each(everyNth(5, cases))(
    'takes no effect for what was sold before it was set: $setting, when $what follows',
    { tags: 'sampled' },
    async ({ before, after, follow }) => {
      const { merchant, clickId } = await open(before)
      await merchant.sale({ externalId: 'before', occurredAt: daysAgo(5).toISOString() })
      await change(merchant, after)
      await ageTerms(merchant, 2)
      await merchant.sale({ externalId: 'since', occurredAt: daysAgo(1).toISOString() })
      // Received late, but sold before.
      await merchant.sale({ externalId: 'late', occurredAt: daysAgo(6).toISOString() })
      await follow(merchant, clickId)
      expect(await creditOf(merchant, 'before')).toEqual(NOBODY)
      expect(await creditOf(merchant, 'late')).toEqual(NOBODY)
      expect(await creditOf(merchant, 'since')).toEqual(MAYA)
      expect(await database.violations(merchant.workspace.id)).toEqual([])
    },
  )

  test.each(SETTINGS)(
    'takes no effect when a sale before it is planned again: $setting',
    async ({ before, after }) => {
      const { merchant, clickId } = await open(before)
      await merchant.sale({ externalId: 'before', occurredAt: daysAgo(5).toISOString() })
      await merchant.lead({ externalId: 'user_1', clickId, occurredAt: daysAgo(1).toISOString() })
      expect(await creditOf(merchant, 'before')).toEqual(NOBODY)
      await change(merchant, after)
      // An earlier sale, a refund and another id of the customer: each plans it again.
      await merchant.sale({ externalId: 'earlier', occurredAt: daysAgo(8).toISOString() })
      await merchant.refund({ externalId: 'part', saleExternalId: 'before', amountCents: 100 })
      await merchant.lead({ externalId: 'cus_Any1', customerExternalId: 'user_1', clickId })
      await merchant.lead({ externalId: 'again', customerExternalId: 'user_1', clickId })
      expect(await creditOf(merchant, 'before')).toEqual(NOBODY)
      expect(await creditOf(merchant, 'earlier')).toEqual(NOBODY)
      expect(await database.violations(merchant.workspace.id)).toEqual([])
    },
  )

  test('keeps its effect for what was sold while it was set', async () => {
    const { merchant, clickId } = await open({ late_lead_days: 10 })
    await merchant.sale({ externalId: 'while', occurredAt: daysAgo(5).toISOString() })
    await change(merchant, { lateLeadDays: 0 })
    await merchant.sale({ externalId: 'since' })
    await merchant.lead({ externalId: 'user_1', clickId })
    expect(await creditOf(merchant, 'while')).toEqual(MAYA)
    expect(await creditOf(merchant, 'since')).toEqual(NOBODY)
  })

  test('credits a sale that a lead follows within as many days as were set at its time', async () => {
    const { merchant, clickId } = await open({ late_lead_days: 2 })
    await merchant.sale({ externalId: 'three days', occurredAt: daysAgo(5).toISOString() })
    await merchant.sale({ externalId: 'one day', occurredAt: daysAgo(3).toISOString() })
    await change(merchant, { lateLeadDays: 10 })
    await merchant.lead({ externalId: 'user_1', clickId, occurredAt: daysAgo(2).toISOString() })
    expect(await creditOf(merchant, 'three days')).toEqual(NOBODY)
    expect(await creditOf(merchant, 'one day')).toEqual(MAYA)
  })
})
