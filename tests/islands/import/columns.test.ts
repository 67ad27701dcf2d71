import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Columns,
  FIELD_NAMES,
  headerKey,
  headersFor,
  imports,
  recognise,
  remap,
  unitOf,
  warnings,
} from '../../../islands/import/rules/reading/columns.ts'
import type { Field, RowKind } from '../../../islands/import/rules/reading/fields.ts'
import { PRESETS } from '../../../islands/import/rules/reading/presets.ts'
import { SEEDS } from '../../support/thorough.ts'

/** The fields by header, without ignored columns. */
const fields = (headers: string): Record<string, string> => {
  const names = headers.split(',')
  const { columns } = recognise(names)
  return Object.fromEntries(
    names.flatMap((name, column) => (columns[column] ? [[name, columns[column]]] : [])),
  )
}

test.each([
  {
    case: 'Rewardful, a row per customer',
    headers: 'stripe_customer_id,first_name,last_name,email,paypal_email,wise_email,token',
    platform: 'Rewardful',
    found: {
      stripe_customer_id: 'customerExternalId',
      first_name: 'firstName',
      last_name: 'lastName',
      email: 'email',
      token: 'slug',
    },
  },
  {
    case: 'Rewardful’s affiliates, whose Stripe id is their own',
    headers:
      'id,first_name,last_name,email,state,stripe_customer_id,visitors,leads,conversions,link_token,coupon_token',
    platform: 'Rewardful',
    found: {
      first_name: 'firstName',
      last_name: 'lastName',
      email: 'email',
      state: 'status',
      link_token: 'slug',
      coupon_token: 'couponLabel',
    },
  },
  {
    case: 'FirstPromoter’s promoters',
    headers: 'Email,First Name,Last Name,Ref ID,Referral Link,Promo code,Current balance',
    platform: 'FirstPromoter',
    found: {
      Email: 'email',
      'First Name': 'firstName',
      'Last Name': 'lastName',
      'Ref ID': 'slug',
      'Promo code': 'couponLabel',
      'Current balance': 'openingBalance',
    },
  },
  {
    case: 'FirstPromoter’s customers, who name their promoter',
    headers: 'email,first_name,uid,customer_since,promoter_email',
    platform: 'FirstPromoter',
    found: {
      email: 'customerEmail',
      uid: 'customerExternalId',
      customer_since: 'startedAt',
      promoter_email: 'partnerEmail',
    },
  },
  {
    case: 'Tolt’s customers',
    headers: 'id,customer_id,email,name,status,lead_at,active_at,partner_email',
    platform: 'Tolt',
    found: {
      customer_id: 'customerExternalId',
      email: 'customerEmail',
      active_at: 'startedAt',
      partner_email: 'partnerEmail',
    },
  },
  {
    case: 'PartnerStack’s customers',
    headers: 'key,name,email,provider_key,customer_key,partnership_key,partner_email,created_at',
    platform: 'PartnerStack',
    found: {
      email: 'customerEmail',
      provider_key: 'customerExternalId',
      partner_email: 'partnerEmail',
      created_at: 'startedAt',
    },
  },
  {
    case: 'Dub’s partners, without their links',
    headers: 'ID,Name,Email,Country,Status,Enrolled at,Payouts enabled at',
    platform: 'Dub',
    found: { Name: 'name', Email: 'email', Status: 'status' },
  },
  {
    case: 'Dub’s customers, whose link makes partners of it',
    headers:
      'id,name,email,externalId,createdAt,firstSaleAt,subscriptionCanceledAt,link,partnerName,partnerEmail',
    platform: 'Dub',
    found: {
      email: 'customerEmail',
      externalId: 'customerExternalId',
      firstSaleAt: 'startedAt',
      link: 'slug',
      partnerName: 'name',
      partnerEmail: 'email',
    },
  },
  {
    case: 'Tapfiliate’s affiliates',
    headers: 'id,firstname,lastname,email,referral_code,referral_link,coupon',
    platform: 'Tapfiliate',
    found: {
      firstname: 'firstName',
      lastname: 'lastName',
      email: 'email',
      referral_code: 'slug',
      coupon: 'couponLabel',
    },
  },
  {
    case: 'a file of nobody’s',
    headers: 'E-Mail,Full name,VIA,Coupon ID,Opening balance (cents),Notes',
    platform: null,
    found: {
      'E-Mail': 'email',
      'Full name': 'name',
      VIA: 'slug',
      'Coupon ID': 'couponId',
      'Opening balance (cents)': 'openingBalance',
    },
  },
  {
    case: 'customers of nobody’s: the e-mail is theirs',
    headers: 'Customer ID,Email,Partner Email',
    platform: null,
    found: {
      'Customer ID': 'customerExternalId',
      Email: 'customerEmail',
      'Partner Email': 'partnerEmail',
    },
  },
  {
    case: 'Dub’s customers by default, without their partner',
    headers:
      'id,name,email,avatar,externalId,stripeCustomerId,country,sales,saleAmount,createdAt,firstSaleAt,subscriptionCanceledAt',
    platform: 'Dub',
    found: {
      email: 'customerEmail',
      stripeCustomerId: 'customerExternalId',
      firstSaleAt: 'startedAt',
    },
  },
  {
    case: 'Dub’s partners with their group',
    headers: 'ID,Name,Email,Country,Status,Group,Enrolled at,Payouts enabled at',
    platform: 'Dub',
    found: { Name: 'name', Email: 'email', Status: 'status', Group: 'group' },
  },
  {
    case: 'Post Affiliate Pro’s affiliates',
    headers: '!USERID,!REFID,USERNAME,FIRSTNAME,LASTNAME,RSTATUS',
    platform: 'Post Affiliate Pro',
    found: {
      '!REFID': 'slug',
      USERNAME: 'email',
      FIRSTNAME: 'firstName',
      LASTNAME: 'lastName',
      RSTATUS: 'status',
    },
  },
  {
    case: 'LeadDyno’s affiliates',
    headers:
      'email,first_name,last_name,affiliate_code,paypal_email,parent_affiliate,affiliate_type',
    platform: 'LeadDyno',
    found: {
      email: 'email',
      first_name: 'firstName',
      last_name: 'lastName',
      affiliate_code: 'slug',
    },
  },
  {
    case: 'Affonso’s affiliates',
    headers: 'Name,Email,Tracking Parameter,PayPal Email',
    platform: 'Affonso',
    found: { Name: 'name', Email: 'email', 'Tracking Parameter': 'slug' },
  },
  {
    case: 'Partnero’s partners',
    headers: 'Partner key,Name,Email,Status,Joining date',
    platform: 'Partnero',
    found: { 'Partner key': 'slug', Name: 'name', Email: 'email', Status: 'status' },
  },
  {
    case: 'PartnerStack’s partners, under headers of its own',
    headers:
      'Partner_first,Partner_last,Partner_email,partner_key,Partner_group,Partner_joined_date',
    platform: 'PartnerStack',
    found: {
      Partner_first: 'firstName',
      Partner_last: 'lastName',
      Partner_email: 'email',
      partner_key: 'slug',
      Partner_group: 'group',
    },
  },
  {
    case: 'Advocate’s users',
    headers: 'id,accountId,email,firstName,lastName,imageUrl',
    platform: 'impact.com Advocate',
    found: { email: 'email', firstName: 'firstName', lastName: 'lastName' },
  },
  {
    case: 'UpPromote’s affiliates, by their links',
    headers: 'first_name,last_name,email,affiliate_link',
    platform: null,
    found: {
      first_name: 'firstName',
      last_name: 'lastName',
      email: 'email',
      affiliate_link: 'slug',
    },
  },
  {
    case: 'an error file: its last column is never data',
    headers: 'email,slug,tributary_error',
    platform: null,
    found: { email: 'email', slug: 'slug' },
  },
])('$case', ({ headers, platform, found }) => {
  expect(recognise(headers.split(',')).platform).toBe(platform)
  expect(fields(headers)).toEqual(found)
})

