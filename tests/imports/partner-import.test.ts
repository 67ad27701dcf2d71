import { expect, test } from 'vitest'
import {
  type BadPartnerRow,
  decidePartnerImport,
  type PartnerImportFacts,
  type PartnerRow,
} from '../../lib/imports/partners/partner-import.ts'

const NOBODY: PartnerImportFacts = {
  partners: new Map(),
  slugOwners: new Map(),
  couponOwners: new Map(),
  balancesElsewhere: new Map(),
  unowed: new Map(),
  groups: new Map(),
}
const row = (email: string, changes: Partial<PartnerRow> = {}): PartnerRow => ({
  email,
  name: null,
  slug: null,
  otherSlugs: [],
  coupon: null,
  openingBalanceCents: 0,
  formerLink: null,
  group: null,
  ...changes,
})
const bad: BadPartnerRow = { email: 'bad', code: 'email_invalid', message: 'Correct it.' }
const coupon = (id: string) => ({ coupon: { id, label: null } })

/** Counts up, so that a test can say what comes out. */
const counter = () => {
  let count = 0
  return () => String(++count).padStart(4, '0')
}
const decide = (rows: (PartnerRow | BadPartnerRow)[], facts: Partial<PartnerImportFacts> = {}) =>
  decidePartnerImport(rows, { ...NOBODY, ...facts }, counter())

test.each([
  {
    case: 'a free slug is kept exactly',
    rows: [row('a@x', { slug: 'Maya_B.2' })],
    slugs: ['Maya_B.2'],
    renamed: 0,
  },
  {
    case: 'a slug taken in the program gets a suffix, case-insensitively',
    rows: [row('a@x', { slug: 'MAYA' })],
    taken: ['maya'],
    slugs: ['MAYA-0001'],
    renamed: 1,
  },
  {
    case: 'the first of two rows with the same slug keeps it',
    rows: [row('a@x', { slug: 'maya' }), row('b@x', { slug: 'Maya' })],
    slugs: ['maya', 'Maya-0001'],
    renamed: 1,
  },
  {
    case: 'a suffixed slug of another row is skipped',
    rows: [
      row('a@x', { slug: 'maya-0001' }),
      row('b@x', { slug: 'maya' }),
      row('c@x', { slug: 'maya' }),
    ],
    slugs: ['maya-0001', 'maya', 'maya-0002'],
    renamed: 1,
  },
  {
    case: 'a missing slug is generated from the name, else from the address',
    rows: [row('zoe.l@x', { name: 'Zoë Lind' }), row('zoe.l2@x')],
    slugs: ['zoe-lind', 'zoe-l2'],
    renamed: 0,
  },
  {
    case: 'a generated slug that is taken gets a suffix, and is not reported as renamed',
    rows: [row('maya@x')],
    taken: ['maya'],
    slugs: ['maya-0001'],
    renamed: 0,
  },
  {
    case: 'a slug that a later row requests is not generated for an earlier one',
    rows: [row('maya@x'), row('b@x', { slug: 'maya' })],
    slugs: ['maya-0001', 'maya'],
    renamed: 0,
  },
  {
    case: 'rows that create no partner reserve no slug',
    rows: [
      bad,
      row('old@x', { slug: 'maya' }),
      row('a@x', { slug: 'maya' }),
      row('a@x', { slug: 'leo' }),
      row('b@x', { slug: 'leo' }),
    ],
    known: [['old@x', 'old']] as const,
    slugs: ['', 'old', 'maya', 'maya', 'leo'],
    renamed: 0,
  },
])('$case', ({ rows, taken = [], known = [], slugs, renamed }) => {
  const { results, summary } = decide(rows, {
    slugOwners: new Map(taken.map((key) => [key, key])),
    partners: new Map(known),
  })
  expect(results.map(({ slug }) => slug)).toEqual(slugs)
  expect(summary.slugsRenamed).toBe(renamed)
  expect(results.filter(({ requestedSlug }) => requestedSlug).length).toBe(renamed)
})

test('a partner keeps all slugs of its row that nobody else has, of which main ones come first, and generated ones last', () => {
  const { newPartners, results } = decide(
    [
      row('a@x', { slug: 'maya', otherSlugs: ['Leo', 'maya-youtube', 'taken'] }),
      row('leo@x', { slug: 'leo', otherSlugs: ['maya-youtube', 'leo-2', 'ida'] }),
      row('ida@x'),
    ],
    { slugOwners: new Map([['taken', 'somebody']]) },
  )
  expect(newPartners.map(({ slug, otherSlugs }) => [slug, otherSlugs])).toEqual([
    ['maya', ['maya-youtube']],
    ['leo', ['leo-2', 'ida']],
    ['ida-0001', []],
  ])
  expect(results.map(({ slugsNotKept }) => slugsNotKept)).toEqual([
    ['Leo', 'taken'],
    ['maya-youtube'],
    undefined,
  ])
})

