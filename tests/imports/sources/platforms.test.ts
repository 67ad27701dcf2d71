/** What becomes of the objects of other platforms than Rewardful. */
import { expect, test } from 'vitest'
import { DUB } from '../../../lib/imports/sources/platforms/dub.ts'
import { FIRSTPROMOTER } from '../../../lib/imports/sources/platforms/firstpromoter.ts'
import type { Platform } from '../../../lib/imports/sources/platforms/platform.ts'
import { TOLT } from '../../../lib/imports/sources/platforms/tolt.ts'
import type { Resource } from '../../../lib/imports/sources/source.ts'

type Case = { of: string; platform: Platform; resource: Resource; item: object; row: object }

const TOLT_CUSTOMER = {
  id: 'cust_1',
  customer_id: 'cus_1',
  email: 'ada@buyer.example',
  partner_id: 'part_1',
  partner: { id: 'part_1', email: 'maya@partner.example' },
  created_at: '2025-01-15T14:30:00.000Z',
  active_at: null,
}
const TOLT_COMMISSION = {
  id: 'comm_1',
  amount: '1999',
  revenue: 9_999,
  charge_id: 'ch_1',
  status: 'approved',
  currency: null,
  program: { currency_code: 'EUR' },
  partner: { id: 'part_1', email: 'maya@partner.example' },
  customer: {
    id: 'cust_1',
    customer_id: 'cus_1',
    email: 'ada@buyer.example',
    partner_id: 'part_1',
  },
  created_at: '2025-01-15T14:30:00.000Z',
}
const FP_PROMOTER = {
  id: 12,
  email: 'maya@partner.example',
  name: 'Maya L',
  archived_at: null,
  promoter_campaigns: [
    {
      state: 'rejected',
      campaign: { name: 'Old' },
      ref_token: 'maya',
      ref_link: 'https://shop.example/?fpr=maya',
    },
    { state: 'accepted', campaign: { name: 'New' }, ref_token: 'maya-new', ref_link: null },
  ],
  balances: { cash: 1_234, credits: 7 },
}
const FP_PROMO_CODE = {
  id: 7,
  code: 'MAYA',
  reward: { id: 1, name: '20 %' },
  ext_id: 'promo_1',
  promoter_campaign_id: 31,
  archived_at: null,
}
const FP_REFERRAL = {
  id: 5,
  email: 'ada@buyer.example',
  uid: 'cus_1',
  state: 'active',
  created_at: '2025-01-15T14:30:00.000Z',
  customer_since: null,
  promoter_campaign: { promoter_id: 12, promoter: { id: 12, email: 'maya@partner.example' } },
}
const FP_COMMISSION = {
  id: 9,
  status: 'approved',
  is_paid: false,
  unit: 'cash',
  amount: 500,
  sale_amount: 2_500,
  original_sale_currency: 'USD',
  event_id: 'ch_1',
  created_at: '2025-01-15T14:30:00.000Z',
  referral: { id: 5, uid: 'cus_1', email: 'ada@buyer.example' },
  promoter_campaign: { promoter: { id: 12, email: 'maya@partner.example' } },
}
const DUB_CUSTOMER = {
  id: 'c_1',
  externalId: 'user_1',
  stripeCustomerId: 'cus_1',
  email: 'ada@buyer.example',
  createdAt: '2025-01-15T14:30:00.000Z',
  firstSaleAt: '2025-01-16T14:30:00.000Z',
  partner: { id: 'pn_1', email: 'maya@partner.example' },
}
const DUB_COMMISSION = {
  id: 'cm_1',
  type: 'sale',
  amount: 5_000,
  earnings: 1_000,
  currency: 'usd',
  status: 'processed',
  invoiceId: 'in_1',
  createdAt: '2025-01-15T14:30:00.000Z',
  partner: { id: 'pn_1', email: 'maya@partner.example' },
  customer: { id: 'c_1', externalId: 'user_1', email: 'ada@buyer.example' },
}