test.each([
  'customer_id,email,name,status',
  'Customer ID,E-Mail,slug',
  'email,name,first_sale_at',
  'email,name,Subscription status',
  'email,referral_code,customer_id',
])('it is asked what the rows of %s are, and nothing is mapped before', (headers) => {
  const names = headers.split(',')
  const { rows, columns } = recognise(names)
  expect(rows).toBeNull()
  expect(imports(columns)).toEqual({ partners: false, customers: false })
  expect(warnings(names, { rows, columns, inCents: null }).blocking).toContain(
    'Choose what each row describes',
  )
})

test('the answer to what the rows are decides whose address and status the file has', () => {
  const of = (rows: RowKind) => recognise(['customer_id', 'email', 'name', 'status'], rows).columns
  expect(of('partners')).toEqual([null, 'email', 'name', 'status'])
  expect(of('customers')).toEqual(['customerExternalId', 'customerEmail', null, null])
  expect(of('both')).toEqual(['customerExternalId', 'email', 'name', null])
})

test('the format of a known platform is sure, and a partners file with counts of customers is one', () => {
  expect(recognise(['stripe_customer_id', 'email', 'first_name', 'token']).rows).toBe('both')
  expect(recognise(['email', 'slug', 'customers', 'sales', 'status']).rows).toBe('partners')
})

