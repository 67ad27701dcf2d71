import { describe, expect, test } from 'vitest'
import type { Columns } from '../../../islands/import/rules/reading/columns.ts'
import { unitOf } from '../../../islands/import/rules/reading/columns.ts'
import { collectRows, orderOfDates } from '../../../islands/import/rules/reading/records.ts'

/** The rows of a file with these fields and lines. */
const rows = (
  columns: Columns,
  lines: string[][],
  headers: string[] = columns.map((field) => field ?? ''),
) => {
  const records = lines.map((cells, index) => ({ line: index + 2, cells }))
  const collector = collectRows(
    { columns, inCents: unitOf(headers[columns.indexOf('openingBalance')] ?? ''), zone: 'UTC' },
    orderOfDates(columns, records),
  )
  for (const record of records) collector.add(record)
  return collector.rows()
}

const NOTHING_ELSE = { balanceProblem: null, otherSlugs: [], otherCoupons: [], problem: null }

test.each([
  { case: 'first and last name are one name', cells: ['Maya', 'Lind'], name: 'Maya Lind' },
  { case: 'a first name alone', cells: ['Maya', ''], name: 'Maya' },
  { case: 'no name at all', cells: ['', ''], name: undefined },
])('$case', ({ cells, name }) => {
  const { partners } = rows(['email', 'firstName', 'lastName'], [['a@example.com', ...cells]])
  expect(partners[0]?.name).toBe(name)
})

test('a full name takes precedence over first and last name', () => {
  const { partners } = rows(
    ['email', 'firstName', 'name'],
    [['a@example.com', 'Maya', 'Maya Lind Ltd']],
  )
  expect(partners[0]?.name).toBe('Maya Lind Ltd')
})

test('lines of one partner are merged: the first wins, and later ones fill empty fields', () => {
  const { partners } = rows(
    ['email', 'name', 'slug', 'couponId', 'couponLabel'],
    [
      ['Maya@Example.com', '', 'maya', '', ''],
      [' maya@example.com', 'Maya', 'MAYA', 'cpn_1', 'MAYA20'],
      ['maya@example.com', 'Other', 'maya-2', 'cpn_2', 'OTHER'],
      ['leo@example.com', '', '', '', 'LABEL ALONE'],
    ],
  )
  expect(partners).toEqual([
    {
      ...NOTHING_ELSE,
      email: 'maya@example.com',
      name: 'Maya',
      slug: 'maya',
      couponId: 'cpn_1',
      couponLabel: 'MAYA20',
      otherSlugs: ['maya-2'],
      otherCoupons: ['cpn_2'],
      lines: [2, 3, 4],
    },
    { ...NOTHING_ELSE, email: 'leo@example.com', lines: [5] },
  ])
})

test('a line per customer gives partners and customers', () => {
  const { partners, customers } = rows(
    ['customerExternalId', 'email', 'slug'],
    [
      ['cus_1', 'maya@example.com', 'https://shop.example/?via=maya'],
      ['cus_2', 'maya@example.com', ''],
      ['', 'leo@example.com', 'leo'],
      ['', '', ''],
    ],
  )
  expect(partners.map(({ email, slug, lines }) => ({ email, slug, lines }))).toEqual([
    { email: 'maya@example.com', slug: 'maya', lines: [2, 3] },
    { email: 'leo@example.com', slug: 'leo', lines: [4] },
  ])
  expect(customers).toEqual([
    { customerExternalId: 'cus_1', partnerEmail: 'maya@example.com', lines: [2], problem: null },
    { customerExternalId: 'cus_2', partnerEmail: 'maya@example.com', lines: [3], problem: null },
  ])
})

test('a customer’s email replaces a missing ID', () => {
  const { customers } = rows(
    ['partnerEmail', 'customerExternalId', 'customerEmail'],
    [
      ['maya@example.com', 'cus_1', 'Buyer@Example.com'],
      ['maya@example.com', '', 'Other@Example.com'],
    ],
  )
  expect(
    customers.map(({ customerExternalId, customerEmail }) => [customerExternalId, customerEmail]),
  ).toEqual([
    ['cus_1', 'buyer@example.com'],
    ['other@example.com', 'other@example.com'],
  ])
})

test('a customer on several lines keeps the earliest first sale', () => {
  const { customers } = rows(
    ['partnerEmail', 'customerExternalId', 'startedAt'],
    [
      ['maya@example.com', 'cus_1', '31/01/2025'],
      ['maya@example.com', 'cus_1', '02/01/2025'],
      ['leo@example.com', 'cus_1', ''],
    ],
  )
  expect(customers).toMatchObject([
    { partnerEmail: 'maya@example.com', startedAt: '2025-01-02', lines: [2, 3] },
    { partnerEmail: 'leo@example.com', lines: [4] },
  ])
})

test.each([
  { case: 'a plain amount is USD', header: 'Balance', cells: ['1,234.50', ''], cents: 123_450 },
  { case: 'a column of cents', header: 'balance_cents', cells: ['8120', 'usd'], cents: 8_120 },
  { case: 'nothing owed', header: 'Balance', cells: ['0.00', 'EUR'], cents: undefined },
  { case: 'no balance', header: 'Balance', cells: ['', 'EUR'], cents: undefined },
])('$case', ({ header, cells, cents }) => {
  const columns: Columns = ['email', 'openingBalance', 'balanceCurrency']
  const { partners } = rows(columns, [['a@example.com', ...cells]], ['email', header, 'currency'])
  expect(partners).toEqual([
    {
      ...NOTHING_ELSE,
      email: 'a@example.com',
      ...(cents !== undefined && { openingBalanceCents: cents }),
      lines: [2],
    },
  ])
})

