/** What was read from another platform, as the lines of a file. */
import { expect, test } from 'vitest'
import { headersFor, recognise } from '../../../islands/import/rules/reading/columns.ts'
import { collectRows } from '../../../islands/import/rules/reading/records.ts'
import { sourceRecords } from '../../../islands/import/rules/source.ts'
import type {
  SourceCustomer,
  SourcePartner,
  SourceRow,
} from '../../../lib/imports/sources/source-rows.ts'

const partner = (fields: Partial<SourcePartner> = {}): SourcePartner => ({
  kind: 'partner',
  id: 'p1',
  email: 'maya@partner.example',
  name: 'Maya L',
  status: 'active',
  group: 'Default',
  links: [],
  coupons: [],
  balances: [],
  ...fields,
})

const customer = (fields: Partial<SourceCustomer> = {}): SourceCustomer => ({
  kind: 'customer',
  id: 'c1',
  externalId: 'cus_1',
  email: 'ada@buyer.example',
  partnerId: 'p1',
  partnerEmail: null,
  referredAt: '2025-01-01T00:00:00.000Z',
  startedAt: null,
  ...fields,
})

/** The rows of an import, as a file of these lines gives them. */
const imported = (...rows: SourceRow[]) => {
  const { headers, records, notes } = sourceRecords(rows)
  const mapping = { ...recognise(headers), inCents: true, zone: 'UTC' }
  const collector = collectRows(mapping, null)
  for (const record of records) collector.add(record)
  return { ...collector.rows(), notes, headers, mapping }
}

test('a partner has all links, the first coupon and the balance in USD', () => {
  const { partners, customers, notes } = imported(
    partner({
      links: [
        { slug: 'maya', url: 'https://shop.example/?via=maya' },
        { slug: 'maya-2', url: 'https://go.shop.example/other' },
      ],
      balances: [
        { currency: 'EUR', cents: 700 },
        { currency: 'USD', cents: 1_234 },
      ],
    }),
    { kind: 'link', id: 'l1', partnerId: 'p1', link: { slug: 'a b', url: '?ref=a%20b' } },
    { kind: 'coupon', id: 'k1', partnerId: 'p1', externalId: 'promo_1', code: 'MAYA' },
    { kind: 'coupon', id: 'k2', partnerId: 'p1', externalId: 'promo_2', code: null },
  )
  expect(customers).toEqual([])
  expect(partners).toMatchObject([
    {
      email: 'maya@partner.example',
      name: 'Maya L',
      slug: 'maya',
      link: { place: { in: 'parameter', name: 'via' } },
      otherSlugs: ['maya-2', 'a b'],
      couponId: 'promo_1',
      couponLabel: 'MAYA',
      otherCoupons: ['promo_2'],
      openingBalanceCents: 1_234,
      status: { kind: 'active' },
      balanceProblem: null,
      problem: null,
    },
  ])
  expect(notes.leftOut).toEqual([
    { reason: 'foreign_balance', names: ['maya@partner.example 7.00 EUR'] },
  ])
})

test('a coupon may name its partner by a membership, and a partner its group by an id', () => {
  const { partners, notes } = imported(
    { kind: 'group', id: 'grp_1', name: 'Gold partners' },
    partner({ group: 'grp_1', memberships: ['promoter_campaign 3', 'promoter_campaign 4'] }),
    partner({ id: '4', email: 'leo@partner.example', group: 'grp_2' }),
    {
      kind: 'coupon',
      id: 'k1',
      partnerId: 'promoter_campaign 4',
      externalId: 'promo_1',
      code: 'MAYA',
    },
    {
      kind: 'coupon',
      id: 'k2',
      partnerId: 'promoter_campaign 9',
      externalId: 'promo_2',
      code: 'GONE',
    },
    { kind: 'left_out', id: 'refused coupons', reason: 'refused', name: 'coupons' },
  )
  expect(partners).toMatchObject([
    {
      email: 'maya@partner.example',
      group: 'Gold partners',
      couponId: 'promo_1',
      couponLabel: 'MAYA',
    },
    { email: 'leo@partner.example', group: 'grp_2' },
  ])
  expect(partners[1]?.couponId).toBeUndefined()
  expect(notes.leftOut).toEqual([
    { reason: 'no_partner', names: ['GONE'] },
    { reason: 'refused', names: ['coupons'] },
  ])
})

