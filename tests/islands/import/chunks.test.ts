import { expect, test } from 'vitest'
import {
  customerCalls,
  partnerBody,
  partnerCalls,
} from '../../../islands/import/rules/reading/chunks.ts'
import type { FileCustomer, FilePartner } from '../../../islands/import/rules/reading/records.ts'

const partner = (name: string, extra: Partial<FilePartner> = {}): FilePartner => ({
  email: `${name}@example.com`,
  balanceProblem: null,
  otherSlugs: [],
  otherCoupons: [],
  lines: [2],
  problem: null,
  ...extra,
})

const many = (number: number, extra: (index: number) => Partial<FilePartner>): FilePartner[] =>
  Array.from({ length: number }, (_, index) => partner(`p${index}`, extra(index)))

const names = (calls: FilePartner[][]) =>
  calls.map((call) => call.map(({ email }) => email.split('@')[0]))

test.each([
  { rows: 0, calls: [] },
  { rows: 1, calls: [1] },
  { rows: 500, calls: [500] },
  { rows: 501, calls: [500, 1] },
  { rows: 1_200, calls: [500, 500, 200] },
])('$rows partners are $calls', ({ rows, calls }) => {
  expect(partnerCalls(many(rows, (n) => ({ slug: `s${n}` }))).map(({ length }) => length)).toEqual(
    calls,
  )
})

test('a thousand customers are one call, and one more is two', () => {
  const customers = Array.from(
    { length: 1_001 },
    (_, n): FileCustomer => ({
      customerExternalId: `cus_${n}`,
      partnerEmail: 'maya@example.com',
      lines: [2],
      problem: null,
    }),
  )
  expect(customerCalls(customers).map(({ length }) => length)).toEqual([1_000, 1])
})

test('no call exceeds the body limit', () => {
  const calls = partnerCalls(many(500, (n) => ({ slug: `s${n}`, name: '名'.repeat(1_000) })))
  expect(calls.length).toBe(2)
  for (const call of calls)
    expect(JSON.stringify(call.map(partnerBody)).length * 3).toBeLessThan(1_048_576 * 3)
  for (const call of calls)
    expect(Buffer.byteLength(JSON.stringify(call.map(partnerBody)))).toBeLessThan(900_002)
})

test('rows with a slug precede rows that get a generated one', () => {
  const calls = partnerCalls([
    partner('bare'),
    partner('ann', { slug: 'ann' }),
    partner('also-bare'),
  ])
  expect(names(calls)).toEqual([['ann', 'bare', 'also-bare']])
})

test('rows with the same slug, in any case, share a call', () => {
  const rows = many(499, (n) => ({ slug: `s${n}` }))
  const calls = partnerCalls([
    ...rows,
    partner('ann', { slug: 'X' }),
    partner('bob', { slug: ' x' }),
  ])
  expect(calls.map(({ length }) => length)).toEqual([499, 2])
})

test('rows with the same coupon share a call, also transitively', () => {
  const rows = many(498, (n) => ({ slug: `s${n}` }))
  const calls = partnerCalls([
    partner('ann', { slug: 'a', couponId: 'one' }),
    ...rows,
    partner('bob', { slug: 'b', couponId: 'two' }),
    partner('cleo', { slug: 'A', couponId: 'two' }),
  ])
  expect(names(calls)[0]?.slice(0, 3)).toEqual(['ann', 'bob', 'cleo'])
})

test('a coupon shared by rows with and without a slug keeps them in one call, after all other slugs', () => {
  const calls = partnerCalls([
    partner('bare', { couponId: 'one' }),
    partner('ann', { slug: 'ann', couponId: 'one' }),
    partner('cleo', { slug: 'cleo' }),
  ])
  expect(names(calls)).toEqual([['cleo', 'ann', 'bare']])
})

test('a coupon shared by more rows than fit a call does not put a generated slug before a requested one', () => {
  const calls = partnerCalls(
    many(1_200, (n) => ({ couponId: 'one', ...(n % 2 && { slug: `s${n}` }) })),
  )
  const slugs = calls.flat().map(({ slug }) => Boolean(slug))
  expect(slugs.lastIndexOf(true)).toBeLessThan(slugs.indexOf(false))
  expect(calls.map(({ length }) => length)).toEqual([500, 500, 200])
})

test('of fifty thousand rows, some of which share coupons, each is in one call', () => {
  const rows = many(50_000, (n) => ({
    slug: `slug-${n}`,
    name: `Partner ${n}`,
    couponId: `c${n % 40_000}`,
  }))
  const emails = partnerCalls(rows)
    .flat()
    .map(({ email }) => email)
  expect(emails.toSorted()).toEqual(rows.map(({ email }) => email).toSorted())
})
