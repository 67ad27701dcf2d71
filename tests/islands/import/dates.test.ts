import { expect, test } from 'vitest'
import { dateOf, dateOrder } from '../../../islands/import/rules/dates.ts'

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
  { case: 'a file that does both is of no order', cells: ['31/01/2025', '01/31/2025'], order: null },
])('$case', ({ cells, order }) => {
  expect(dateOrder(cells)).toBe(order)
})
