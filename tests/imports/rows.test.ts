import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PartnerImportRow } from '../../lib/imports/imports.schemas.ts'
import {
  readCustomerRow,
  readPartnerRow,
  readPlainPartnerRow,
} from '../../lib/imports/rows.schemas.ts'
import { SEEDS } from '../support/thorough.ts'

const MAYA = 'maya@partner.example'
const NOW = new Date('2026-11-21T12:00:00Z')
const PROGRAM = '01a1fbd2-bd8a-7608-80e9-4f4be3e9c95e'

describe('a row of a partner import', () => {
  test.each([
    {
      case: 'with all fields',
      row: {
        email: ' Ann@X.example ',
        name: ' Ann\n Other ',
        slug: ' Ann_B/2 ',
        couponId: ' C ',
        couponLabel: ' Friends ',
        openingBalanceCents: 5,
      },
      read: {
        name: 'Ann Other',
        slug: 'Ann_B/2',
        coupon: { id: 'C', label: 'Friends' },
        openingBalanceCents: 5,
      },
    },
    {
      case: 'with nulls',
      row: {
        email: 'ann@x.example',
        name: null,
        slug: null,
        couponId: null,
        couponLabel: null,
        openingBalanceCents: null,
      },
      read: {},
    },
    {
      case: 'with empty cells',
      row: { email: 'ann@x.example', name: ' ', slug: '', couponId: '\t', couponLabel: '' },
      read: {},
    },
    {
      case: 'with a label alone',
      row: { email: 'ann@x.example', couponLabel: 'Friends' },
      read: {},
    },
    {
      case: 'with unknown fields',
      row: { email: 'ann@x.example', status: 'banned', id: 1 },
      read: {},
    },
    {
      case: 'with a slug of 255 characters',
      row: { email: 'ann@x.example', slug: '客'.repeat(255) },
      read: { slug: '客'.repeat(255) },
    },
    {
      case: 'with further slugs, each once',
      row: { email: 'ann@x.example', slug: 'ann', slugs: [' Ann-2', 'ANN', '', 'ann-2', 'zoë'] },
      read: { slug: 'ann', otherSlugs: ['Ann-2', 'zoë'] },
    },
    {
      case: 'without a main slug, of which the first further one is',
      row: { email: 'ann@x.example', slug: '', slugs: ['ann-1', 'ann-2'] },
      read: { slug: 'ann-1', otherSlugs: ['ann-2'] },
    },
    { case: 'with no further slugs', row: { email: 'ann@x.example', slugs: [] }, read: {} },
    {
      case: 'with the largest balance',
      row: { email: 'ann@x.example', openingBalanceCents: 99_999_999_999_999 },
      read: { openingBalanceCents: 99_999_999_999_999 },
    },
  ])('$case is read', ({ row, read }) => {
    const nothing = {
      name: null,
      slug: null,
      otherSlugs: [],
      coupon: null,
      openingBalanceCents: 0,
      formerLink: null,
      group: null,
    }
    expect(readPartnerRow(row, true)).toEqual({ email: 'ann@x.example', ...nothing, ...read })
  })

  test.each([
    { case: 'no email', row: { name: 'Ann' }, code: 'email_invalid' },
    { case: 'an email without @', row: { email: 'ann' }, code: 'email_invalid' },
    { case: 'an email with a space', row: { email: 'an n@x.example' }, code: 'email_invalid' },
    {
      case: 'an email with a line break',
      row: { email: 'ann@x.example\r\nBcc: all@x.example' },
      code: 'email_invalid',
    },
    { case: 'two addresses', row: { email: 'ann@x.example,bob@x.example' }, code: 'email_invalid' },
    {
      case: 'an email of 321 characters',
      row: { email: `${'x'.repeat(311)}@x.example` },
      code: 'email_invalid',
    },
    { case: 'an email that is a number', row: { email: 5 }, code: 'email_invalid' },
    { case: 'null', row: null, code: 'email_invalid' },
    { case: 'a string', row: 'ann@x.example', code: 'email_invalid' },
    { case: 'an array', row: ['ann@x.example'], code: 'email_invalid' },
    { case: 'a name that is a number', row: { email: 'a@x', name: 5 }, code: 'name_invalid' },
    {
      case: 'a name of 256 characters',
      row: { email: 'a@x', name: 'x'.repeat(256) },
      code: 'name_invalid',
    },
    {
      case: 'a slug of 256 characters',
      row: { email: 'a@x', slug: 'x'.repeat(256) },
      code: 'slug_invalid',
    },
    {
      case: 'a slug with a control character',
      row: { email: 'a@x', slug: 'a\u0007b' },
      code: 'slug_invalid',
    },
    {
      case: 'a further slug with a line break',
      row: { email: 'a@x', slugs: ['a\nb'] },
      code: 'slug_invalid',
    },
    {
      case: 'further slugs that are no list',
      row: { email: 'a@x', slugs: 'a' },
      code: 'slug_invalid',
    },
    {
      case: '101 further slugs',
      row: { email: 'a@x', slugs: Array(101).fill('a') },
      code: 'slug_invalid',
    },
    { case: 'a slug that is an object', row: { email: 'a@x', slug: {} }, code: 'slug_invalid' },
    {
      case: 'a coupon of 256 characters',
      row: { email: 'a@x', couponId: 'x'.repeat(256) },
      code: 'coupon_invalid',
    },
    {
      case: 'a label that is true',
      row: { email: 'a@x', couponId: 'C', couponLabel: true },
      code: 'coupon_invalid',
    },
    ...[-1, 1.5, '100', 100_000_000_000_000, 1e300, true].map((openingBalanceCents) => ({
      case: `a balance of ${JSON.stringify(openingBalanceCents)}`,
      row: { email: 'a@x', openingBalanceCents },
      code: 'opening_balance_invalid',
    })),
  ])('$case is $code', ({ row, code }) => {
    expect(readPartnerRow(row, true)).toEqual({
      email: expect.any(String),
      code,
      message: expect.any(String),
    })
  })

  test.each([-1, 'a lot', {}, 1e300])(
    'a balance of %s is nothing when balances are not imported',
    (openingBalanceCents) => {
      expect(readPartnerRow({ email: 'a@x', openingBalanceCents }, false)).toMatchObject({
        email: 'a@x',
        openingBalanceCents: 0,
        formerLink: null,
        group: null,
      })
    },
  )

  test('an invalid row keeps its email address', () => {
    expect(readPartnerRow({ email: ' Ann@X.example', name: 5 }, true).email).toBe('ann@x.example')
  })
})