test.each([
  {
    case: 'spec 4.3, rule 5: currencies are converted before import: another currency',
    cells: ['12.00', 'EUR'],
    code: 'balance_not_usd',
    says: 'Convert it first',
  },
  { case: 'another sign', cells: ['£12.00', ''], code: 'balance_not_usd', says: 'in GBP' },
  { case: 'a debt', cells: ['-12.00', ''], code: 'opening_balance_invalid', says: 'is negative' },
  {
    case: 'no number',
    cells: ['soon', ''],
    code: 'opening_balance_invalid',
    says: 'not an amount',
  },
  {
    case: 'a fortune',
    cells: ['1000000000000', ''],
    code: 'opening_balance_invalid',
    says: 'exceeds',
  },
])('$case as a balance is a balance problem only', ({ cells, code, says }) => {
  const { partners } = rows(
    ['email', 'openingBalance', 'balanceCurrency'],
    [['a@example.com', ...cells]],
  )
  expect(partners[0]).toMatchObject({
    problem: null,
    balanceProblem: { code, message: expect.stringContaining(says) },
  })
  expect(partners[0]?.openingBalanceCents).toBeUndefined()
})

test.each([
  {
    case: 'a partner without an address',
    columns: ['email', 'customerExternalId'] as Columns,
    cells: ['', 'cus_1'],
    partners: ['email_invalid'],
    customers: [],
  },
  {
    case: 'a customer of nobody’s',
    columns: ['partnerEmail', 'customerExternalId'] as Columns,
    cells: ['', 'cus_1'],
    partners: [],
    customers: ['partner_email_invalid'],
  },
  {
    case: 'a customer without an id',
    columns: ['partnerEmail', 'customerExternalId'] as Columns,
    cells: ['maya@example.com', ''],
    partners: [],
    customers: ['customer_id_invalid'],
  },
  {
    case: 'a date that could be two',
    columns: ['partnerEmail', 'customerExternalId', 'startedAt'] as Columns,
    cells: ['maya@example.com', 'cus_1', '03/04/2025'],
    partners: [],
    customers: ['started_at_invalid'],
  },
])('$case is reported once', ({ columns, cells, partners, customers }) => {
  const found = rows(columns, [cells])
  expect({
    partners: found.partners.map(({ problem }) => problem?.code),
    customers: found.customers.map(({ problem }) => problem?.code),
  }).toEqual({ partners, customers })
})

describe('commissions before the move', () => {
  const columns: Columns = [
    'customerExternalId',
    'partnerEmail',
    'startedAt',
    'priorAmount',
    'priorCurrency',
  ]
  const priorsOf = (lines: string[][], header = 'commission_amount_usd', of = columns) => {
    const records = lines.map((cells, index) => ({ line: index + 2, cells }))
    const collector = collectRows({ columns: of, inCents: unitOf(header), zone: 'UTC' }, null)
    for (const record of records) collector.add(record)
    return collector
      .rows()
      .customers.map(({ prior, startedAt, problem }) => ({ prior, startedAt, code: problem?.code }))
  }

  test('a file of commissions gives each customer their number and sum, and the first of their dates', () => {
    expect(
      priorsOf([
        ['cus_1', 'maya@x.example', '2025-03-01', '$9.50', ''],
        ['cus_1', 'maya@x.example', '2025-01-01', '10', ''],
        ['cus_2', 'maya@x.example', '2025-02-01', '7.00', 'EUR'],
        ['cus_3', 'maya@x.example', '2025-02-01', '', ''],
      ]),
    ).toEqual([
      {
        prior: { commissions: 2, amountCents: 1_950, currency: 'USD' },
        startedAt: '2025-01-01',
        code: undefined,
      },
      {
        prior: { commissions: 1, amountCents: 700, currency: 'EUR' },
        startedAt: '2025-02-01',
        code: undefined,
      },
      { prior: undefined, startedAt: '2025-02-01', code: undefined },
    ])
  })

  test('a column of numbers counts itself, and amounts may be in cents', () => {
    const withNumbers: Columns = [
      'customerExternalId',
      'partnerEmail',
      'priorCommissions',
      'priorAmount',
    ]
    expect(
      priorsOf([['cus_1', 'maya@x.example', '12', '9650']], 'prior_amount_cents', withNumbers),
    ).toMatchObject([{ prior: { commissions: 12, amountCents: 9_650, currency: 'USD' } }])
  })

  test.each([
    { case: 'what is no amount', lines: [['c', 'm@x.example', '', 'much', '']] },
    { case: 'what is no currency', lines: [['c', 'm@x.example', '', '5', 'money']] },
    {
      case: 'two currencies of one customer',
      lines: [
        ['c', 'm@x.example', '', '5', 'USD'],
        ['c', 'm@x.example', '', '5', 'EUR'],
      ],
    },
  ])('$case is an error', ({ lines }) => {
    expect(priorsOf(lines)).toMatchObject([{ code: 'prior_invalid' }])
  })
})