test.each(['First Name', 'first_name', 'firstName', ' FIRST-NAME '])(
  '"%s" is a first name',
  (header) => expect(headerKey(header)).toBe('firstname'),
)

test('of two equal headers, one is mapped and the other is left unmapped', () => {
  expect(recognise(['email', 'email']).columns).toEqual(['email', null])
})

test('mapping a column removes the field from its previous one', () => {
  expect(remap(['email', 'slug', null], 2, 'slug')).toEqual(['email', null, 'slug'])
  expect(remap(['email', 'slug'], 1, null)).toEqual(['email', null])
})

test.each([
  {
    case: 'what is recognised keeps its header',
    headers: ['E-Mail', 'Via', 'Notes'],
    columns: ['email', 'slug', null] as Columns,
    written: ['E-Mail', 'Via', 'Notes'],
  },
  {
    case: 'columns mapped by hand',
    headers: ['Wer', 'Kürzel', 'Rest'],
    columns: ['email', 'slug', null] as Columns,
    written: ['email', 'slug', 'Rest'],
  },
  {
    case: 'another column for a field, and one that is ignored',
    headers: ['email', 'slug', 'name', 'Kürzel'],
    columns: ['email', null, null, 'slug'] as Columns,
    written: ['email', 'slug (ignored)', 'name (ignored)', 'slug'],
  },
  {
    case: 'amounts in cents stay in cents',
    headers: ['email', 'Guthaben in Cents'],
    columns: ['email', 'openingBalance'] as Columns,
    written: ['email', 'opening_balance_cents'],
  },
  {
    case: 'a renamed header that identified the platform',
    headers: ['email', 'first_name', 'visitors', 'leads', 'conversions', 'stripe_customer_id'],
    columns: ['email', null, 'firstName', null, null, null] as Columns,
    written: ['email', 'first_name (ignored)', 'partner_first_name', 'leads (ignored)'].concat(
      'conversions (ignored)',
      'stripe_customer_id (ignored)',
    ),
  },
])('headers that will be recognised: $case', ({ headers, columns, written }) => {
  expect(
    headersFor(headers, { columns, inCents: columns.includes('openingBalance') || null }),
  ).toEqual(written)
})

