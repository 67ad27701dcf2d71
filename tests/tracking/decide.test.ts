import { describe, expect, test } from 'vitest'
import type { Click, PartnerTerms } from '../../lib/rules/attribution/attribution.ts'
import { decide } from '../../lib/rules/decisions/decide.ts'
import type { Reward } from '../../lib/rules/rewards/rewards.ts'
import type { Report } from '../../lib/rules/steps/report.ts'

const now = new Date('2026-06-15T12:00:00Z')
const percent = (basisPoints: number): Reward => ({
  id: `r${basisPoints}`,
  kind: 'percent',
  basisPoints,
})

const partner = (terms: Partial<PartnerTerms> = {}): PartnerTerms => ({
  id: 'p-maya',
  slug: 'maya',
  emails: ['maya@partner.example'],
  status: 'approved',
  programId: 'program-1',
  reward: percent(2_000),
  rewardInterval: 'recurring',
  rewardDurationMonths: null,
  oneTimeMinimumCents: 0,
  oneTimePer: 'customer',
  tier: null,
  budget: null,
  rewardShipping: false,
  creditOutOfBand: false,
  holdingDays: 30,
  netDays: null,
  attribution: 'last',
  attributeKnownCustomers: false,
  lateLeadDays: 7,
  selfReferrals: 'hold',
  unverifiedAddresses: 'allow',
  ownReward: null,
  group: null,
  firstRewardedAt: null,
  rewardedProducts: [],
  ...terms,
})
const leo = (terms: Partial<PartnerTerms> = {}) => partner({ id: 'p-leo', slug: 'leo', ...terms })

const click = (who: PartnerTerms, expiresAt = '2026-09-01T00:00:00Z'): Click => ({
  id: 'clk_1',
  createdAt: new Date('2026-01-01T00:00:00Z'),
  expiresAt: new Date(expiresAt),
  partner: who,
})

const sale = (changes: Partial<Report> = {}): Report => ({
  kind: 'sale',
  externalId: 'inv_1',
  customerExternalId: 'user_1',
  customerEmail: null,
  customerName: null,
  clickId: 'clk_1',
  eventName: 'sale',
  metadata: null,
  sale: { amountCents: 4_900n, currency: 'USD' },
  ...changes,
})
const lead = (changes: Partial<Report> = {}) => sale({ kind: 'lead', sale: null, ...changes })
const codes = (decision: { steps: { code: string }[] }) => decision.steps.map((step) => step.code)