const CASES: Case[] = [
  {
    of: 'Tolt’s partner',
    platform: TOLT,
    resource: 'partners',
    item: {
      id: 'part_1',
      first_name: 'Maya',
      last_name: null,
      email: 'maya@partner.example',
      status: 'suspended',
      group: { name: 'VIP' },
    },
    row: { kind: 'partner', name: 'Maya', status: 'suspended', group: 'VIP', balances: [] },
  },
  {
    of: 'Tolt’s partner without an address',
    platform: TOLT,
    resource: 'partners',
    item: { id: 'part_1', email: null },
    row: { reason: 'no_email', name: 'part_1' },
  },
  {
    of: 'Tolt’s link',
    platform: TOLT,
    resource: 'links',
    item: { id: 'lnk_1', param: 'ref', value: 'may a', partner_id: 'part_1' },
    row: { kind: 'link', partnerId: 'part_1', link: { slug: 'may a', url: '?ref=may%20a' } },
  },
  {
    of: 'Tolt’s link of nobody',
    platform: TOLT,
    resource: 'links',
    item: { id: 'lnk_1', param: 'ref', value: 'maya' },
    row: { reason: 'no_partner' },
  },
  {
    of: 'Tolt’s code',
    platform: TOLT,
    resource: 'coupons',
    item: { id: 'prc_1', code: 'MAYA', active: true },
    row: { reason: 'no_processor_id', name: 'MAYA' },
  },
  {
    of: 'Tolt’s code that is not active',
    platform: TOLT,
    resource: 'coupons',
    item: { id: 'prc_1', code: 'MAYA', active: false },
    row: { reason: 'archived' },
  },
  {
    of: 'Tolt’s customer',
    platform: TOLT,
    resource: 'customers',
    item: TOLT_CUSTOMER,
    row: {
      externalId: 'cus_1',
      partnerId: 'part_1',
      partnerEmail: 'maya@partner.example',
      startedAt: null,
    },
  },
  {
    of: 'Tolt’s customer of nobody',
    platform: TOLT,
    resource: 'customers',
    item: { ...TOLT_CUSTOMER, partner_id: null },
    row: { reason: 'no_partner' },
  },
  {
    of: 'Tolt’s customer without id and address',
    platform: TOLT,
    resource: 'customers',
    item: { ...TOLT_CUSTOMER, customer_id: null, email: ' ' },
    row: { reason: 'no_customer' },
  },
  {
    of: 'Tolt’s commission',
    platform: TOLT,
    resource: 'commissions',
    item: TOLT_COMMISSION,
    row: {
      state: 'due',
      amountCents: 1_999,
      currency: 'EUR',
      saleAmountCents: 9_999,
      saleExternalId: 'ch_1',
      customerId: 'cust_1',
      customerExternalId: 'cus_1',
      partnerId: 'part_1',
    },
  },
  {
    of: 'Tolt’s commission in nobody knows what',
    platform: TOLT,
    resource: 'commissions',
    item: { ...TOLT_COMMISSION, program: null },
    row: { reason: 'unreadable' },
  },
  {
    of: 'Tolt’s commission in cents that are none',
    platform: TOLT,
    resource: 'commissions',
    item: { ...TOLT_COMMISSION, amount: '19.99' },
    row: { reason: 'unreadable' },
  },
  {
    of: 'FirstPromoter’s promoter',
    platform: FIRSTPROMOTER,
    resource: 'partners',
    item: FP_PROMOTER,
    row: {
      id: '12',
      status: 'accepted',
      group: 'Old',
      links: [
        { slug: 'maya', url: 'https://shop.example/?fpr=maya' },
        { slug: 'maya-new', url: null },
      ],
      balances: [{ currency: 'USD', cents: 1_234 }],
    },
  },
  {
    of: 'FirstPromoter’s promoter, whom promo codes name by each campaign',
    platform: FIRSTPROMOTER,
    resource: 'partners',
    item: { ...FP_PROMOTER, promoter_campaigns: [{ id: 12 }, { id: 31 }, { id: null }] },
    row: { id: '12', memberships: ['promoter_campaign 12', 'promoter_campaign 31'] },
  },
  {
    of: 'FirstPromoter’s promo code',
    platform: FIRSTPROMOTER,
    resource: 'coupons',
    item: FP_PROMO_CODE,
    row: { kind: 'coupon', partnerId: 'promoter_campaign 31', externalId: 'promo_1', code: 'MAYA' },
  },
  {
    of: 'FirstPromoter’s promo code that is archived',
    platform: FIRSTPROMOTER,
    resource: 'coupons',
    item: { ...FP_PROMO_CODE, archived_at: '2026-01-01T00:00:00Z' },
    row: { reason: 'archived', name: 'MAYA' },
  },
  {
    of: 'FirstPromoter’s promo code of another processor than Stripe',
    platform: FIRSTPROMOTER,
    resource: 'coupons',
    item: { ...FP_PROMO_CODE, ext_id: null },
    row: { reason: 'no_processor_id', name: 'MAYA' },
  },
  {
    of: 'FirstPromoter’s promo code of nobody',
    platform: FIRSTPROMOTER,
    resource: 'coupons',
    item: { ...FP_PROMO_CODE, code: null, promoter_campaign_id: null },
    row: { reason: 'no_partner', name: 'promo_1' },
  },
  {
    of: 'FirstPromoter’s promoter who was archived',
    platform: FIRSTPROMOTER,
    resource: 'partners',
    item: { ...FP_PROMOTER, archived_at: '2026-01-01' },
    row: { status: 'archived' },
  },
  {
    of: 'FirstPromoter’s promoter without a campaign',
    platform: FIRSTPROMOTER,
    resource: 'partners',
    item: { ...FP_PROMOTER, promoter_campaigns: null, balances: { cash: null } },
    row: { status: null, group: null, links: [], balances: [] },
  },
  {
    of: 'FirstPromoter’s referral',
    platform: FIRSTPROMOTER,
    resource: 'customers',
    item: FP_REFERRAL,
    row: { kind: 'customer', externalId: 'cus_1', partnerId: '12', startedAt: null },
  },
  {
    of: 'FirstPromoter’s referral that was denied',
    platform: FIRSTPROMOTER,
    resource: 'customers',
    item: { ...FP_REFERRAL, state: 'denied' },
    row: { reason: 'deactivated' },
  },
  {
    of: 'FirstPromoter’s commission',
    platform: FIRSTPROMOTER,
    resource: 'commissions',
    item: FP_COMMISSION,
    row: {
      state: 'due',
      amountCents: 500,
      saleAmountCents: 2_500,
      saleExternalId: 'ch_1',
      customerId: '5',
      partnerEmail: 'maya@partner.example',
    },
  },
  {
    of: 'FirstPromoter’s commission that is paid',
    platform: FIRSTPROMOTER,
    resource: 'commissions',
    item: { ...FP_COMMISSION, is_paid: true, original_sale_currency: 'EUR' },
    row: { state: 'paid', saleAmountCents: null },
  },
  {
    of: 'FirstPromoter’s commission of a sale in the account’s own currency',
    platform: FIRSTPROMOTER,
    resource: 'commissions',
    item: { ...FP_COMMISSION, original_sale_currency: 'EUR', original_sale_amount: 2_500 },
    row: { currency: 'EUR', saleAmountCents: 2_500 },
  },
  {
    of: 'FirstPromoter’s commission of a sale that was converted',
    platform: FIRSTPROMOTER,
    resource: 'commissions',
    item: { ...FP_COMMISSION, original_sale_currency: 'EUR', original_sale_amount: 2_300 },
    row: { currency: 'USD', saleAmountCents: null },
  },
  {
    of: 'FirstPromoter’s reward in points',
    platform: FIRSTPROMOTER,
    resource: 'commissions',
    item: { ...FP_COMMISSION, unit: 'points' },
    row: { reason: 'not_money' },
  },
  {
    of: 'Dub’s partner',
    platform: DUB,
    resource: 'partners',
    item: {
      id: 'pn_1',
      name: 'Maya',
      email: 'maya@partner.example',
      status: 'banned',
      groupId: 'grp_1',
      links: [{ key: 'maya', shortLink: 'https://refer.example/maya' }],
      saleRewardId: 'rw_1',
      leadRewardId: null,
      clickRewardId: 'rw_2',
    },
    row: {
      status: 'banned',
      group: 'grp_1',
      links: [{ slug: 'maya', url: 'https://refer.example/maya' }],
      rewardIds: ['rw_1', 'rw_2'],
    },
  },
  {
    of: 'Dub’s reward',
    platform: DUB,
    resource: 'rewards',
    item: {
      id: 'rw_1',
      event: 'sale',
      description: 'For everybody',
      type: 'percentage',
      amountInPercentage: 20,
      maxDuration: 12,
    },
    row: {
      kind: 'reward',
      id: 'rw_1',
      name: 'For everybody',
      group: null,
      event: 'sale',
      reward: { kind: 'percent', percent: 20 },
      rewardInterval: 'recurring',
      rewardDurationMonths: 12,
      differences: [],
    },
  },
  {
    of: 'Dub’s reward of leads',
    platform: DUB,
    resource: 'rewards',
    item: { id: 'rw_2', event: 'lead', type: 'flat', amountInCents: 500, maxDuration: 0 },
    row: { name: 'rw_2', event: 'lead', rewardInterval: null, rewardDurationMonths: null },
  },
  {
    of: 'Dub’s group',
    platform: DUB,
    resource: 'groups',
    item: { id: 'grp_1', name: 'Gold partners', slug: 'gold' },
    row: { kind: 'group', id: 'grp_1', name: 'Gold partners' },
  },
  {
    of: 'Dub’s discount code',
    platform: DUB,
    resource: 'coupons',
    item: { id: 'dcode_1', code: 'MAYA10', partnerId: 'pn_1', linkId: 'link_1', disabledAt: null },
    row: { reason: 'no_processor_id', name: 'MAYA10' },
  },
  {
    of: 'Dub’s discount code of a banned partner',
    platform: DUB,
    resource: 'coupons',
    item: { id: 'dcode_1', code: 'MAYA10', partnerId: 'pn_1', disabledAt: '2026-01-01T00:00:00Z' },
    row: { reason: 'archived', name: 'MAYA10' },
  },
  {
    of: 'Dub’s customer',
    platform: DUB,
    resource: 'customers',
    item: DUB_CUSTOMER,
    row: { externalId: 'cus_1', partnerId: 'pn_1', startedAt: '2025-01-16T14:30:00.000Z' },
  },
  {
    of: 'Dub’s customer whom Stripe does not know',
    platform: DUB,
    resource: 'customers',
    item: { ...DUB_CUSTOMER, stripeCustomerId: null },
    row: { externalId: 'user_1' },
  },
  {
    of: 'Dub’s customer whom nobody referred',
    platform: DUB,
    resource: 'customers',
    item: { ...DUB_CUSTOMER, partner: null },
    row: { reason: 'no_partner' },
  },
  {
    of: 'Dub’s commission',
    platform: DUB,
    resource: 'commissions',
    item: DUB_COMMISSION,
    row: {
      state: 'due',
      amountCents: 1_000,
      currency: 'USD',
      saleAmountCents: 5_000,
      saleExternalId: 'in_1',
      customerId: 'c_1',
      customerExternalId: 'user_1',
    },
  },
  {
    of: 'Dub’s commission of a lead',
    platform: DUB,
    resource: 'commissions',
    item: { ...DUB_COMMISSION, type: 'lead', status: 'fraud' },
    row: { state: 'voided', saleAmountCents: null },
  },
]