describe('a row of a customer import', () => {
  test.each([
    {
      case: 'an id at the payment processor is kept exactly',
      row: { customerExternalId: ' cus_A 1 ' },
      read: { customerExternalId: 'cus_A 1', customerEmail: null },
    },
    {
      case: 'an @ alone is not an address',
      row: { customerExternalId: '@Ann' },
      read: { customerExternalId: '@Ann', customerEmail: null },
    },
    {
      case: 'an id that is an email address is used as both',
      row: { customerExternalId: ' Ann@X.example' },
      read: { customerExternalId: 'Ann@X.example', customerEmail: 'ann@x.example' },
    },
    {
      case: 'customerEmail takes precedence over the id',
      row: { customerExternalId: 'ann@x.example', customerEmail: 'New@x.example' },
      read: { customerExternalId: 'ann@x.example', customerEmail: 'new@x.example' },
    },
    {
      case: 'a date is midnight UTC',
      row: { customerExternalId: 'c', startedAt: '2025-01-31' },
      read: { startedAt: new Date('2025-01-31T00:00:00Z') },
    },
    {
      case: 'a time without an offset is in UTC',
      row: { customerExternalId: 'c', startedAt: '2025-01-31T10:30:00' },
      read: { startedAt: new Date('2025-01-31T10:30:00Z') },
    },
    {
      case: 'a time may have an offset',
      row: { customerExternalId: 'c', startedAt: '2025-01-31T10:30:00.5-05:00' },
      read: { startedAt: new Date('2025-01-31T15:30:00.500Z') },
    },
    {
      case: 'the current time is accepted',
      row: { customerExternalId: 'c', startedAt: NOW.toISOString() },
      read: { startedAt: NOW },
    },
    {
      case: 'a time of a zone that is ahead of UTC, without its name',
      row: {
        customerExternalId: 'c',
        startedAt: new Date(NOW.getTime() + 14 * 3_600_000).toISOString(),
      },
      read: { startedAt: NOW },
    },
    {
      case: 'the row’s programId takes precedence',
      row: { customerExternalId: 'c', programId: '01A1FBD2-BD8A-7608-80E9-4F4BE3E9C95F' },
      read: { programId: '01a1fbd2-bd8a-7608-80e9-4f4be3e9c95f' },
    },
    {
      case: 'empty cells are null',
      row: { customerExternalId: 'c', customerEmail: ' ', startedAt: '', programId: null },
      read: { customerEmail: null, startedAt: null, programId: PROGRAM },
    },
  ])('$case', ({ row, read }) => {
    expect(
      readCustomerRow({ partnerEmail: ` ${MAYA.toUpperCase()}`, ...row }, PROGRAM, NOW),
    ).toMatchObject({
      partnerEmail: MAYA,
      ...read,
    })
  })

  test.each([
    { case: 'no customer', row: { partnerEmail: MAYA }, code: 'customer_id_invalid' },
    {
      case: 'an empty id',
      row: { customerExternalId: ' ', partnerEmail: MAYA },
      code: 'customer_id_invalid',
    },
    {
      case: 'an id of 256 characters',
      row: { customerExternalId: 'x'.repeat(256), partnerEmail: MAYA },
      code: 'customer_id_invalid',
    },
    {
      case: 'an id that is a number',
      row: { customerExternalId: 7, partnerEmail: MAYA },
      code: 'customer_id_invalid',
    },
    { case: 'null', row: null, code: 'customer_id_invalid' },
    { case: 'a string', row: 'cus_1', code: 'customer_id_invalid' },
    {
      case: 'an invalid customerEmail',
      row: { customerExternalId: 'c', customerEmail: 'ann', partnerEmail: MAYA },
      code: 'customer_email_invalid',
    },
    { case: 'no partner', row: { customerExternalId: 'c' }, code: 'partner_email_invalid' },
    {
      case: 'an invalid partnerEmail',
      row: { customerExternalId: 'c', partnerEmail: 'maya' },
      code: 'partner_email_invalid',
    },
    {
      case: 'a programId that is a number',
      row: { customerExternalId: 'c', partnerEmail: MAYA, programId: 1 },
      code: 'program_not_found',
    },
    ...[
      'tomorrow',
      '2025-02-30',
      '31/01/2025',
      '0000-01-01',
      '2026-11-23',
      '2026-11-22T02:00:01',
      '1899-12-31',
      '9999-12-31',
      20_250_131,
    ].map((startedAt) => ({
      case: `startedAt ${startedAt}`,
      row: { customerExternalId: 'c', partnerEmail: MAYA, startedAt },
      code: 'started_at_invalid',
    })),
  ])('$case is $code', ({ row, code }) => {
    expect(readCustomerRow(row, null, NOW)).toEqual({
      customerExternalId: expect.any(String),
      partnerEmail: expect.any(String),
      code,
      message: expect.any(String),
    })
  })
})