describe('who is credited', () => {
  const first = { attribution: 'first' } as const
  test.each([
    {
      case: 'a live click',
      facts: { click: click(partner()), customerPartner: null },
      to: 'maya',
      by: 'click',
      steps: ['click'],
    },
    {
      case: 'no click id',
      report: sale({ clickId: null }),
      facts: { click: null, customerPartner: null },
      steps: ['no_click'],
    },
    {
      case: 'an unknown click id',
      facts: { click: null, customerPartner: null },
      steps: ['unknown_click'],
    },
    {
      case: 'the last millisecond of a click',
      facts: { click: click(partner(), '2026-06-15T12:00:00.001Z'), customerPartner: null },
      to: 'maya',
      by: 'click',
      steps: ['click'],
    },
    {
      case: 'a click that expires at this moment',
      facts: { click: click(partner(), '2026-06-15T12:00:00Z'), customerPartner: null },
      steps: ['expired_click'],
    },
    {
      case: 'a banned partner’s click',
      facts: { click: click(partner({ status: 'banned' })), customerPartner: null },
      steps: ['partner_inactive'],
    },
    {
      case: 'last: a new click moves the customer',
      facts: { click: click(leo()), customerPartner: partner() },
      to: 'leo',
      by: 'click',
      steps: ['click'],
    },
    {
      case: 'first: the known partner prevails over a new click',
      facts: { click: click(leo(first)), customerPartner: partner(first) },
      to: 'maya',
      by: 'customer',
      steps: ['click', 'customer'],
    },
    {
      case: 'first: the known partner’s own click',
      facts: { click: click(partner(first)), customerPartner: partner(first) },
      to: 'maya',
      by: 'click',
      steps: ['click'],
    },
    {
      case: 'first: a new customer goes by the click',
      facts: { click: click(leo(first)), customerPartner: null },
      to: 'leo',
      by: 'click',
      steps: ['click'],
    },
    {
      case: 'first: a known partner of another program does not count',
      facts: {
        click: click(leo(first)),
        customerPartner: partner({ ...first, programId: 'program-2' }),
      },
      to: 'leo',
      by: 'click',
      steps: ['click'],
    },
    {
      case: 'first: a banned known partner does not count',
      facts: { click: click(leo(first)), customerPartner: partner({ ...first, status: 'banned' }) },
      to: 'leo',
      by: 'click',
      steps: ['click', 'partner_inactive'],
    },
    {
      case: 'first: without a click the known partner gets nothing',
      report: sale({ clickId: null }),
      facts: { click: null, customerPartner: partner(first) },
      steps: ['no_click', 'known_customer_not_credited'],
    },
    {
      case: 'a known customer without a click, by default',
      report: sale({ clickId: null }),
      facts: { click: null, customerPartner: partner() },
      steps: ['no_click', 'known_customer_not_credited'],
    },
    {
      case: 'a known customer with an expired click, by default',
      facts: { click: click(leo(), '2026-01-02T00:00:00Z'), customerPartner: partner() },
      steps: ['expired_click', 'known_customer_not_credited'],
    },
    {
      case: 'a click that was made after the event',
      facts: {
        click: { ...click(leo()), createdAt: new Date('2026-06-15T12:05:01Z') },
        customerPartner: null,
      },
      steps: ['later_click'],
    },
    {
      case: 'a click that was made after the event by a slow clock',
      facts: {
        click: { ...click(leo()), createdAt: new Date('2026-06-15T12:05:00Z') },
        customerPartner: null,
      },
      to: 'leo',
      by: 'click',
      steps: ['click'],
    },
    {
      case: 'a known customer without a click, where the program opted in',
      report: sale({ clickId: null }),
      facts: { click: null, customerPartner: partner({ attributeKnownCustomers: true }) },
      to: 'maya',
      by: 'customer',
      steps: ['no_click', 'customer'],
    },
    {
      case: 'a known customer with an expired click, opted in',
      facts: {
        click: click(leo(), '2026-01-01T00:00:00Z'),
        customerPartner: partner({ attributeKnownCustomers: true }),
      },
      to: 'maya',
      by: 'customer',
      steps: ['expired_click', 'customer'],
    },
    {
      case: 'a known customer of a banned partner, opted in',
      report: sale({ clickId: null }),
      facts: {
        click: null,
        customerPartner: partner({ attributeKnownCustomers: true, status: 'banned' }),
      },
      steps: ['no_click', 'partner_inactive'],
    },
    {
      case: 'a lead of a known customer without a click, opted in',
      report: lead({ clickId: null }),
      facts: { click: null, customerPartner: partner({ attributeKnownCustomers: true }) },
      steps: ['no_click'],
    },
  ])('$case', ({ report = sale(), facts, to, by, steps }) => {
    const decision = decide(report, facts, now)
    expect(decision.credit?.partner.slug).toBe(to)
    expect(decision.credit?.attributedBy).toBe(by)
    expect(codes(decision).slice(0, steps.length)).toEqual(steps)
    if (!to) expect(decision).toMatchObject({ commission: null, steps: { length: steps.length } })
  })
})

