import { describe, expect, test } from 'vitest'
import { PROGRAM_DEFAULTS } from '../../lib/programs/programs.ts'
import { createMerchant, errorShape, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const twenty = { kind: 'percent', percent: 20 }
const five = { kind: 'flat', amountCents: 500, currency: 'USD' }
const program = {
  name: 'Summer',
  siteUrl: 'https://shop.example',
  reward: twenty,
  rewardInterval: 'recurring',
}

describe('POST /programs', () => {
  test('creates a program with default terms', async () => {
    const merchant = await createMerchant()
    const programs = await merchant.asManager()
    const { status, body } = await programs.post('/programs', program)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      ...program,
      ...PROGRAM_DEFAULTS,
      payoutDays: [],
      payoutScheduleSince: expect.any(String),
      reviewDays: 0,
      mode: 'live',
      createdAt: expect.any(String),
    })
    expect((await programs.get(`/programs/${body.id}`)).body).toEqual(body)
    expect(await database.audit(merchant)).toEqual([
      {
        actor: `manager@${merchant.workspace.slug}.example`,
        action: 'program.created',
        subject_id: body.id,
        details: { name: 'Summer' },
      },
    ])
  })

  test('accepts every field', async () => {
    const programs = await (await createMerchant()).asManager()
    const all = {
      name: 'Größe 🎉',
      siteUrl: 'http://localhost:3000/pricing?lang=de#plans',
      reward: five,
      rewardInterval: 'one-time',
      rewardDurationMonths: 1_200,
      oneTimeMinimumCents: 99_999_999_999_999,
      rewardShipping: true,
      creditOutOfBand: true,
      holdingDays: 0,
      netDays: 60,
      attributionDays: 3_650,
      attribution: 'first',
      attributeKnownCustomers: true,
      minimumPayoutCents: 99_999_999_999_999,
      manualEarningsNoticeCents: 99_999_999_999_999,
      payoutSchedule: 'twice_monthly',
      payoutDays: [28, 31],
      reviewDays: 14,
    }
    const { body } = await programs.post('/programs', all)
    expect(body).toMatchObject(all)
    expect((await programs.get(`/programs/${body.id}`)).body).toMatchObject(all)
  })

  test.each([
    { case: 'a share with two decimals', reward: { kind: 'percent', percent: 12.34 } },
    { case: 'a share of everything', reward: { kind: 'percent', percent: 100 } },
    { case: 'a share of nothing', reward: { kind: 'percent', percent: 0 } },
    { case: 'a share that floats badly', reward: { kind: 'percent', percent: 1.1 } },
    {
      case: 'a flat amount of one cent',
      reward: { kind: 'flat', amountCents: 1, currency: 'KWD' },
    },
  ])('takes $case, and gives it back as it was', async ({ reward }) => {
    const programs = await (await createMerchant()).asManager()
    const { body } = await programs.post('/programs', { ...program, reward })
    expect((await programs.get(`/programs/${body.id}`)).body.reward).toEqual(reward)
  })

  test('accepts a currency in any case', async () => {
    const programs = await (await createMerchant()).asManager()
    const { body } = await programs.post('/programs', {
      ...program,
      reward: { ...five, currency: 'eur' },
    })
    expect(body.reward).toEqual({ ...five, currency: 'EUR' })
  })

  test.each([
    { path: 'name', change: { name: '' } },
    { path: 'name', change: { name: 'a\u0000b' } },
    { path: 'siteUrl', change: { siteUrl: 'shop.example' } },
    { path: 'siteUrl', change: { siteUrl: 'javascript:alert(1)' } },
    { path: 'siteUrl', change: { siteUrl: 'ftp://shop.example' } },
    { path: 'siteUrl', change: { siteUrl: 'https://ann:secret@shop.example' } },
    { path: 'siteUrl', change: { siteUrl: 'https://' } },
    { path: 'siteUrl', change: { siteUrl: `https://shop.example/${'x'.repeat(2_048)}` } },
    { path: 'reward', change: { reward: 20 } },
    { path: 'reward', change: { reward: null } },
    { path: 'reward.kind', change: { reward: { kind: 'share', percent: 20 } } },
    { path: 'reward.percent', change: { reward: { kind: 'percent', percent: 100.01 } } },
    { path: 'reward.percent', change: { reward: { kind: 'percent', percent: -1 } } },
    { path: 'reward.percent', change: { reward: { kind: 'percent', percent: 12.345 } } },
    { path: 'reward.percent', change: { reward: { kind: 'percent', percent: '20' } } },
    { path: 'reward', change: { reward: { ...twenty, amountCents: 500 } } },
    { path: 'reward.amountCents', change: { reward: { ...five, amountCents: 0 } } },
    { path: 'reward.amountCents', change: { reward: { ...five, amountCents: 1.5 } } },
    { path: 'reward.amountCents', change: { reward: { ...five, amountCents: 1e15 } } },
    { path: 'reward.currency', change: { reward: { ...five, currency: 'XXX' } } },
    { path: 'rewardInterval', change: { rewardInterval: 'monthly' } },
    { path: 'rewardDurationMonths', change: { rewardDurationMonths: 0 } },
    { path: 'rewardDurationMonths', change: { rewardDurationMonths: 1_201 } },
    { path: 'holdingDays', change: { holdingDays: -1 } },
    { path: 'holdingDays', change: { holdingDays: 3_651 } },
    { path: 'netDays', change: { netDays: 0 } },
    { path: 'netDays', change: { netDays: 366 } },
    { path: 'netDays', change: { netDays: 'net_30' } },
    { path: 'attributionDays', change: { attributionDays: 0 } },
    { path: 'attribution', change: { attribution: 'middle' } },
    { path: 'attributeKnownCustomers', change: { attributeKnownCustomers: 'yes' } },
    { path: 'oneTimeMinimumCents', change: { oneTimeMinimumCents: -1 } },
    { path: 'rewardShipping', change: { rewardShipping: 'no' } },
    { path: 'creditOutOfBand', change: { creditOutOfBand: 1 } },
    { path: 'minimumPayoutCents', change: { minimumPayoutCents: -1 } },
    { path: 'payoutSchedule', change: { payoutSchedule: 'daily' } },
    { path: 'payoutDays', change: { payoutSchedule: 'weekly', payoutDays: [8] } },
    { path: 'payoutDays', change: { payoutSchedule: 'monthly', payoutDays: [29] } },
    { path: 'payoutDays', change: { payoutSchedule: 'twice_monthly', payoutDays: [5, 5] } },
    { path: 'payoutDays', change: { payoutSchedule: 'monthly', payoutDays: 15 } },
    { path: 'payoutDays.0', change: { payoutSchedule: 'monthly', payoutDays: ['last'] } },
    { path: 'payoutDays', change: { payoutDays: [15] } },
    { path: 'reviewDays', change: { reviewDays: 15 } },
    { path: '', change: { holdingdays: 14 } },
  ])(
    'refuses $change and names "$path"; a change to it is refused too',
    async ({ path, change }) => {
      const merchant = await createMerchant()
      const programs = await merchant.asManager()
      for (const answer of [
        await programs.post('/programs', { ...program, ...change }),
        await programs.patch(`/programs/${merchant.programId}`, change),
      ]) {
        expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_body' } } })
        expect(answer.body.error?.details?.map((detail) => detail.path)).toContain(path)
      }
      expect(await database.rewards(merchant)).toBe(1)
    },
  )

  test.each(['name', 'siteUrl', 'reward', 'rewardInterval'])('requires %s', async (field) => {
    const programs = await (await createMerchant()).asManager()
    const { status, body } = await programs.post('/programs', { ...program, [field]: undefined })
    expect(status).toBe(400)
    expect(body.error?.details?.map(({ path }) => path)).toEqual([field])
  })
})

