import { expect, test } from 'vitest'
import { diff } from '../../lib/audit/diff.ts'
import type { GroupTerms } from '../../lib/programs/programs.ts'

const gold: GroupTerms = {
  name: 'Gold',
  saleReward: { kind: 'percent', basisPoints: 2_000 },
  leadReward: { kind: 'flat', amountCents: 500, currency: 'USD' },
}

test.each([
  { case: 'nothing', patch: {} },
  { case: 'the same values', patch: gold },
  {
    case: 'a reward of the same terms',
    patch: { saleReward: { kind: 'percent', basisPoints: 2_000 } as const },
  },
  { case: 'an undefined field', patch: { name: undefined } },
])('$case: no change', ({ patch }) => {
  expect(diff(gold, patch)).toBeNull()
})

test('returns the fields that differ, and logs rewards as the API presents them', () => {
  expect(
    diff(gold, {
      name: 'Gold',
      saleReward: { kind: 'percent', basisPoints: 1_250 },
      leadReward: null,
    }),
  ).toEqual({
    changed: { saleReward: { kind: 'percent', basisPoints: 1_250 }, leadReward: null },
    log: {
      saleReward: {
        from: { kind: 'percent', percent: 20 },
        to: { kind: 'percent', percent: 12.5 },
      },
      leadReward: { from: { kind: 'flat', amountCents: 500, currency: 'USD' }, to: null },
    },
  })
})
