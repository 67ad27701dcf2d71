/** Rewards with rules in the API: what is stored, answered and refused. */
import { describe, expect, test } from 'vitest'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const percent = (share: number) => ({ kind: 'percent', percent: share })
const flat = (amountCents: number, currency = 'USD') => ({ kind: 'flat', amountCents, currency })
const product = (...ids: string[]) => ({ fact: 'product', in: ids })
const rule = (more: Record<string, unknown> = {}) => ({
  name: 'Annual plans',
  when: { all: [product('annual')] },
  pay: percent(30),
  ...more,
})
const withRules = (...rules: unknown[]) => ({ ...percent(20), rules })

/** Every condition, in both kinds of lists. */
const EVERY = withRules(
  rule({
    when: {
      all: [
        product('prod_1', 'price_1'),
        { fact: 'payment', atLeast: 2 },
        { fact: 'payment', of: 'subscription', atLeast: 1, atMost: 1 },
        { fact: 'customerMonths', atLeast: 0, below: 12 },
        { fact: 'lineAmount', currency: 'USD', atLeastCents: 0 },
        {
          any: [
            { fact: 'saleAmount', currency: 'EUR', atLeastCents: 100, belowCents: 200 },
            { fact: 'quantity', atLeast: 5 },
            { fact: 'billingInterval', in: ['year', 'half_year'] },
          ],
        },
      ],
    },
    durationMonths: 24,
  }),
  rule({
    name: 'Launch week',
    when: {
      any: [
        { fact: 'coupon' },
        { fact: 'coupon', in: ['LAUNCH'] },
        {
          all: [
            { fact: 'metadata', key: 'plan' },
            { fact: 'country', in: ['DE', 'AT'] },
          ],
        },
        { fact: 'metadata', key: 'plan', in: ['pro'] },
        { fact: 'link', in: ['maya'] },
        { fact: 'sub', in: ['newsletter'] },
        { fact: 'day', from: '2026-05-01', until: '2026-05-01' },
      ],
    },
    pay: { ...flat(500), per: 'unit' },
    durationMonths: null,
  }),
  rule({ name: 'Once', pay: flat(2_500, 'EUR') }),
  rule({ name: 'Gift cards', pay: { kind: 'none' } }),
)

const groupOf = async (merchant: Merchant) => {
  const as = await merchant.asManager()
  const { body } = await as.get(`/programs/${merchant.programId}/groups`)
  return (body.data as { id: string }[])[0]?.id
}

