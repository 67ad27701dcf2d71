/** What becomes of the objects of Rewardful's reference, and of what it does not say. */
import { expect, test } from 'vitest'
import { REWARDFUL } from '../../../lib/imports/sources/platforms/rewardful.ts'
import type { Resource } from '../../../lib/imports/sources/source.ts'

const rowsOf = (resource: Resource, ...data: unknown[]) =>
  REWARDFUL.read(
    resource,
    { data, pagination: { next_page: null, total_count: data.length } },
    null,
  )?.rows

const AFFILIATE = {
  id: 'd0ed8392',
  first_name: 'Adam',
  last_name: 'Jones',
  email: 'adam.jones@example.com',
  state: 'active',
  stripe_customer_id: 'cus_ABCDEF123456',
  campaign: { id: 'a638ebe4', name: 'Best Friends of Kyle' },
  links: [
    { id: 'eb844960', url: 'http://www.example.com/?via=adam', token: 'adam' },
    { id: 'eb844961', url: null, token: 'adam-2' },
  ],
  coupon: { id: '75434e84', external_id: 'promo_1a2b3c', token: 'CODE' },
  commission_stats: {
    currencies: {
      USD: { unpaid: { cents: 197_000, dollars: 1_970 }, due: { cents: 1_000, dollars: 10 } },
      EUR: { unpaid: { cents: 0, dollars: 0 } },
    },
  },
}
const PARTNER = {
  kind: 'partner',
  id: 'd0ed8392',
  email: 'adam.jones@example.com',
  name: 'Adam Jones',
  status: 'active',
  group: 'Best Friends of Kyle',
  links: [
    { slug: 'adam', url: 'http://www.example.com/?via=adam' },
    { slug: 'adam-2', url: null },
  ],
  coupons: [],
  balances: [{ currency: 'USD', cents: 197_000 }],
}

test.each([
  { case: 'all that it may have', row: {}, read: {} },
  {
    case: 'neither names, group, links nor balance',
    row: { first_name: null, last_name: ' ', campaign: null, links: null, commission_stats: null },
    read: { name: null, group: null, links: [], balances: [] },
  },
  { case: 'no address', row: { email: null }, read: { kind: 'left_out', reason: 'no_email' } },
  {
    case: 'what no field of ours holds',
    row: { email: 'a\0b@x.example', links: 7, state: {} },
    read: { email: 'ab@x.example', links: [], status: null },
  },
])('an affiliate with $case', ({ row, read }) => {
  const [found] = rowsOf('partners', { ...AFFILIATE, ...row }) ?? []
  expect(found).toMatchObject('kind' in read ? read : { ...PARTNER, ...read })
})

const REFERRAL = {
  id: 'e523da29',
  link: { id: '32a19d65', url: 'http://www.example.com/?via=jb007', token: 'jb007' },
  customer: { id: 'cus_ABC123', name: 'Fred Durst', email: 'fred@example.com', platform: 'stripe' },
  affiliate: { id: 'dc939584', email: 'james.bond@mi6.co.uk' },
  created_at: '2020-04-27T00:34:28.448Z',
  became_conversion_at: '2020-04-27T00:38:28.448Z',
  deactivated_at: null,
  conversion_state: 'conversion',
  stripe_customer_id: 'cus_ABC123',
}
const CUSTOMER = {
  kind: 'customer',
  id: 'e523da29',
  externalId: 'cus_ABC123',
  email: 'fred@example.com',
  partnerId: 'dc939584',
  partnerEmail: 'james.bond@mi6.co.uk',
  referredAt: '2020-04-27T00:34:28.448Z',
  startedAt: '2020-04-27T00:38:28.448Z',
}

test.each([
  { case: 'of a customer', row: {}, read: {} },
  { case: 'by a coupon, without a link', row: { link: null }, read: {} },
  {
    case: 'without an address',
    row: { customer: { id: 'cus_ABC123', email: null } },
    read: { email: null },
  },
  { case: 'whose customer is gone', row: { customer: null }, read: { email: null } },
  {
    case: 'of somebody who has not paid',
    row: { became_conversion_at: null },
    read: { startedAt: null },
  },
  {
    case: 'with an address alone',
    row: { customer: { email: 'f@x.example' }, stripe_customer_id: null },
    read: { externalId: null, email: 'f@x.example' },
  },
  {
    case: 'of nobody',
    row: { customer: null, stripe_customer_id: null },
    read: { kind: 'left_out', reason: 'no_customer' },
  },
  {
    case: 'of no affiliate',
    row: { affiliate: null },
    read: { kind: 'left_out', reason: 'no_partner', name: 'fred@example.com' },
  },
  {
    case: 'that was deactivated',
    row: { deactivated_at: '2026-01-01T00:00:00Z' },
    read: { kind: 'left_out', reason: 'deactivated' },
  },
])('a referral $case', ({ row, read }) => {
  const [found] = rowsOf('customers', { ...REFERRAL, ...row }) ?? []
  expect(found).toMatchObject('kind' in read ? read : { ...CUSTOMER, ...read })
})

const COUPON = {
  id: '75434e84',
  external_id: 'promo_1a2b3c',
  token: 'CODE',
  affiliate_id: '95d48f70',
}

