import { expect, test } from 'vitest'
import { dateOf, dateOrder, lacksZone } from '../../../islands/import/rules/reading/dates.ts'

test.each([
  { text: '2024-05-09', date: '2024-05-09' },
  { text: '2024-05-09T16:18:59.920Z', date: '2024-05-09T16:18:59.000Z' },
  { text: '2024-05-09 16:18:59 UTC', date: '2024-05-09T16:18:59.000Z' },
  { text: '2024-05-09T16:18:59+02:00', date: '2024-05-09T14:18:59.000Z' },
  { text: '2024-05-09 16:18', date: '2024-05-09T16:18:00.000Z' },
  { text: '1715271539', date: '2024-05-09T16:18:59.000Z' },
  { text: '1715271539000', date: '2024-05-09T16:18:59.000Z' },
  { text: '9 May 2024', date: '2024-05-09' },
  { text: 'May 9, 2024 4:18 PM', date: '2024-05-09T16:18:00.000Z' },
  { text: 'Thu, 9th May 2024', date: '2024-05-09' },
  { text: '31/01/2025', date: '2025-01-31' },
  { text: '01/31/2025 12:05 AM', date: '2025-01-31T00:05:00.000Z' },
  { text: '05/05/2025', date: '2025-05-05' },
  { text: '03/04/2025', order: 'day' as const, date: '2025-04-03' },
  { text: '03/04/2025', order: 'month' as const, date: '2025-03-04' },
  { text: '29.02.2024', date: '2024-02-29' },
])('$text ($order first) is $date', ({ text, order = null, date }) => {
  expect(dateOf(text, order)).toBe(date)
})

test.each([
  '03/04/2025',
  '2025-02-30',
  '29.02.2025',
  '13/13/2025',
  'yesterday',
  '2025-01-31T25:00',
  '0000-00-00',
])('%s is an invalid or ambiguous date', (text) => expect(dateOf(text, null)).toBeNull())

test.each([
  { case: 'a day above twelve decides', cells: ['03/04/2025', '', '31/01/2025'], order: 'day' },
  { case: 'so does a month’s place', cells: ['03/04/2025', '01/31/2025'], order: 'month' },
  { case: 'points stand after the day', cells: ['03.04.2025'], order: 'day' },
  { case: 'nothing decides', cells: ['03/04/2025', '2025-01-31'], order: null },
  {
    case: 'a file that does both is of no order',
    cells: ['31/01/2025', '01/31/2025'],
    order: null,
  },
])('$case', ({ cells, order }) => {
  expect(dateOrder(cells)).toBe(order)
})

test.each([
  { text: '2026-07-01 10:00', zone: 'Europe/Berlin', moment: '2026-07-01T08:00:00.000Z' },
  { text: '2026-01-01 10:00', zone: 'Europe/Berlin', moment: '2026-01-01T09:00:00.000Z' },
  // The clocks go forward at 02:00 on this day.
  { text: '2026-03-29 01:30', zone: 'Europe/Berlin', moment: '2026-03-29T00:30:00.000Z' },
  { text: '2026-03-29 03:30', zone: 'Europe/Berlin', moment: '2026-03-29T01:30:00.000Z' },
  { text: '2026-07-01 10:00', zone: 'America/St_Johns', moment: '2026-07-01T12:30:00.000Z' },
  { text: '2026-07-01 10:00 UTC', zone: 'Europe/Berlin', moment: '2026-07-01T10:00:00.000Z' },
  { text: '2026-07-01T10:00:00+05:00', zone: 'Europe/Berlin', moment: '2026-07-01T05:00:00.000Z' },
  { text: '2026-07-01', zone: 'Europe/Berlin', moment: '2026-07-01' },
])('$text of a file in $zone is $moment', ({ text, zone, moment }) => {
  expect(dateOf(text, null, zone)).toBe(moment)
})

test.each([
  { text: '2026-07-01 10:00', lacks: true },
  { text: '31/12/2026 10:00 pm', lacks: true },
  { text: '2026-07-01 10:00Z', lacks: false },
  { text: '2026-07-01', lacks: false },
  { text: '1767225600', lacks: false },
  { text: 'soon', lacks: false },
])('$text lacks a zone: $lacks', ({ text, lacks }) => {
  expect(lacksZone(text)).toBe(lacks)
})