describe('what a sale earns', () => {
  const group = (saleReward: Reward | null, leadReward: Reward | null = null) => ({
    name: 'Gold',
    saleReward,
    leadReward,
  })
  test.each([
    {
      case: 'the program’s reward, without a group',
      who: partner(),
      earns: 980n,
      steps: ['click', 'program_reward', 'commission_created'],
    },
    {
      case: 'the group’s sale reward',
      who: partner({ group: group(percent(3_000)) }),
      earns: 1_470n,
      steps: ['click', 'group_reward', 'commission_created'],
    },
    {
      case: 'the program’s reward, in a group with a lead reward only',
      who: partner({ group: group(null, percent(1)) }),
      earns: 980n,
      steps: ['click', 'program_reward', 'commission_created'],
    },
    {
      case: 'nothing, at a group reward of 0%',
      who: partner({ group: group(percent(0)) }),
      steps: ['click', 'group_reward', 'zero_amount'],
    },
    {
      case: 'nothing, for a second sale under one-time',
      who: partner({ rewardInterval: 'one-time', firstRewardedAt: new Date('2026-06-01') }),
      steps: ['click', 'program_reward', 'one_time_already_rewarded'],
    },
    {
      case: 'nothing, past the duration',
      who: partner({ rewardDurationMonths: 3, firstRewardedAt: new Date('2026-03-15T12:00:00Z') }),
      steps: ['click', 'program_reward', 'past_reward_duration'],
    },
    {
      case: 'the reward, a moment before the duration ends',
      who: partner({
        rewardDurationMonths: 3,
        firstRewardedAt: new Date('2026-03-15T12:00:00.001Z'),
      }),
      earns: 980n,
      steps: ['click', 'program_reward', 'commission_created'],
    },
    {
      case: 'nothing, past the duration in a group too: interval and duration are the program’s',
      who: partner({
        group: group(percent(3_000)),
        rewardDurationMonths: 3,
        firstRewardedAt: new Date('2026-01-01'),
      }),
      steps: ['click', 'group_reward', 'past_reward_duration'],
    },
    {
      case: 'nothing, for a sale below the minimum of a one-time reward',
      who: partner({ rewardInterval: 'one-time', oneTimeMinimumCents: 4_901 }),
      steps: ['click', 'program_reward', 'below_one_time_minimum'],
    },
    {
      case: 'nothing for another reason, once the one-time reward is used up',
      who: partner({
        rewardInterval: 'one-time',
        oneTimeMinimumCents: 4_901,
        firstRewardedAt: new Date('2026-06-01'),
      }),
      steps: ['click', 'program_reward', 'one_time_already_rewarded'],
    },
    {
      case: 'the amount of the sale, under a larger flat reward',
      who: partner({ reward: { id: 'flat', kind: 'flat', amountCents: 5_000, currency: 'USD' } }),
      earns: 4_900n,
      steps: ['click', 'program_reward', 'reward_capped', 'commission_created'],
    },
  ])('$case', ({ who, earns, steps }) => {
    const decision = decide(sale(), { click: click(who), customerPartner: null }, now)
    expect(decision.commission?.amountCents).toBe(earns)
    expect(codes(decision)).toEqual(steps)
  })

  test('is held for the program’s days', () => {
    const decision = decide(
      sale(),
      { click: click(partner({ holdingDays: 14 })), customerPartner: null },
      now,
    )
    expect(decision.commission?.payableAt).toEqual(new Date('2026-06-29T12:00:00Z'))
  })

  test.each([
    {
      case: 'net 15 is the 15th of the next month',
      net: 15,
      sold: '2026-01-03T10:00Z',
      from: '2026-02-15',
    },
    {
      case: 'the last moment of a month is of that month',
      net: 15,
      sold: '2026-01-31T23:59:59.999Z',
      from: '2026-02-15',
    },
    {
      case: 'the first moment of a month is of the new one',
      net: 15,
      sold: '2026-02-01T00:00Z',
      from: '2026-03-15',
    },
    {
      case: 'net 30 of a month before a shorter one',
      net: 30,
      sold: '2026-01-10T10:00Z',
      from: '2026-03-02',
    },
    { case: 'net 30 in a leap year', net: 30, sold: '2028-01-10T10:00Z', from: '2028-03-01' },
    {
      case: 'net 60 passes the end of the year',
      net: 60,
      sold: '2026-11-22T10:00Z',
      from: '2027-01-29',
    },
    {
      case: 'net 1 is the first day of the next month',
      net: 1,
      sold: '2026-06-15T12:00Z',
      from: '2026-07-01',
    },
    {
      case: 'the holding period is over later',
      net: 1,
      held: 30,
      sold: '2026-06-15T12:00Z',
      from: '2026-07-15T12:00Z',
    },
    {
      case: 'the holding period is over earlier',
      net: 30,
      held: 14,
      sold: '2026-06-15T12:00Z',
      from: '2026-07-30',
    },
    {
      case: 'neither holding period nor net terms',
      net: null,
      sold: '2026-06-15T12:00Z',
      from: '2026-06-15T12:00Z',
    },
  ])('is payable by its net terms: $case', ({ net, held = 0, sold, from }) => {
    const terms = partner({ holdingDays: held, netDays: net })
    const decision = decide(
      sale(),
      { click: click(terms, '2030-01-01T00:00:00Z'), customerPartner: null },
      new Date(sold),
    )
    expect(decision.commission?.payableAt).toEqual(new Date(from))
  })

  test('may be earned once only under a one-time reward, and the trace of the loser says so', () => {
    const decision = decide(
      sale(),
      { click: click(partner({ rewardInterval: 'one-time' })), customerPartner: null },
      now,
    )
    expect(decision.commission?.oneTime).toBe(true)
    expect(decision.stepsWhenBeaten.map((step) => step.code)).toEqual([
      'click',
      'program_reward',
      'one_time_already_rewarded',
    ])
  })

  test('is nothing for a proration under a flat recurring reward', () => {
    const flat: Reward = { id: 'flat', kind: 'flat', amountCents: 500, currency: 'USD' }
    const purchase = { coupon: null, referredAt: now, earnedAt: now, isProration: true }
    const facts = { click: null, customerPartner: partner({ reward: flat }), purchase }
    const decision = decide(sale({ clickId: null }), facts, now)
    expect(decision.commission).toBeNull()
    expect(codes(decision)).toEqual(['customer', 'program_reward', 'proration'])
  })
})

