import { expect, test } from 'vitest'
import { deltasOf, type PartnerHere } from '../../../islands/import/rules/deltas.ts'
import type { Outcomes } from '../../../islands/import/rules/outcomes.ts'

type Partner = Outcomes['partners'][number]

const row = (
  email: string,
  slug: string,
  name?: string,
  status: 'created' | 'skipped_existing' = 'skipped_existing',
): Partner => ({
  row: {
    email,
    ...(name && { name }),
    balanceProblem: null,
    otherSlugs: [],
    otherCoupons: [],
    lines: [2],
    problem: null,
  },
  result: { email, status, slug, couponMapped: false },
})
const here = (email: string, slug: string, name: string | null = null) => ({ email, slug, name })
const deltas = (partners: Partner[], ...those: PartnerHere[]) =>
  deltasOf({ partners, customers: [] }, those)

test('a name differs if the file has one, and another', () => {
  const { renamed } = deltas(
    [
      row('a@x', 'a', 'Ann'),
      row('b@x', 'b', 'Bo'),
      row('c@x', 'c'),
      row('d@x', 'd', 'Di'),
      row('e@x', 'e', 'Eve', 'created'),
    ],
    here('a@x', 'a', 'Ann'),
    here('b@x', 'b', 'Bob'),
    here('c@x', 'c', 'Cem'),
    here('d@x', 'd'),
  )
  expect(renamed).toEqual([
    { email: 'b@x', here: 'Bob', file: 'Bo' },
    { email: 'd@x', here: '', file: 'Di' },
  ])
})

test('a partner who has changed addresses since is in the file, by the slug, and one for tests is not missed', () => {
  const { missing } = deltas(
    [row('old@x', 'a'), row('b@x', 'b')],
    here('new@x', 'a'),
    here('b@x', 'b'),
    here('c@x', 'c'),
    {
      ...here('test@x', 'test'),
      test: true,
    },
  )
  expect(missing.map(({ email }) => email)).toEqual(['c@x'])
})

test('a file of less than half of the partners is no export of all', () => {
  expect(deltas([row('a@x', 'a')], here('a@x', 'a'), here('b@x', 'b')).missing).toHaveLength(1)
  expect(
    deltas([row('a@x', 'a')], here('a@x', 'a'), here('b@x', 'b'), here('c@x', 'c')).missing,
  ).toEqual([])
})
