import { expect, test } from 'vitest'
import { errorCsv, failureGroups } from '../../../islands/import/rules/failures.ts'
import { expectNewPartners, type Outcomes } from '../../../islands/import/rules/outcomes.ts'
import type { Columns } from '../../../islands/import/rules/reading/columns.ts'
import type { FileCustomer, FilePartner } from '../../../islands/import/rules/reading/records.ts'
import { brokenLinks, effects, offer, summary } from '../../../islands/import/rules/report.ts'
import type { CustomerResult } from '../../../lib/imports/customers/customer-import.ts'
import type { PartnerResult } from '../../../lib/imports/partners/partner-import.ts'

const partner = (
  result: Partial<PartnerResult> | null,
  row: Partial<FilePartner> = {},
): Outcomes['partners'][0] => ({
  row: {
    email: 'maya@example.com',
    balanceProblem: null,
    otherSlugs: [],
    otherCoupons: [],
    lines: [2],
    problem: null,
    ...row,
  },
  result: result && {
    email: row.email ?? 'maya@example.com',
    status: 'created',
    slug: '',
    couponMapped: false,
    ...result,
  },
})

const customer = (
  result: Partial<CustomerResult> | null,
  row: Partial<FileCustomer> = {},
): Outcomes['customers'][0] => {
  const own = {
    customerExternalId: 'cus_1',
    partnerEmail: 'maya@example.com',
    lines: [2],
    problem: null,
    ...row,
  }
  return { row: own, result: result && { ...own, status: 'created', ...result } }
}

const NEW = { slug: 'maya' }
const HERE: Partial<PartnerResult> = { status: 'skipped_existing', slug: 'maya' }
const EMPTY_EMAIL = { code: 'email_invalid', message: 'No address.' }
const NOT_USD = { code: 'balance_not_usd', message: 'In EUR.' }
const DRY = { dryRun: true, withBalances: false }

test.each([
  {
    case: 'everything at once',
    partners: [
      ...Array.from({ length: 412 }, (_, n) =>
        partner({ slug: `s${n}`, ...(n < 4 && { requestedSlug: 'x' }) }),
      ),
      ...Array.from({ length: 31 }, () => partner(HERE)),
      partner({ status: 'error', code: 'slug_invalid' }),
      partner(null, { problem: EMPTY_EMAIL }),
    ],
    says: '412 new, 31 existing, 4 slugs renamed, 2 rows with errors',
  },
  {
    case: 'one of each',
    partners: [partner({ ...NEW, requestedSlug: 'x', couponMapped: true })],
    says: '1 new, 1 slug renamed, 1 coupon linked',
  },
  { case: 'nothing new', partners: [partner(HERE)], says: '0 new, 1 existing' },
  {
    case: 'thousands',
    partners: Array.from({ length: 1_234 }, () => partner(NEW)),
    says: '1,234 new',
  },
  { case: 'no partners', partners: [], says: null },
])('$case: $says', ({ partners, says }) => {
  expect(summary({ partners, customers: [] }, DRY).partners).toBe(says)
})

test('the summary of an import is in the past tense', () => {
  const outcomes = {
    partners: [partner(NEW)],
    customers: [
      customer({}),
      customer({ status: 'updated' }),
      customer({ status: 'updated', ownerEmail: 'leo@example.com' }),
      customer({ status: 'unchanged' }),
    ],
  }
  expect(summary(outcomes, { dryRun: false, withBalances: false })).toEqual({
    partners: '1 imported',
    customers: '1 imported, 2 updated, 1 of these moved from another partner, 1 unchanged',
  })
})

