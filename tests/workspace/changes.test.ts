import { expect, test } from 'vitest'
import { changesOf } from '../../lib/workspace/changes.ts'
import type { GroupTerms } from '../../lib/workspace/programs.ts'

const gold: GroupTerms = {
  name: 'Gold',
  saleReward: { kind: 'percent', basisPoints: 2_000 },
  leadReward: { kind: 'flat', amountCents: 500, currency: 'USD' },
}

test.each([
  { case: 'nothing', wanted: {} },
  { case: 'what is so already', wanted: gold },
  {
    case: 'a reward of the same terms',
    wanted: { saleReward: { kind: 'percent', basisPoints: 2_000 } as const },
  },
  { case: 'something that is not said', wanted: { name: undefined } },
])('wanting $case is no change', ({ wanted }) => {
  expect(changesOf(gold, wanted)).toBeNull()
})

test('a change is what differs, and the log says it as the API does', () => {
  expect(
    changesOf(gold, { name: 'Gold', saleReward: { kind: 'percent', basisPoints: 1_250 }, leadReward: null }),
  ).toEqual({
    changed: { saleReward: { kind: 'percent', basisPoints: 1_250 }, leadReward: null },
    log: {
      saleReward: { from: { kind: 'percent', percent: 20 }, to: { kind: 'percent', percent: 12.5 } },
      leadReward: { from: { kind: 'flat', amountCents: 500, currency: 'USD' }, to: null },
    },
  })
})