test.each(['maya', 'a=b', '?via=x', 'https://x.example/y', 'a b', 'ä+ö%20', 'www.x.example/z'])(
  'the slug %j stays as it is, whatever its link is',
  (slug) => {
    for (const url of [
      null,
      `https://shop.example/?via=${encodeURIComponent(slug)}`,
      'nonsense',
      '',
    ])
      expect(imported(partner({ links: [{ slug, url }] })).partners).toMatchObject([
        { slug, problem: null },
      ])
  },
)

test('customers name their partner, by id or address, and make none', () => {
  const { partners, customers, notes } = imported(
    partner(),
    customer({ startedAt: '2025-02-01T00:00:00.000Z' }),
    customer({
      id: 'c2',
      externalId: null,
      email: 'bo@buyer.example',
      partnerId: null,
      partnerEmail: 'Leo@partner.example',
    }),
    customer({ id: 'c3', externalId: 'cus_3', partnerId: 'gone' }),
  )
  expect(partners).toHaveLength(1)
  expect(customers).toMatchObject([
    {
      customerExternalId: 'cus_1',
      customerEmail: 'ada@buyer.example',
      partnerEmail: 'maya@partner.example',
      startedAt: '2025-02-01T00:00:00.000Z',
    },
    { customerExternalId: 'bo@buyer.example', partnerEmail: 'leo@partner.example' },
  ])
  expect(notes.leftOut).toEqual([{ reason: 'no_partner', names: ['ada@buyer.example'] }])
})

test('of two referrals of a customer, the later one comes last', () => {
  const leo = partner({ id: 'p2', email: 'leo@partner.example' })
  const { customers } = imported(
    customer({ id: 'c2', partnerId: 'p2', referredAt: '2025-06-01T00:00:00.000Z' }),
    customer({ id: 'c1', referredAt: '2025-05-01T00:00:00.000Z' }),
    customer({ id: 'c0', externalId: 'cus_0', referredAt: null }),
    partner(),
    leo,
  )
  expect(
    customers.map(
      ({ customerExternalId, partnerEmail }) => `${customerExternalId} ${partnerEmail}`,
    ),
  ).toEqual([
    'cus_0 maya@partner.example',
    'cus_1 maya@partner.example',
    'cus_1 leo@partner.example',
  ])
})

test('what was paid for a customer comes along, in one currency, and the first commission is the start', () => {
  const paid = (commissions: number, amountCents: number) => ({ commissions, amountCents })
  const { customers, notes, mapping } = imported(
    partner(),
    customer({
      startedAt: '2025-01-01T00:00:00.000Z',
      firstCommissionAt: '2025-02-01T00:00:00.000Z',
      prior: { EUR: paid(1, 900), USD: paid(3, 1_200), GBP: paid(0, 0) },
    }),
    customer({ id: 'c2', externalId: 'cus_2', startedAt: '2025-03-01T00:00:00.000Z', prior: {} }),
    customer({
      id: 'c3',
      externalId: 'cus_3',
      email: 'bo@buyer.example',
      prior: { USD: paid(2, -100) },
    }),
    customer({
      id: 'c4',
      externalId: 'cus_4',
      email: 'cy@buyer.example',
      prior: { XXQ: paid(2, 100) },
    }),
    // The same customer, referred a second time.
    customer({ id: 'c5', referredAt: '2025-06-01T00:00:00.000Z', prior: { USD: paid(1, 50) } }),
    customer({ id: 'c6', referredAt: '2025-07-01T00:00:00.000Z', prior: { EUR: paid(9, 80) } }),
  )
  expect(mapping.inCents).toBe(true)
  expect(
    customers.map(({ customerExternalId, startedAt, prior, problem }) => ({
      customerExternalId,
      startedAt,
      prior,
      problem,
    })),
  ).toEqual([
    {
      customerExternalId: 'cus_1',
      startedAt: '2025-02-01T00:00:00.000Z',
      prior: { commissions: 4, amountCents: 1_250, currency: 'USD' },
      problem: null,
    },
    {
      customerExternalId: 'cus_2',
      startedAt: '2025-03-01T00:00:00.000Z',
      prior: undefined,
      problem: null,
    },
    { customerExternalId: 'cus_3', startedAt: undefined, prior: undefined, problem: null },
    { customerExternalId: 'cus_4', startedAt: undefined, prior: undefined, problem: null },
  ])
  expect(notes.leftOut).toEqual([
    {
      reason: 'odd_prior',
      names: [
        'ada@buyer.example 9.00 EUR',
        'bo@buyer.example -1.00 USD',
        'cy@buyer.example 1.00 XXQ',
        'ada@buyer.example 0.80 EUR',
      ],
    },
  ])
})