describe('what a lead earns', () => {
  const flat: Reward = { id: 'flat', kind: 'flat', amountCents: 500, currency: 'EUR' }
  const group = (leadReward: Reward | null) => ({
    name: 'Gold',
    saleReward: percent(3_000),
    leadReward,
  })
  test.each([
    { case: 'nothing without a group', who: partner(), steps: ['click', 'no_reward'] },
    {
      case: 'nothing in a group without a lead reward',
      who: partner({ group: group(null) }),
      steps: ['click', 'no_reward'],
    },
    {
      case: 'the group’s lead reward',
      who: partner({ group: group(flat) }),
      earns: 500n,
      steps: ['click', 'group_reward', 'commission_created'],
    },
    {
      case: 'nothing from a share, since a lead has no amount',
      who: partner({ group: group(percent(1_000)) }),
      steps: ['click', 'group_reward', 'zero_amount'],
    },
    {
      case: 'the lead reward also of a customer who was rewarded before: intervals are about sales',
      who: partner({
        group: group(flat),
        rewardInterval: 'one-time',
        firstRewardedAt: new Date('2026-01-01'),
      }),
      earns: 500n,
      steps: ['click', 'group_reward', 'commission_created'],
    },
  ])('$case', ({ who, earns, steps }) => {
    const decision = decide(lead(), { click: click(who), customerPartner: null }, now)
    expect(decision.commission?.amountCents).toBe(earns)
    expect(decision.commission?.oneTime ?? false).toBe(false)
    expect(codes(decision)).toEqual(steps)
  })
})