describe('plain rows, which are read without the schema', () => {
  const row = {
    email: 'ann@x.example',
    name: 'Ann B.',
    slug: 'Ann_B',
    couponId: 'C-1',
    couponLabel: 'ANN',
  }

  test('a row of ASCII with single spaces is one', () => {
    expect(readPlainPartnerRow({ ...row, unknown: 1 }, true)).toEqual({
      email: 'ann@x.example',
      name: 'Ann B.',
      slug: 'Ann_B',
      otherSlugs: [],
      coupon: { id: 'C-1', label: 'ANN' },
      openingBalanceCents: 0,
      formerLink: null,
      group: null,
    })
  })

  test.each([
    { case: 'an address in upper case', email: 'Ann@x.example' },
    { case: 'a long text', name: 'x'.repeat(256) },
    { case: 'a space too many', name: 'Ann  B.' },
    { case: 'a letter beyond ASCII', slug: 'zoë' },
    { case: 'a blank slug', slug: '' },
    { case: 'a fraction of a cent', openingBalanceCents: 0.5 },
    { case: 'a negative balance', openingBalanceCents: -1 },
    { case: 'a former link that is none', formerLink: 'maya' },
    { case: 'a number as name', name: 5 },
  ])('a row with $case is left to the schema', ({ case: _, ...changes }) => {
    expect(readPlainPartnerRow({ ...row, ...changes }, true)).toBeNull()
  })

  test('the schema reads each of them the same', () => {
    const text = fc.oneof(
      fc.string({
        unit: fc.constantFrom('a', 'B', '1', '.', '-', ' ', '@', 'é', '\t', '\n', '\u00ad', '"'),
      }),
      fc.constantFrom(
        'ann@x.example',
        'a@b.co.uk',
        'a.@-.x',
        'ann',
        null,
        undefined,
        7,
        [],
        'x'.repeat(256),
      ),
    )
    const cents = fc.oneof(
      fc.integer(),
      fc.double(),
      fc.constantFrom('1', null, undefined, 99_999_999_999_999),
    )
    const rows = fc.record({
      email: fc.oneof(
        text,
        fc.tuple(text, text).map(([a, b]) => `${a}@${b}.example`),
      ),
      name: text,
      slug: text,
      couponId: text,
      couponLabel: text,
      group: text,
      openingBalanceCents: cents,
      formerLink: fc.oneof(
        text,
        text.map((end) => `https://shop.example/?ref=${end}`),
      ),
    })
    fc.assert(
      fc.property(rows, (input) => {
        const plain = readPlainPartnerRow(input, true)
        if (!plain) return
        const read = PartnerImportRow.parse(input)
        expect(plain).toEqual({
          email: read.email,
          name: read.name ?? null,
          slug: read.slug ?? null,
          otherSlugs: [],
          coupon: read.couponId ? { id: read.couponId, label: read.couponLabel ?? null } : null,
          openingBalanceCents: read.openingBalanceCents ?? 0,
          formerLink: read.formerLink ?? null,
          group: read.group ?? null,
        })
      }),
      { seed: SEEDS[0], numRuns: 2_000 },
    )
  })
})