test.each(CASES)('$of', ({ platform, resource, item, row }) => {
  const body = platform === TOLT ? { data: [item] } : [item]
  expect(platform.read(resource, body, null)?.rows).toMatchObject([row])
})

test('Tolt’s list of customers is read in both forms that its reference has', () => {
  const page = { success: true, has_more: true, total_count: 85 }
  for (const data of [[TOLT_CUSTOMER], { data: [TOLT_CUSTOMER] }])
    expect(TOLT.read('customers', { ...page, data }, null)).toMatchObject({
      next: 'cust_1',
      total: 85,
    })
})

test('all of Dub’s rewards are on one page, however many', () => {
  const rewards = Array.from({ length: 100 }, (_, n) => ({ id: `rw_${n}` }))
  expect(DUB.read('rewards', rewards, null)).toMatchObject({ next: null })
})

test.each([TOLT, FIRSTPROMOTER, DUB])('an error of $name is no page', (platform) => {
  for (const body of [
    null,
    'x',
    {},
    { success: false },
    { error: { code: 'unauthorized' } },
    { data: 7 },
  ])
    expect(platform.read('partners', body, null)).toBeNull()
})

const promoCodes = (count: number, first = 0) =>
  Array.from({ length: count }, (_, n) => ({ ...FP_PROMO_CODE, id: first + n }))