describe('PATCH /programs/:id', () => {
  test('changes the given fields, and logs their old values', async () => {
    const merchant = await createMerchant()
    const programs = await merchant.asManager()
    const path = `/programs/${merchant.programId}`
    const before = (await programs.get(path)).body
    const { status, body } = await programs.patch(path, { name: 'Winter', holdingDays: 14 })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, name: 'Winter', holdingDays: 14 })
    expect((await programs.get(path)).body).toEqual(body)
    expect(await database.audit(merchant)).toEqual([
      {
        actor: `manager@${merchant.workspace.slug}.example`,
        action: 'program.changed',
        subject_id: merchant.programId,
        details: { name: { from: 'A program', to: 'Winter' }, holdingDays: { from: 30, to: 14 } },
      },
    ])
  })

  test('creates a new reward only when it differs', async () => {
    const merchant = await createMerchant()
    const programs = await merchant.asManager()
    const path = `/programs/${merchant.programId}`
    const before = await database.rewards(merchant)

    await programs.patch(path, { reward: twenty })
    await programs.patch(path, {})
    expect(await database.rewards(merchant)).toBe(before)
    expect(await database.audit(merchant)).toEqual([])

    expect((await programs.patch(path, { reward: five })).body.reward).toEqual(five)
    expect(await database.rewards(merchant)).toBe(before + 1)
    await programs.patch(path, { reward: five })
    expect(await database.rewards(merchant)).toBe(before + 1)
  })

  test('keeps the reward of existing commissions, and applies the new one to later sales', async () => {
    const merchant = await createMerchant()
    const programs = await merchant.asManager()
    const clickId = await merchant.click()
    const first = await merchant.sale({ externalId: 'inv_1', clickId })
    await programs.patch(`/programs/${merchant.programId}`, {
      reward: { kind: 'percent', percent: 50 },
    })
    const second = await merchant.sale({ externalId: 'inv_2', clickId })
    expect((await merchant.explain(first.body.eventId)).commission?.amountCents).toBe(980)
    expect((await merchant.explain(second.body.eventId)).commission?.amountCents).toBe(2_450)
  })

  test('removes a duration limit with null', async () => {
    const merchant = await createMerchant({ program: { reward_duration_months: 12 } })
    const programs = await merchant.asManager()
    const { body } = await programs.patch(`/programs/${merchant.programId}`, {
      rewardDurationMonths: null,
    })
    expect(body.rewardDurationMonths).toBeNull()
  })

  test('a schedule begins three days after it is set: past occurrences do not run', async () => {
    const merchant = await createMerchant()
    const programs = await merchant.asManager()
    const path = `/programs/${merchant.programId}`
    const since = async () => {
      const [row] = await database.query<{ since: Date }>(
        'select payout_schedule_since as since from programs where id = $1',
        [merchant.programId],
      )
      return row?.since.getTime() ?? 0
    }
    await database.query(`update programs set payout_schedule_since = '2026-01-01' where id = $1`, [
      merchant.programId,
    ])
    const before = await since()
    await programs.patch(path, { name: 'Winter', payoutSchedule: 'manual' })
    expect(await since()).toBe(before)
    const { body } = await programs.patch(path, { payoutSchedule: 'weekly' })
    expect(body.payoutSchedule).toBe('weekly')
    const chosen = await since()
    expect(Math.abs(Date.now() + 3 * 86_400_000 - chosen)).toBeLessThan(60_000)
    await programs.patch(path, { payoutSchedule: 'weekly', holdingDays: 3 })
    expect(await since()).toBe(chosen)
    await programs.patch(path, { payoutSchedule: 'weekly', payoutDays: [5] })
    expect(await since()).toBeGreaterThan(chosen)
  })

  test('a schedule has the days that were chosen for it, else its own', async () => {
    const merchant = await createMerchant()
    const programs = await merchant.asManager()
    const path = `/programs/${merchant.programId}`
    const patched = async (change: object) => {
      const { status, body } = await programs.patch(path, change)
      return [status, body.payoutSchedule, body.payoutDays]
    }
    expect(await patched({ payoutSchedule: 'monthly', payoutDays: [31] })).toEqual([
      200,
      'monthly',
      [31],
    ])
    expect(await patched({ name: 'Winter' })).toEqual([200, 'monthly', [31]])
    expect(await patched({ payoutSchedule: 'twice_monthly', payoutDays: [31, 10] })).toEqual([
      200,
      'twice_monthly',
      [10, 31],
    ])
    expect(await patched({ payoutSchedule: 'weekly' })).toEqual([200, 'weekly', [1]])
    expect(await patched({ payoutSchedule: 'manual', payoutDays: [] })).toEqual([200, 'manual', []])
    expect((await programs.get(path)).body.payoutDays).toEqual([])
    const { body } = await programs.post('/programs', {
      ...program,
      payoutSchedule: 'twice_monthly',
      payoutDays: [20, 5],
    })
    expect(body.payoutDays).toEqual([5, 20])
  })

  test('concurrent changes of the schedule leave days that fit it', async () => {
    const merchant = await createMerchant()
    const programs = await merchant.asManager()
    const path = `/programs/${merchant.programId}`
    const answers = await Promise.all(
      [
        { payoutSchedule: 'weekly', payoutDays: [7] },
        { payoutSchedule: 'monthly', payoutDays: [28] },
        { payoutSchedule: 'twice_monthly' },
        { payoutSchedule: 'manual' },
        { payoutSchedule: 'monthly' },
      ].map((change) => programs.patch(path, change)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const { body } = await programs.get(path)
    expect(
      answers.map((answer) => [answer.body.payoutSchedule, answer.body.payoutDays]),
    ).toContainEqual([body.payoutSchedule, body.payoutDays])
  })

  test('concurrent changes of different fields both apply', async () => {
    const merchant = await createMerchant()
    const programs = await merchant.asManager()
    const path = `/programs/${merchant.programId}`
    await Promise.all([
      programs.patch(path, { name: 'Winter' }),
      programs.patch(path, { holdingDays: 7 }),
      programs.patch(path, { reward: five }),
    ])
    expect((await programs.get(path)).body).toMatchObject({
      name: 'Winter',
      holdingDays: 7,
      reward: five,
    })
  })
})

test.each(['/programs', '/programs/:id/groups'])(
  'GET %s lists newest first, with pagination',
  async (path) => {
    const merchant = await createMerchant()
    const as = await merchant.asManager()
    const list = path.replace(':id', merchant.programId)
    for (const name of ['a', 'b', 'c']) {
      await as.post(list, path === '/programs' ? { ...program, name } : { name })
    }
    const names = async (query: string) => {
      const { body } = await as.get(`${list}${query}`)
      const page = body as unknown as { data: { name: string }[]; nextCursor: string | null }
      return { names: page.data.map(({ name }) => name), cursor: page.nextCursor }
    }
    const first = await names('?limit=2')
    expect(first.names).toEqual(['c', 'b'])
    expect((await names(`?limit=1&cursor=${first.cursor}`)).names).toEqual(['a'])
    for (const query of ['?limit=0', '?limit=201', '?cursor=x']) {
      expect(await as.get(`${list}${query}`)).toMatchObject({
        status: 400,
        body: errorShape('invalid_query'),
      })
    }
  },
)