describe('a one-time reward per product', () => {
  const perProduct = (terms: Partial<PartnerTerms> = {}) =>
    partner({ rewardInterval: 'one-time', oneTimePer: 'product', ...terms })
  const flat: Reward = { id: 'flat', kind: 'flat', amountCents: 500, currency: 'USD' }
  const lines = (...products: (string | null)[]) =>
    products.map((productId) => ({ productId, quantity: 1, amountCents: 1_000 }))

  test.each([
    { case: 'of two products, both', of: lines('mug', 'pen'), earned: [200, 200] },
    {
      case: 'of a product that has earned it, nothing',
      of: lines('mug', 'pen'),
      who: perProduct({ rewardedProducts: ['mug'] }),
      earned: ['one_time_already_rewarded', 200],
      products: ['pen'],
    },
    {
      case: 'of a product in two lines, both lines',
      of: lines('mug', 'mug'),
      earned: [200, 200],
      products: ['mug'],
    },
    {
      case: 'of lines without a product, as of one product',
      of: lines(null, 'pen'),
      who: perProduct({ rewardedProducts: ['pen'] }),
      earned: [200, 'one_time_already_rewarded'],
      products: [''],
    },
    {
      case: 'of a sale without lines after one, nothing',
      of: undefined,
      who: perProduct({ rewardedProducts: [''] }),
      earned: ['one_time_already_rewarded'],
      products: [],
    },
    {
      case: 'of a flat amount per sale, all of it for the lines that earn',
      of: lines('mug', 'pen', 'cap'),
      who: perProduct({ reward: flat, rewardedProducts: ['mug'] }),
      earned: ['one_time_already_rewarded', 250, 250],
      products: ['pen', 'cap'],
    },
    {
      case: 'of a product for which a rule pays nothing, the reward later',
      of: lines('mug', 'pen'),
      who: perProduct({
        reward: {
          ...percent(2_000),
          rules: [
            {
              name: 'Mugs',
              when: { all: [{ fact: 'product', in: ['mug'] }] },
              pay: { kind: 'none' },
            },
          ],
        },
      }),
      earned: [0, 200],
      products: ['pen'],
    },
  ])('earns $case', ({ of, who = perProduct(), earned, products = ['mug', 'pen'] }) => {
    const amountCents = BigInt(1_000 * (of?.length ?? 1))
    const report = sale({ lines: of, sale: { amountCents, currency: 'USD' } })
    const { commission, steps } = decide(report, { click: click(who), customerPartner: null }, now)
    const found = steps.flatMap((step) =>
      step.code === 'line_reward' ? [step.facts.refusal ?? step.facts.earnedCents] : [],
    )
    expect(found).toEqual(earned)
    expect(commission?.products ?? []).toEqual(products)
    expect(commission?.oneTime ?? false).toBe(false)
    const sum = earned.reduce<number>((all, one) => all + (typeof one === 'number' ? one : 0), 0)
    expect(Number(commission?.amountCents ?? 0n)).toBe(sum)
  })

  test('asks for the smallest sale of all lines together, and is refused after an import', () => {
    const codesOf = (who: PartnerTerms) =>
      codes(
        decide(
          sale({ lines: lines('mug', 'pen'), sale: { amountCents: 2_000n, currency: 'USD' } }),
          { click: click(who), customerPartner: null },
          now,
        ),
      )
    expect(codesOf(perProduct({ oneTimeMinimumCents: 2_000 }))).toContain('commission_created')
    expect(codesOf(perProduct({ oneTimeMinimumCents: 2_001 }))).toContain('below_one_time_minimum')
    expect(codesOf(perProduct({ firstRewardedAt: new Date('2026-01-01') }))).toContain(
      'one_time_already_rewarded',
    )
  })

  test('has no effect on a recurring reward, and none on a lead', () => {
    const recurring = partner({ oneTimePer: 'product' })
    const decision = decide(sale({}), { click: click(recurring), customerPartner: null }, now)
    expect(codes(decision)).toEqual(['click', 'program_reward', 'commission_created'])
    expect(decision.commission).toMatchObject({ oneTime: false, products: [] })
    const group = { name: 'Gold', saleReward: null, leadReward: flat }
    const who = perProduct({ group, rewardedProducts: [''] })
    const { commission } = decide(lead(), { click: click(who), customerPartner: null }, now)
    expect(commission).toMatchObject({ amountCents: 500n, oneTime: false, products: [] })
  })
})

describe('a budget', () => {
  const budget = { month: '2026-06', budgetCents: 1_000, currency: 'USD', spentCents: 100 }
  const step = { code: 'over_budget', facts: { ...budget, spentCents: 900 } } as const
  const used = { ...budget, spentCents: 21 }
  test.each([
    { case: 'is exceeded', budget: used, held: [used] },
    { case: 'is not exceeded', budget: { ...budget, spentCents: 20 }, held: [] },
    { case: 'is of another currency', budget: { ...used, currency: 'EUR' }, held: [] },
    { case: 'is none', budget: null, held: [] },
    {
      case: 'was exceeded when the sale first earned in the program',
      budget: { ...budget, spentCents: 0 },
      decided: { programId: 'program-1', step },
      held: [step.facts],
    },
    {
      case: 'is exceeded since the sale first earned in the program',
      budget: used,
      decided: { programId: 'program-1', step: null },
      held: [],
    },
    {
      case: 'was exceeded in another program',
      budget: used,
      decided: { programId: 'program-2', step },
      held: [used],
    },
  ])('$case', ({ budget: use, decided, held }) => {
    const who = partner({ budget: use })
    const facts = { click: click(who), customerPartner: null, decidedBudget: decided }
    const { commission, steps } = decide(sale({}), facts, now)
    expect(commission?.amountCents).toBe(980n)
    const found = steps.flatMap((one) => (one.code === 'over_budget' ? [one.facts] : []))
    expect(found).toEqual(held)
  })
})