test.each([
  {
    case: 'a slug that somebody has',
    result: { slug: 'maya-x7', requestedSlug: 'maya' },
    row: { slug: 'maya' },
    links: [['maya', 'maya-x7', 'taken']],
  },
  {
    case: 'a partner who is here under another slug',
    result: { ...HERE, slug: 'lind', slugsNotKept: ['maya'] },
    row: { slug: 'maya' },
    links: [['maya', 'lind', 'already_here']],
  },
  {
    case: 'a further link that somebody has',
    result: { ...NEW, slugsNotKept: ['maya-2'] },
    row: { slug: 'maya', otherSlugs: ['maya-2', 'maya-3'] },
    links: [['maya-2', 'maya', 'taken']],
  },
  {
    case: 'a slug that is a further link of the partner who is here',
    result: { ...HERE, slug: 'lind' },
    row: { slug: 'maya' },
    links: [],
  },
  {
    case: 'a slug in other letters still works',
    result: { slug: 'maya' },
    row: { slug: 'Maya' },
    links: [],
  },
  {
    case: 'a slug that nobody asked for breaks nothing',
    result: { slug: 'maya-x7' },
    row: {},
    links: [],
  },
  {
    case: 'a row with an error has no link',
    result: { status: 'error' as const },
    row: { slug: 'maya' },
    links: [],
  },
])('$case', ({ result, row, links }) => {
  const found = brokenLinks({ partners: [partner(result, row)], customers: [] }, false)
  expect(found.map(({ from, to, why }) => [from, to, why])).toEqual(links)
})

test.each([
  {
    case: 'both chosen',
    chosen: { mails: true, balances: true },
    mails: 'Sends 2 emails.',
    balances:
      'Creates 8,120.00 USD payable now. 50.00 USD of existing partners is not imported. 1 row with an invalid balance will not be imported.',
  },
  {
    case: 'neither',
    chosen: { mails: false, balances: false },
    mails: 'Would send 3 emails.',
    balances:
      'Would create 8,120.00 USD payable now. 50.00 USD of existing partners is not imported. 1 row with an invalid balance would not be imported.',
  },
])('$case', ({ chosen, mails, balances }) => {
  const partners = [
    partner(NEW, { openingBalanceCents: 812_000 }),
    partner(NEW),
    partner(NEW, { balanceProblem: NOT_USD }),
    partner(HERE, { openingBalanceCents: 5_000 }),
    partner({ status: 'error' }, { openingBalanceCents: 1 }),
  ]
  expect(effects({ partners, customers: [] }, chosen)).toEqual({ mails, balances })
})

test('errors are grouped by remedy, most frequent first', () => {
  const outcomes = {
    partners: [
      partner({ status: 'error', code: 'slug_invalid', message: 'Bad slug.' }, { lines: [2, 3] }),
      partner(
        { ...NEW, code: 'coupon_taken', couponMapped: false, message: 'Leo has it.' },
        { lines: [4] },
      ),
      partner(NEW, { balanceProblem: NOT_USD, lines: [5] }),
    ],
    customers: [6, 7].map((line) =>
      customer(
        { status: 'partner_not_found', message: 'Unknown.' },
        { lines: [line], partnerEmail: 'x@example.com' },
      ),
    ),
  }
  expect(
    failureGroups(outcomes, { withBalances: true }).map(({ code, failures }) => [
      code,
      failures.length,
    ]),
  ).toEqual([
    ['partner_not_found', 2],
    ['slug_invalid', 1],
    ['balance_not_usd', 1],
    ['coupon_taken', 1],
  ])
  expect(failureGroups(outcomes, { withBalances: false }).map(({ code }) => code)).not.toContain(
    'balance_not_usd',
  )
  expect(failureGroups(outcomes, { withBalances: false })[0]?.remedy).toContain(
    'Import the partners',
  )
})

test('a customer whose partner failed in the same file needs no fix of its own', () => {
  const outcomes = {
    partners: [partner({ status: 'error', code: 'slug_invalid' }, { email: 'bad@example.com' })],
    customers: ['bad@example.com', 'unknown@example.com'].map((partnerEmail) =>
      customer({ status: 'partner_not_found' }, { partnerEmail }),
    ),
  }
  expect(failureGroups(outcomes, { withBalances: false }).map(({ code }) => code)).toEqual([
    'slug_invalid',
    'partner_failed',
    'partner_not_found',
  ])
})

