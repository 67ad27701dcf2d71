import { expect, test } from 'vitest'
import { isSilent } from '../../lib/tracking/checks/silent-processor.ts'

const now = new Date('2026-11-24T12:00:00Z')
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)

test.each([
  {
    case: 'an event an hour, the last one 73 hours ago',
    count: 50,
    first: 122,
    last: 73,
    silent: true,
  },
  {
    case: 'an event an hour, the last one 71 hours ago',
    count: 50,
    first: 120,
    last: 71,
    silent: false,
  },
  {
    case: 'an event a day, the last one nine days ago',
    count: 50,
    first: 1_392,
    last: 216,
    silent: false,
  },
  {
    case: 'an event a day, the last one eleven days ago',
    count: 50,
    first: 1_440,
    last: 264,
    silent: true,
  },
  { case: 'ten events in one second', count: 10, first: 100, last: 100, silent: true },
  {
    case: 'too few events to know the usual pause',
    count: 9,
    first: 2_000,
    last: 1_999,
    silent: false,
  },
])('$case', ({ count, first, last, silent }) => {
  expect(isSilent({ count, firstAt: hoursAgo(first), lastAt: hoursAgo(last) }, now)).toBe(silent)
})
