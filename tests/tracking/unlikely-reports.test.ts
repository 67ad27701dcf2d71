/** Rules: which reports are unlikely. docs/decisions.md, "Unlikely reports". */
import { expect, test } from 'vitest'
import { isForMany, isOtherUnit } from '../../lib/tracking/checks/unlikely-reports.ts'

test.each([
  { case: 'all sales of a month', sales: 21, ofSales: 21, unlikely: true },
  { case: 'a little more than half of them', sales: 300, ofSales: 599, unlikely: true },
  {
    case: 'half of them, as of a large customer among others',
    sales: 300,
    ofSales: 600,
    unlikely: false,
  },
  { case: 'the only customer of a new shop', sales: 20, ofSales: 20, unlikely: false },
])('one customer id with $case: $unlikely', ({ sales, ofSales, unlikely }) => {
  expect(isForMany({ customerExternalId: 'guest', sales, ofSales })).toBe(unlikely)
})

test.each([
  { case: 'decimals instead of cents', beforeCents: 4900, latestCents: 49, unlikely: true },
  {
    case: 'cents instead of decimals, as after a correction',
    beforeCents: 49,
    latestCents: 4900,
    unlikely: true,
  },
  {
    case: 'decimals, and a price three times as high',
    beforeCents: 4900,
    latestCents: 147,
    unlikely: true,
  },
  { case: 'a price ten times as high', beforeCents: 4900, latestCents: 49_000, unlikely: false },
  { case: 'the same', beforeCents: 1, latestCents: 1, unlikely: false },
])('amounts that become $case: $unlikely', ({ beforeCents, latestCents, unlikely }) => {
  expect(isOtherUnit({ beforeCents, latestCents })).toBe(unlikely)
})
