/** The rules of tiers: which tier somebody has reached, on which day, and which group it leads to. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tierSteps } from '../../lib/rules/steps/steps.ts'
import { type GroupMove, moveByTier, NO_TIER } from '../../lib/rules/tiers/moves.ts'
import { dayIn, pastTierOf } from '../../lib/rules/tiers/past-tiers.ts'
import { levelsOf, type Tiers, type TierTerms, tierOf } from '../../lib/rules/tiers/tiers.ts'

type CountTiers = Extract<Tiers, { by: 'customers' | 'sales' }>
const bySales = (levels: CountTiers['levels']): CountTiers => ({
  ...{ by: 'sales', period: 'month', timeZone: 'UTC', levels },
})
const SALES = bySales([
  { name: 'Silver', atLeast: 5 },
  { name: 'Gold', atLeast: 20 },
])
const NET: Tiers = {
  ...{ by: 'netSales', currency: 'USD', period: 'ever', timeZone: 'UTC' },
  levels: [{ name: 'Gold', atLeastCents: 100_000 }],
}

describe('the tier of a partner who has reached so much', () => {
  test.each([
    [0, null, { tier: 'Silver', atLeast: 5 }],
    [4, null, { tier: 'Silver', atLeast: 5 }],
    [5, 'Silver', { tier: 'Gold', atLeast: 20 }],
    [19, 'Silver', { tier: 'Gold', atLeast: 20 }],
    [20, 'Gold', undefined],
    [1_000, 'Gold', undefined],
  ])('%i sales', (reached, tier, next) => {
    const facts = tierOf({ tiers: SALES, day: '2026-11-29', reached })
    expect(facts).toEqual({
      ...{ tier, day: '2026-11-29', by: 'sales', period: 'month', reached },
      ...(next && { next }),
    })
  })

  test.each([
    [99_999, null],
    [100_000, 'Gold'],
  ])('net sales of %i cents', (reached, tier) => {
    const facts = tierOf({ tiers: NET, day: '2026-11-29', reached })
    expect(facts).toMatchObject({ tier, currency: 'USD', by: 'netSales' })
  })

  test('never falls when it reaches more', () => {
    fc.assert(
      fc.property(fc.nat(30), fc.nat(30), (a, b) => {
        const placeOf = (reached: number) =>
          SALES.levels.findIndex(
            ({ name }) => name === tierOf({ tiers: SALES, day: '', reached }).tier,
          )
        expect(placeOf(a + b)).toBeGreaterThanOrEqual(placeOf(a))
      }),
    )
  })
})

describe('a past tier', () => {
  const past = {
    tiers: SALES,
    reached: new Map([
      [
        'maya',
        [
          { day: '2026-11-02', delta: 5 },
          { day: '2026-11-10', delta: 15 },
          { day: '2026-12-01', delta: -20 },
        ],
      ],
    ]),
  }
  test.each([
    ['maya', '2026-11-01T23:59:59.999Z', null],
    ['maya', '2026-11-02T00:00:00Z', 'Silver'],
    ['maya', '2026-11-10T12:00:00Z', 'Gold'],
    ['maya', '2026-11-30T23:59:59Z', 'Gold'],
    ['maya', '2026-12-01T00:00:00Z', null],
    ['leo', '2026-11-10T12:00:00Z', null],
  ])('of %s at %s is %s', (partner, at, tier) => {
    expect(pastTierOf(past, partner, new Date(at)).tier).toBe(tier)
  })

  test.each([
    // Daylight saving ends in Berlin on 25 October 2026, and began on 29 March.
    ['Europe/Berlin', '2026-10-24T21:59:59Z', '2026-10-24'],
    ['Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25'],
    ['Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-25'],
    ['Europe/Berlin', '2026-10-25T23:00:00Z', '2026-10-26'],
    ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30'],
    // In São Paulo, 4 November 2018 began at 1:00, and 17 February 2018 had 25 hours.
    ['America/Sao_Paulo', '2018-11-04T02:59:59Z', '2018-11-03'],
    ['America/Sao_Paulo', '2018-11-04T03:00:00Z', '2018-11-04'],
    ['America/Sao_Paulo', '2018-02-18T02:59:59Z', '2018-02-17'],
    ['America/Sao_Paulo', '2018-02-18T03:00:00Z', '2018-02-18'],
  ])('in %s, %s is on %s', (zone, at, day) => {
    expect(dayIn(zone, new Date(at))).toBe(day)
  })
})

describe('the group of a partner', () => {
  const level = (name: string, atLeast: number, more: Partial<TierTerms> = {}) => ({
    ...{ name, atLeast },
    ...more,
  })
  const tiers = bySales([
    level('Bronze', 1),
    level('Silver', 5, { groupId: 'silver', movesBack: true }),
    level('Gold', 20, { groupId: 'gold', movesBack: true }),
    level('Platinum', 50),
  ])
  const stays = bySales(tiers.levels.map(({ movesBack: _, ...one }) => one))

  /** The group of somebody who begins in `group`, after each of these tiers. */
  const follow = (of: Tiers, names: (string | null)[], group: string | null = 'basic') => {
    let [state, groupId] = [NO_TIER, group]
    return names.map((name) => {
      ;({ state, groupId } = moveByTier(of, state, name, groupId))
      return groupId
    })
  }

  test.each([
    ['a tier without a group', ['Bronze'], ['basic']],
    ['one tier after the other', ['Silver', 'Gold'], ['silver', 'gold']],
    ['several tiers at once', ['Platinum'], ['gold']],
    ['the same tier again', ['Silver', 'Silver'], ['silver', 'silver']],
    ['a fall by one', ['Gold', 'Silver'], ['gold', 'silver']],
    ['a fall by all', ['Gold', null], ['gold', 'basic']],
    ['a fall, and a rise again', ['Gold', null, 'Gold'], ['gold', 'basic', 'gold']],
    ['a fall from a tier without a group', ['Platinum', 'Gold'], ['gold', 'gold']],
  ])('after %s', (_, names, groups) => {
    expect(follow(tiers, names)).toEqual(groups)
  })

  test('stays after a fall, unless the tier says otherwise', () => {
    expect(follow(stays, ['Gold', null, 'Silver'])).toEqual(['gold', 'gold', 'silver'])
  })

  test('is none again for somebody who was in none', () => {
    expect(follow(tiers, ['Silver', null], null)).toEqual(['silver', null])
  })

  const moves: GroupMove[] = [{ tier: 'Silver', groupId: 'silver', formerGroupId: 'basic' }]

  test('is that of a manager who has moved the partner elsewhere, until it rises again', () => {
    const before = { tier: 'Silver', moves }
    expect(moveByTier(tiers, before, 'Silver', 'special').groupId).toBe('special')
    expect(moveByTier(tiers, before, null, 'special')).toEqual({
      ...{ state: NO_TIER, groupId: 'special' },
    })
    expect(moveByTier(tiers, before, 'Gold', 'special').groupId).toBe('gold')
  })

  test('begins anew where the program has the former tier no longer', () => {
    const before = { tier: 'Former', moves: [{ ...moves[0], tier: 'Former' } as GroupMove] }
    expect(moveByTier(tiers, before, 'Silver', 'silver')).toEqual({
      ...{ state: { tier: 'Silver', moves: [] }, groupId: 'silver' },
    })
    expect(moveByTier(tiers, before, null, 'silver')).toEqual({
      ...{ state: NO_TIER, groupId: 'silver' },
    })
  })

  test('depends on the tiers that were reached, and not on how many at once', () => {
    const names = levelsOf(tiers).map(({ name }) => name)
    fc.assert(
      fc.property(fc.subarray(names, { minLength: 1 }), (some) => {
        const last = some.at(-1) ?? null
        const all = names.slice(0, names.indexOf(last ?? '') + 1)
        expect(follow(tiers, some).at(-1)).toBe(follow(tiers, all).at(-1))
        expect(follow(tiers, [last, null])).toEqual([follow(tiers, [last])[0], 'basic'])
      }),
    )
  })
})

test('the step of a tier is found among others', () => {
  const tier = tierOf({ tiers: SALES, day: '2026-11-29', reached: 5 })
  expect(
    tierSteps([
      { code: 'zero_amount', facts: {} },
      { code: 'tier', facts: tier },
    ]),
  ).toEqual([{ code: 'tier', facts: tier }])
})