test('balances are what unpaid commissions add up to, where the platform says no balance', () => {
  const commission = (id: string, cents: number, fields: object = {}): SourceRow => ({
    kind: 'commission',
    id,
    state: 'due',
    amountCents: cents,
    currency: 'USD',
    saleAmountCents: null,
    saleExternalId: null,
    customerId: null,
    customerExternalId: null,
    customerEmail: null,
    partnerId: 'p1',
    partnerEmail: null,
    soldAt: '2025-01-01T00:00:00.000Z',
    ...fields,
  })
  const { partners, notes } = imported(
    partner(),
    partner({ id: 'p2', email: 'leo@partner.example' }),
    commission('1', 1_000),
    commission('2', 500, { state: 'pending' }),
    commission('3', -200),
    commission('4', 9_000, { state: 'paid' }),
    commission('5', 300, { currency: 'EUR' }),
    commission('6', -50, { partnerId: 'p2' }),
    commission('7', 70, { partnerId: null, partnerEmail: 'MAYA@partner.example' }),
    commission('8', 70, { partnerId: 'gone' }),
  )
  expect(partners).toMatchObject([
    { openingBalanceCents: 1_370 },
    { balanceProblem: null, problem: null },
  ])
  expect(partners[1]?.openingBalanceCents).toBeUndefined()
  expect(notes.leftOut).toEqual([
    { reason: 'no_partner', names: ['8'] },
    { reason: 'foreign_balance', names: ['maya@partner.example 3.00 EUR'] },
    { reason: 'negative_balance', names: ['leo@partner.example -0.50 USD'] },
  ])
})

test('what is left out is listed with its reason, and partners are counted by group', () => {
  const { notes, partners } = imported(
    partner(),
    partner({ id: 'p2', email: 'leo@partner.example', group: 'VIP' }),
    partner({ id: 'p3', email: 'ann@partner.example', group: null }),
    { kind: 'left_out', id: 'x', reason: 'archived', name: 'OLD' },
    { kind: 'coupon', id: 'k', partnerId: 'gone', externalId: 'promo_9', code: 'GONE' },
    { kind: 'link', id: 'l', partnerId: 'gone', link: { slug: 'gone', url: null } },
    {
      kind: 'reward',
      id: 'r',
      name: 'VIP',
      group: 'VIP',
      event: 'sale',
      reward: { kind: 'percent', percent: 30 },
      rewardInterval: 'recurring',
      rewardDurationMonths: null,
      differences: [],
      original: '{}',
    },
  )
  expect(partners).toHaveLength(3)
  expect(notes).toEqual({
    leftOut: [
      { reason: 'archived', names: ['OLD'] },
      { reason: 'no_partner', names: ['GONE', 'gone'] },
    ],
    // Rewards are no lines of the file: they are reviewed on a page of their own.
    rewards: 1,
  })
})

test('the headers need no mapping, also in a file of rows with errors', () => {
  const { headers, mapping } = imported(partner())
  expect(mapping).toMatchObject({ platform: null, rows: 'both' })
  const again = headersFor(headers, mapping)
  expect(recognise(again).columns).toEqual(mapping.columns)
  expect(mapping.columns).toEqual([
    ...['email', 'name', 'slug', 'couponId', 'couponLabel', 'openingBalance', 'status', 'group'],
    ...['partnerEmail', 'customerExternalId', 'customerEmail', 'startedAt'],
    ...['priorCommissions', 'priorAmount', 'priorCurrency'],
  ])
})