const OF_CUSTOMERS = ['startedAt', 'priorCommissions', 'priorAmount', 'priorCurrency']

test('the headers written for any mapping are recognised as that mapping', () => {
  const known = PRESETS.flatMap(({ signs, columns }) => [
    ...signs.flat(),
    ...Object.values(columns).flat(),
  ])
  const header = fc.constantFrom('Column 1', 'Notes', '', ...known)
  const file = fc.record({
    // Includes whole exports, which are recognised as a platform.
    sign: fc.constantFrom<string[]>([], ...PRESETS.flatMap(({ signs }) => signs)),
    more: fc.array(header, { maxLength: 5 }),
    fields: fc.shuffledSubarray(Object.keys(FIELD_NAMES) as Field[]),
    gaps: fc.infiniteStream(fc.boolean()),
  })
  fc.assert(
    fc.property(file, ({ sign, more, fields, gaps }) => {
      const headers = [...sign, ...more]
      const isIgnored = gaps[Symbol.iterator]()
      const columns = headers.map((): Field | null =>
        isIgnored.next().value ? null : (fields.pop() ?? null),
      )
      fc.pre(Object.values(imports(columns)).includes(true))
      const found = recognise(headersFor(headers, { columns, inCents: false })).columns
      const changed = columns.filter((field, column) => field !== found[column])
      // Two fields are redundant, one with a partner email and one without, and what only customers
      // have, without a customer.
      const redundant = [
        'partnerEmail',
        'slug',
        ...(imports(columns).customers ? [] : OF_CUSTOMERS),
      ]
      expect(changed.filter((field) => !redundant.includes(`${field}`))).toEqual([])
      expect(imports(found)).toEqual(imports(columns))
    }),
    { seed: SEEDS[0], numRuns: 1_000 },
  )
})

test.each([
  { header: 'opening_balance_cents', cents: true },
  { header: 'Balance (minor units)', cents: true },
  { header: 'Balance (USD)', cents: false },
  { header: 'Balance', cents: null },
])('amounts under $header are cents: $cents', ({ header, cents }) => {
  expect(unitOf(header)).toBe(cents)
})

test.each([
  { columns: ['email', 'slug'] as const, partners: true, customers: false },
  { columns: ['email', 'customerExternalId'] as const, partners: true, customers: true },
  { columns: ['partnerEmail', 'customerEmail'] as const, partners: false, customers: true },
  { columns: ['partnerEmail'] as const, partners: false, customers: false },
])('$columns import partners: $partners, customers: $customers', ({ columns, ...feeds }) => {
  expect(imports([...columns])).toEqual(feeds)
})

test('amounts in two units block the import, as each would be read in the unit of the other', () => {
  const blocking = (balance: string, prior: string, inCents: boolean) =>
    warnings(['email', balance, 'customer_id', prior], {
      rows: 'both',
      columns: ['email', 'openingBalance', 'customerExternalId', 'priorAmount'],
      inCents,
    }).blocking
  expect(blocking('balance_usd', 'commission_cents', false)).toContain('different units')
  expect(blocking('balance', 'commission_cents', false)).toContain('different units')
  expect(blocking('balance', 'commission_cents', true)).toBeNull()
  expect(blocking('balance_cents', 'commission', true)).toBeNull()
})

test('missing columns give advice, and a missing partner email blocks the import', () => {
  const said = (columns: Columns) =>
    warnings(['Mail', 'Code', 'Buyer'], { rows: 'both', columns, inCents: null })
  expect(said(['email', 'slug'])).toEqual({ blocking: null, advice: [] })
  expect(said(['slug']).blocking).toContain('partner’s email address')
  expect(said(['email', 'couponLabel', 'customerEmail']).advice).toEqual([
    expect.stringContaining('slugs or links'),
    expect.stringContaining('IDs'),
    expect.stringContaining(
      '“Code” is ignored, because a coupon is identified by its ID in the payment processor',
    ),
  ])
})