test('the error file has the failed lines unchanged, with the reason in one last column, escaped for spreadsheets', () => {
  const records = [
    { line: 2, cells: ['maya@example.com', '=1+1', 'old reason'] },
    { line: 3, cells: ['fine@example.com', 'fine', ''] },
    { line: 4, cells: ['a "b"', 'x,y', ''] },
    { line: 5, cells: ['short@example.com'] },
  ]
  const outcomes = {
    partners: [
      partner({ status: 'error', code: 'slug_invalid', message: '=Bad.' }),
      partner(null, { problem: EMPTY_EMAIL, lines: [4, 5] }),
    ],
    customers: [
      customer(
        { status: 'partner_not_found', message: 'Unknown.' },
        { lines: [2], partnerEmail: 'x@example.com' },
      ),
    ],
  }
  const columns: Columns = ['email', 'slug', null]
  expect(
    errorCsv(
      {
        headers: ['email', 'slug', 'Tributary Error'],
        records,
        columns,
        inCents: null,
        zone: 'UTC',
      },
      outcomes,
      false,
    ),
  ).toBe(
    '\ufeff"email","slug","tributary_error"\r\n' +
      `"maya@example.com","'=1+1","'=Bad. Unknown."\r\n` +
      '"a ""b""","x,y","No address."\r\n' +
      '"short@example.com","","No address."\r\n',
  )
})

test.each([
  {
    case: 'the order of the days is known from the whole file',
    date: '03/04/2025',
    written: '2025-04-03',
  },
  { case: 'a date that can’t be read', date: 'soon', written: 'soon' },
  { case: 'no date', date: '', written: '' },
])('the error file has unambiguous dates: $case', ({ date, written }) => {
  const records = [
    { line: 2, cells: ['maya@example.com', 'cus_1', date] },
    { line: 3, cells: ['leo@example.com', 'cus_2', '31/01/2025'] },
  ]
  const columns: Columns = ['partnerEmail', 'customerExternalId', 'startedAt']
  const headers = ['partner_email', 'customer_id', 'Seit']
  const outcomes = {
    partners: [],
    customers: [customer({ status: 'partner_not_found', message: 'Unknown.' })],
  }
  expect(errorCsv({ headers, records, columns, inCents: null, zone: 'UTC' }, outcomes, false)).toBe(
    `\ufeff"partner_email","customer_id","started_at","tributary_error"\r\n"maya@example.com","cus_1","${written}","Unknown."\r\n`,
  )
})

test.each([
  {
    case: 'new partners and customers',
    partners: [partner(NEW), partner(NEW), partner(HERE), partner({ status: 'error' })],
    customers: [customer({}), customer({ status: 'updated' }), customer({ status: 'unchanged' })],
    says: 'Import 2 new partners and 2 customers into Pine & Co',
  },
  { case: 'one partner', partners: [partner(NEW)], says: 'Import 1 new partner into Pine & Co' },
  { case: 'customers alone', customers: [customer({})], says: 'Import 1 customer into Pine & Co' },
  {
    case: 'nothing new',
    partners: [partner(HERE)],
    customers: [customer({ status: 'unchanged' })],
    says: 'Import 2 rows into Pine & Co again',
  },
  {
    case: 'a balance that can’t be paid',
    partners: [partner(NEW, { balanceProblem: NOT_USD })],
    says: null,
  },
  { case: 'errors alone', partners: [partner({ status: 'error' })], says: null },
])('the import button names its effect: $case', ({ partners = [], customers = [], says }) => {
  expect(offer({ partners, customers }, { programName: 'Pine & Co', withBalances: true })).toBe(
    says,
  )
})

test('a dry run of customers counts partners that the same file will create', () => {
  const missing: Partial<CustomerResult> = {
    status: 'partner_not_found',
    code: 'partner_not_found',
  }
  const outcomes = {
    partners: [
      partner(NEW),
      partner({ status: 'error' }, { email: 'bad@example.com' }),
      partner(NEW, { email: 'euro@example.com', balanceProblem: NOT_USD }),
    ],
    customers: ['maya@example.com', 'bad@example.com', 'euro@example.com'].map((partnerEmail) =>
      customer(missing, { partnerEmail }),
    ),
  }
  const statuses = (withBalances: boolean) =>
    expectNewPartners(outcomes, withBalances).customers.map(({ result }) => result?.status)
  expect(statuses(false)).toEqual(['created', 'partner_not_found', 'created'])
  const owned = {
    ...outcomes,
    customers: [customer({ ...missing, ownerEmail: 'leo@example.com' })],
  }
  expect(expectNewPartners(owned, false).customers[0]?.result?.status).toBe('updated')
  expect(statuses(true)).toEqual(['created', 'partner_not_found', 'partner_not_found'])
})