test('of an existing partner, the slugs that are not among its own are not kept', () => {
  const { results } = decide(
    [
      row('old@x', { slug: 'OLD-2', otherSlugs: ['old', 'old-3', 'leo'] }),
      row('a@x', { slug: 'a', otherSlugs: ['a-2'] }),
      row('a@x', { slug: 'A-2', otherSlugs: ['a-3'] }),
    ],
    {
      partners: new Map([['old@x', 'old']]),
      slugOwners: new Map([
        ['old', 'old'],
        ['old-2', 'old'],
        ['leo', 'leo'],
      ]),
    },
  )
  expect(results.map(({ status, slugsNotKept }) => [status, slugsNotKept])).toEqual([
    ['skipped_existing', ['old-3', 'leo']],
    ['created', undefined],
    ['skipped_existing', ['a-3']],
  ])
})

test('existing and duplicate partners are skipped, invalid rows are errors, the rest is created', () => {
  const { newPartners, results, summary } = decide([row('old@x'), row('a@x'), row('a@x'), bad], {
    partners: new Map([['old@x', 'oldie']]),
  })
  expect(results).toEqual([
    { email: 'old@x', status: 'skipped_existing', slug: 'oldie', couponMapped: false },
    { email: 'a@x', status: 'created', slug: 'a', couponMapped: false },
    { email: 'a@x', status: 'skipped_existing', slug: 'a', couponMapped: false },
    {
      email: 'bad',
      status: 'error',
      slug: '',
      couponMapped: false,
      code: 'email_invalid',
      message: 'Correct it.',
    },
  ])
  expect(summary).toEqual({
    created: 1,
    skippedExisting: 2,
    errors: 1,
    slugsRenamed: 0,
    couponsMapped: 0,
  })
  expect(newPartners.map(({ email }) => email)).toEqual(['a@x'])
})

test('a coupon goes to the first partner created with it, and to none when it is taken', () => {
  const { newPartners, results, summary } = decide(
    [
      row('old@x', coupon('FREE')),
      row('a@x', coupon('FREE')),
      row('b@x', coupon('FREE')),
      row('c@x', coupon('TAKEN')),
      row('d@x', coupon('free')),
    ],
    { partners: new Map([['old@x', 'old']]), couponOwners: new Map([['TAKEN', 'leo']]) },
  )
  expect(results.map(({ couponMapped, code }) => code ?? couponMapped)).toEqual([
    'coupon_not_added',
    true,
    'coupon_taken',
    'coupon_taken',
    true,
  ])
  expect(results.map(({ status }) => status)).toEqual([
    'skipped_existing',
    ...Array(4).fill('created'),
  ])
  expect(summary.couponsMapped).toBe(2)
  expect(newPartners.map((partner) => partner.coupon?.id ?? null)).toEqual([
    'FREE',
    null,
    null,
    'free',
  ])
})

test('of an existing partner, a coupon that is not its own is not added, and named', () => {
  const { results } = decide(
    [
      row('old@x', coupon('OWN')),
      row('old@x', coupon('NEW')),
      row('old@x', coupon('TAKEN')),
      row('old@x', coupon('ELSEWHERE')),
    ],
    {
      partners: new Map([['old@x', 'old']]),
      couponOwners: new Map([
        ['OWN', 'old'],
        ['TAKEN', 'leo'],
        ['ELSEWHERE', ''],
      ]),
    },
  )
  expect(results.map(({ code }) => code)).toEqual([
    undefined,
    'coupon_not_added',
    'coupon_taken',
    'coupon_taken',
  ])
})

test('an opening balance in another program is warned about once per address, with the sum', () => {
  const balancesElsewhere = new Map([
    ['a@x', 120_050],
    ['b@x', 1_000],
  ])
  const owed = { openingBalanceCents: 500 }
  const { warnings, summary } = decide(
    [row('a@x', owed), row('a@x', owed), row('b@x', owed), bad],
    {
      balancesElsewhere,
    },
  )
  expect(warnings).toEqual([
    {
      code: 'balance_in_another_program',
      count: 2,
      amountCents: 121_050,
      currency: 'USD',
      message:
        '2 partners have opening balances in other programs of this workspace too, 1,210.50 USD in total. Each balance is payable.',
    },
  ])
  expect(summary).toMatchObject({ created: 2, errors: 1 })
  expect(decide([row('c@x', owed)]).warnings).toEqual([])
  expect(decide([row('a@x'), row('a@x', owed)], { balancesElsewhere }).warnings).toMatchObject([
    { count: 1 },
  ])
})