describe('a reward with rules', () => {
  test('is answered as it was sent, by programs and groups, alone and in lists', async () => {
    const merchant = await createMerchant()
    const as = await merchant.asManager()
    const made = await as.post('/programs', {
      name: 'Second',
      siteUrl: 'https://shop.example',
      rewardInterval: 'recurring',
      reward: EVERY,
    })
    expect(made).toMatchObject({ status: 201, body: { reward: EVERY } })
    expect((await as.get(`/programs/${made.body.id}`)).body).toEqual(made.body)
    expect((await as.get('/programs')).body.data).toContainEqual(made.body)

    const leadReward = {
      ...flat(500),
      rules: [
        rule({ when: { any: [{ fact: 'country', in: ['DE'] }] }, pay: flat(900) }),
        rule({ name: 'Trial', when: { all: [{ fact: 'sub', in: ['x'] }] }, pay: { kind: 'none' } }),
      ],
    }
    const path = `/programs/${made.body.id}/groups`
    const group = await as.post(path, { name: 'Gold', saleReward: EVERY, leadReward })
    expect(group).toMatchObject({ status: 201, body: { saleReward: EVERY, leadReward } })
    expect((await as.get(`/groups/${group.body.id}`)).body).toEqual(group.body)
    expect((await as.get(path)).body.data).toEqual([group.body])
  })

  test('has no rules without any, and an amount per sale unless it says per unit', async () => {
    const merchant = await createMerchant()
    const as = await merchant.asManager()
    const path = `/programs/${merchant.programId}`
    const answerTo = async (reward: unknown) => (await as.patch(path, { reward })).body.reward
    expect(await answerTo({ ...percent(5), rules: [] })).toEqual(percent(5))
    expect(await answerTo({ ...percent(6), rules: null })).toEqual(percent(6))
    expect(await answerTo(withRules(rule({ pay: flat(5, 'usd') })))).toEqual(
      withRules(rule({ pay: flat(5) })),
    )
  })

  test('is a new one if it differs, and the same one if only the order of keys does', async () => {
    const merchant = await createMerchant()
    const as = await merchant.asManager()
    const path = `/programs/${merchant.programId}`
    const rewards = () => database.rewards(merchant)
    await as.patch(path, { reward: EVERY })
    const count = await rewards()
    const reordered = JSON.parse(JSON.stringify(EVERY), (_, value) =>
      value && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    )
    expect((await as.patch(path, { reward: reordered })).body.reward).toEqual(EVERY)
    expect(await rewards()).toBe(count)

    const [first, second, ...others] = EVERY.rules
    await as.patch(path, { reward: { ...EVERY, rules: [second, first, ...others] } })
    expect(await rewards()).toBe(count + 1)
    await as.patch(path, { reward: percent(20) })
    expect(await rewards()).toBe(count + 2)
    const changes = (await database.audit(merchant)).map(({ details }) => details.reward)
    expect(changes.at(-1)).toEqual({
      from: { ...EVERY, rules: [second, first, ...others] },
      to: percent(20),
    })
  })

  test('decides a sale of the program without lines as one line', async () => {
    const merchant = await createMerchant()
    const as = await merchant.asManager()
    await as.patch(`/programs/${merchant.programId}`, {
      reward: withRules(
        rule({ when: { all: [{ fact: 'metadata', key: 'plan', in: ['annual'] }] } }),
      ),
    })
    const clickId = await merchant.click()
    const annual = await merchant.sale({
      clickId,
      externalId: 'inv_1',
      metadata: { plan: 'annual' },
    })
    const monthly = await merchant.sale({
      clickId,
      externalId: 'inv_2',
      metadata: { plan: 'monthly' },
    })
    const explained = await merchant.explain(annual.body.eventId)
    expect(explained.commission?.amountCents).toBe(1_470)
    expect(explained.steps.map(({ code }) => code)).toEqual([
      'click',
      'program_reward',
      'line_reward',
      'commission_created',
    ])
    expect((await merchant.explain(monthly.body.eventId)).commission?.amountCents).toBe(980)
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('of a group decides its partners’ sales and leads', async () => {
    const merchant = await createMerchant({ group: {} })
    const as = await merchant.asManager()
    const dear = { all: [{ fact: 'saleAmount', currency: 'USD', atLeastCents: 4_900 }] }
    const vip = { any: [{ fact: 'metadata', key: 'vip' }] }
    const changed = await as.patch(`/groups/${await groupOf(merchant)}`, {
      saleReward: withRules(rule({ when: dear, pay: { ...flat(700), per: 'unit' } })),
      leadReward: { ...flat(300), rules: [rule({ when: vip, pay: flat(1_000) })] },
    })
    expect(changed.status).toBe(200)
    const clickId = await merchant.click()
    const earned = async ({ body }: Awaited<ReturnType<Merchant['sale']>>) =>
      (await merchant.explain(body.eventId)).commission?.amountCents
    expect(await earned(await merchant.sale({ clickId }))).toBe(700)
    const cheap = { clickId, externalId: 'inv_2', amountCents: 1_000 }
    expect(await earned(await merchant.sale(cheap))).toBe(200)
    expect(await earned(await merchant.lead({ externalId: 'ann', clickId }))).toBe(300)
    const special = { externalId: 'bob', clickId, metadata: { vip: true } }
    expect(await earned(await merchant.lead(special))).toBe(1_000)
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })
})

describe('a reward is refused', () => {
  const when = (...all: unknown[]) => withRules(rule({ when: { all } }))
  const AT = 'reward.rules.0.when.all.0'
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => rule({ name: `Rule ${i}` }))
  const deep = (levels: number): unknown =>
    levels === 0 ? { fact: 'coupon' } : { all: [deep(levels - 1)] }

  const cases: [label: string, reward: unknown, path: string, message: string][] = [
    ['more than 30 rules', withRules(...many(31)), 'reward.rules', 'at most 30 rules'],
    ['rules that are no list', { ...percent(1), rules: {} }, 'reward.rules', 'a list'],
    ['a rule that is none', withRules('x'), 'reward.rules.0', 'expected object'],
    ['two rules of a name', withRules(rule(), rule()), 'reward.rules.1.name', 'unique'],
    ['no name', withRules(rule({ name: ' ' })), 'reward.rules.0.name', 'blank'],
    [
      'a long name',
      withRules(rule({ name: 'x'.repeat(101) })),
      'reward.rules.0.name',
      'at most 100',
    ],
    ['another key', withRules(rule({ priority: 1 })), 'reward.rules.0', '"priority"'],
    [
      'pay of another kind',
      withRules(rule({ pay: { kind: 'x' } })),
      'reward.rules.0.pay.kind',
      'none',
    ],
    [
      'no pay',
      withRules(rule({ pay: undefined })),
      'reward.rules.0.pay',
      'Must be what the rule pays',
    ],
    [
      'a flat amount of another unit',
      withRules(rule({ pay: { ...flat(1), per: 'line' } })),
      'reward.rules.0.pay.per',
      'unit, or absent',
    ],
    [
      'more than all',
      withRules(rule({ pay: percent(101) })),
      'reward.rules.0.pay.percent',
      '0 to 100',
    ],
    [
      'a duration of nothing',
      withRules(rule({ durationMonths: 0 })),
      'reward.rules.0.durationMonths',
      '1 to 1200',
    ],
    ['no conditions', withRules(rule({ when: {} })), 'reward.rules.0.when', '{"any": [...]}'],
    ['null conditions', withRules(rule({ when: null })), 'reward.rules.0.when', '{"all": [...]}'],
    [
      'both lists',
      withRules(rule({ when: { all: [product('a')], any: [product('a')] } })),
      'reward.rules.0.when',
      '"any"',
    ],
    ['an empty list', when(), 'reward.rules.0.when.all', '1 to 20'],
    ['a condition that is none', when('product'), AT, 'Must be a condition'],
    ['a condition without its fact', when({ in: ['a'] }), AT, 'Must be a condition'],
    ['an unknown fact', when({ fact: 'weather', in: ['rain'] }), `${AT}.fact`, 'customerMonths'],
    ['a third level', withRules(rule({ when: deep(3) })), `${AT}`, 'Must be a condition'],
    ['a list in a list of its kind', when({ all: [product('a')] }), AT, '{"any": [...]}'],
    [
      '21 conditions in lists',
      when(...Array(3).fill({ any: Array(7).fill(product('a')) })),
      'reward.rules.0.when',
      'at most 20',
    ],
    ['21 conditions', when(...Array(21).fill(product('a'))), 'reward.rules.0.when.all', '1 to 20'],
    [
      'an error in the second level',
      when({ any: [product('a'), product('')] }),
      `${AT}.any.1.in.0`,
      '1 to 255',
    ],
    ['no values', when(product()), `${AT}.in`, '1 to 100'],
    ['101 values', when(product(...Array(101).fill('a'))), `${AT}.in`, '1 to 100'],
    ['a value of 256 characters', when(product('x'.repeat(256))), `${AT}.in.0`, '1 to 255'],
    ['a value that is a number', when({ fact: 'product', in: [1] }), `${AT}.in.0`, 'text'],
    ['a country in lower case', when({ fact: 'country', in: ['de'] }), `${AT}.in.0`, 'upper-case'],
    [
      'an unknown interval',
      when({ fact: 'billingInterval', in: ['yearly'] }),
      `${AT}.in.0`,
      'half_year',
    ],
    ['a day that is none', when({ fact: 'day', from: '2026-02-30' }), `${AT}.from`, '2026-05-01'],
    [
      'days in the wrong order',
      when({ fact: 'day', from: '2026-05-02', until: '2026-05-01' }),
      `${AT}.until`,
      'not be below from',
    ],
    ['no day', when({ fact: 'day' }), AT, 'from, until or both'],
    ['no bound', when({ fact: 'payment' }), AT, 'atLeast, atMost or both'],
    ['the payment 0', when({ fact: 'payment', atMost: 0 }), `${AT}.atMost`, '1 to'],
    [
      'bounds in the wrong order',
      when({ fact: 'quantity', atLeast: 3, atMost: 2 }),
      `${AT}.atMost`,
      'not be below atLeast',
    ],
    [
      'bounds that leave nothing',
      when({ fact: 'customerMonths', atLeast: 12, below: 12 }),
      `${AT}.below`,
      'above atLeast',
    ],
    [
      'amounts that leave nothing',
      when({ fact: 'lineAmount', currency: 'USD', atLeastCents: 5, belowCents: 5 }),
      `${AT}.belowCents`,
      'above atLeastCents',
    ],
    [
      'part of a cent',
      when({ fact: 'lineAmount', currency: 'USD', belowCents: 1.5 }),
      `${AT}.belowCents`,
      'whole',
    ],
    [
      'no currency',
      when({ fact: 'saleAmount', belowCents: 1 }),
      `${AT}.currency`,
      'expected string',
    ],
    [
      'an unknown currency',
      when({ fact: 'saleAmount', currency: 'XXZ', belowCents: 1 }),
      `${AT}.currency`,
      'ISO 4217',
    ],
    [
      'a bound that is null',
      when({ fact: 'quantity', atLeast: null }),
      `${AT}.atLeast`,
      'whole number',
    ],
    ['a key of another condition', when({ ...product('a'), atLeast: 1 }), AT, '"atLeast"'],
    [
      'keys of prototypes',
      JSON.parse(
        JSON.stringify(when(product('a'))).replace(
          '"fact"',
          '"__proto__":{"fact":"coupon"},"fact"',
        ),
      ),
      AT,
      '__proto__',
    ],
    [
      'a prototype instead of conditions',
      withRules(rule({ when: JSON.parse('{"__proto__": {"all": []}}') })),
      'reward.rules.0.when',
      '{"all": [...]}',
    ],
  ]

  test.each(cases)('with %s', async (_, reward, path, message) => {
    const merchant = await createMerchant()
    const as = await merchant.asManager()
    const answer = await as.patch(`/programs/${merchant.programId}`, { reward })
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { details: [{ path, message: expect.stringContaining(message) }] } },
    })
    expect((await as.get(`/programs/${merchant.programId}`)).body.reward).toEqual(percent(20))
  })

  test('when it is nested deeply or larger than a body may be', async () => {
    const merchant = await createMerchant()
    const as = await merchant.asManager()
    const path = `/programs/${merchant.programId}`
    const nested = `{"all":[${'{"any":['.repeat(5_000)}${']}'.repeat(5_000)}]}`
    const body = JSON.stringify({ reward: withRules(rule({ when: 'nested' })) })
    expect(await as.patch(path, body.replace('"nested"', nested))).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('Nested too deeply') } },
    })
    const values = Array(100).fill('x'.repeat(200))
    const large = withRules(
      ...many(5).map((one) => ({ ...one, when: { all: [product(...values)] } })),
    )
    expect((await as.patch(path, { reward: large })).status).toBe(413)
  })

  const ofLeads: [label: string, more: Record<string, unknown>, field: string, message: string][] =
    [
      ['a condition on its product', {}, 'when', 'Not: product'],
      [
        'conditions on its payments in a list',
        { when: { any: [{ all: [{ fact: 'payment', atMost: 1 }, { fact: 'coupon' }] }] } },
        'when',
        'Not: payment',
      ],
      [
        'a percentage',
        { when: { all: [{ fact: 'coupon' }] }, pay: percent(1) },
        'pay',
        'no amount',
      ],
      [
        'an amount per unit',
        { when: { all: [{ fact: 'coupon' }] }, pay: { ...flat(1), per: 'unit' } },
        'pay',
        'units',
      ],
      [
        'a duration',
        { when: { all: [{ fact: 'coupon' }] }, durationMonths: 12 },
        'durationMonths',
        'absent',
      ],
    ]
  test.each(ofLeads)('for leads with %s', async (_, more, field, message) => {
    const merchant = await createMerchant({ group: {} })
    const as = await merchant.asManager()
    const leadReward = { ...flat(500), rules: [rule({ pay: flat(1), ...more })] }
    expect(await as.patch(`/groups/${await groupOf(merchant)}`, { leadReward })).toMatchObject({
      status: 400,
      body: {
        error: {
          details: [
            { path: `leadReward.rules.0.${field}`, message: expect.stringContaining(message) },
          ],
        },
      },
    })
  })
})