test.each([
  {
    case: 'goes on after a full page',
    items: promoCodes(100),
    cursor: null,
    rows: 100,
    next: '2 0',
  },
  {
    case: 'goes on after the next one',
    items: promoCodes(100, 100),
    cursor: '2 0',
    rows: 100,
    next: '3 100',
  },
  {
    case: 'ends with a page that is not full',
    items: promoCodes(3, 200),
    cursor: '3 100',
    rows: 3,
    next: null,
  },
  { case: 'ends with an empty page', items: [], cursor: '3 100', rows: 0, next: null },
  {
    case: 'is whole if it is longer than a page',
    items: promoCodes(250),
    cursor: null,
    rows: 250,
    next: null,
  },
  {
    case: 'ends with the page before, if the list has no pages',
    items: promoCodes(100),
    cursor: '2 0',
    rows: 0,
    next: null,
  },
])('FirstPromoter’s list $case', ({ items, cursor, rows, next }) => {
  const page = FIRSTPROMOTER.read('coupons', items, cursor)
  expect(page?.rows).toHaveLength(rows)
  expect(page?.next).toBe(next)
})

test('a list is asked for from its place', () => {
  const paths = (platform: Platform, resource: Resource, ...cursors: (string | null)[]) =>
    cursors.map((cursor) => platform.path(resource, cursor, { token: '', account: null }))
  expect(paths(FIRSTPROMOTER, 'coupons', null, '2 17')).toEqual([
    '/promo_codes?per_page=100&page=1',
    '/promo_codes?per_page=100&page=2',
  ])
  expect(paths(DUB, 'coupons', null, '2')).toEqual([
    '/discount-codes?pageSize=100&page=1',
    '/discount-codes?pageSize=100&page=2',
  ])
  expect(paths(DUB, 'rewards', null)).toEqual(['/rewards?pageSize=100&page=1'])
  expect(paths(DUB, 'commissions', null, 'cm_1')).toEqual([
    '/commissions?sortBy=createdAt&sortOrder=asc&pageSize=100',
    '/commissions?sortBy=createdAt&sortOrder=asc&pageSize=100&startingAfter=cm_1',
  ])
})