test.each([
  {
    case: 'of the processor',
    row: {},
    read: { kind: 'coupon', partnerId: '95d48f70', externalId: 'promo_1a2b3c', code: 'CODE' },
  },
  {
    case: 'that is archived',
    row: { archived: true },
    read: { kind: 'left_out', reason: 'archived', name: 'CODE' },
  },
  {
    case: 'that was archived',
    row: { archived_at: '2026-01-01T00:00:00Z' },
    read: { reason: 'archived' },
  },
  { case: 'without an affiliate', row: { affiliate_id: null }, read: { reason: 'no_partner' } },
  {
    case: 'without the processor’s id',
    row: { external_id: null },
    read: { reason: 'no_processor_id' },
  },
])('a coupon $case', ({ row, read }) => {
  expect(rowsOf('coupons', { ...COUPON, ...row })).toMatchObject([read])
})

const COMMISSION = {
  id: '39e68c88',
  created_at: '2020-08-19T16:28:31.164Z',
  amount: 3_000,
  currency: 'USD',
  state: 'due',
  voided_at: null,
  sale: {
    currency: 'USD',
    charged_at: '2020-08-19T16:28:25.000Z',
    stripe_charge_id: 'ch_ABC123',
    charge_amount_cents: 10_000,
    sale_amount_cents: 9_000,
    referral: {
      id: 'e523da29',
      stripe_customer_id: 'cus_ABC123',
      customer: { id: 'cus_ABC123', email: 'freddie@example.com' },
    },
    affiliate: { id: '07d8acc5', email: 'james.bond@example.com' },
  },
}
const CREDITED = {
  kind: 'commission',
  id: '39e68c88',
  state: 'due',
  amountCents: 3_000,
  currency: 'USD',
  saleAmountCents: 9_000,
  saleExternalId: 'ch_ABC123',
  customerId: 'e523da29',
  customerExternalId: 'cus_ABC123',
  customerEmail: 'freddie@example.com',
  partnerId: '07d8acc5',
  partnerEmail: 'james.bond@example.com',
  soldAt: '2020-08-19T16:28:25.000Z',
}

test.each([
  { case: 'of a sale', row: {}, read: {} },
  {
    case: 'that was voided',
    row: { voided_at: '2020-09-01T00:00:00Z' },
    read: { state: 'voided' },
  },
  { case: 'in a state that is not documented', row: { state: 'held' }, read: { state: 'other' } },
  {
    case: 'whose sale is in another currency',
    row: { currency: 'eur' },
    read: { currency: 'EUR', saleAmountCents: null },
  },
  {
    case: 'without its sale',
    row: { sale: null },
    read: {
      saleExternalId: null,
      partnerEmail: null,
      saleAmountCents: null,
      soldAt: '2020-08-19T16:28:31.164Z',
    },
  },
  {
    case: 'without an amount',
    row: { amount: '12.5' },
    read: { kind: 'left_out', reason: 'unreadable' },
  },
])('a commission $case', ({ row, read }) => {
  const [found] = rowsOf('commissions', { ...COMMISSION, ...row }) ?? []
  expect(found).toMatchObject('kind' in read || row.sale === null ? read : { ...CREDITED, ...read })
})

test.each([
  {
    case: 'goes on',
    body: { data: [REFERRAL], pagination: { next_page: 2, total_count: 101 } },
    page: { next: '2', total: 101 },
  },
  {
    case: 'is the last',
    body: { data: [REFERRAL], pagination: { next_page: null, total_count: 1 } },
    page: { next: null, total: 1 },
  },
  {
    case: 'is empty',
    body: { data: [], pagination: { next_page: 9, total_count: 100 } },
    page: { rows: [], next: null },
  },
  {
    case: 'leads back',
    body: { data: [REFERRAL], pagination: { next_page: 1 } },
    page: { next: null, total: null },
  },
  {
    case: 'has an item without an id',
    body: { data: [null, {}, 'x'], pagination: {} },
    page: { rows: [], next: null },
  },
])('a page that $case', ({ body, page }) => {
  expect(REWARDFUL.read('customers', body, null)).toMatchObject(page)
})

test.each([
  [null],
  [undefined],
  ['text'],
  [[]],
  [{ data: {} }],
  [{ error: 'Invalid API Secret.' }],
])('%j is no page', (body) => {
  expect(REWARDFUL.read('partners', body, null)).toBeNull()
})

test('a campaign is a reward of the affiliates in it', () => {
  const campaign = {
    id: 'campaign-1',
    name: 'Friends',
    reward_type: 'percent',
    commission_percent: 30,
    max_commission_period_months: 12,
  }
  expect(rowsOf('rewards', campaign)).toMatchObject([
    {
      kind: 'reward',
      id: 'campaign-1',
      name: 'Friends',
      group: 'Friends',
      event: 'sale',
      reward: { kind: 'percent', percent: 30 },
      rewardInterval: 'recurring',
      rewardDurationMonths: 12,
    },
  ])
  expect(rowsOf('rewards', { ...campaign, reward_type: 'points' })).toMatchObject([
    { reward: null, differences: ['Its commission cannot be read, so nothing is taken over.'] },
  ])
})
