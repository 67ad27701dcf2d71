// @module-tag thorough
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { FILES } from './import/files.ts'
import { checkFile, choose, press, service, step, text, useImportPage } from './visit.ts'

useImportPage()

/** An export of a platform, from tests/fixtures/exports. */
const fixture = (name: string) => readFile(new URL(`../fixtures/exports/${name}`, import.meta.url))

const EXPORTS: {
  platform: string
  trap: string
  file: string
  says: string
  partners: Record<string, (string | number)[]>
  customers: Record<string, string>
}[] = [
  {
    platform: 'Rewardful',
    trap: 'a row per customer, a byte order mark, formulas',
    file: 'rewardful.csv',
    says: 'Partners 6 imported. Customers 7 imported.',
    partners: {
      'maya@example.com': ['Maya Lindqvist', 'maya'],
      'jose@example.com': ['José Núñez', 'jose-n'],
      'pat@example.com': ['O"Neil, Pat Ó Briain', 'PatOB'],
      'mei@example.com': ['林 美玲', 'mei-lin'],
      'quiet@example.com': ['No Customers yet', 'quiet'],
      'formula@example.com': ['=HYPERLINK("x") Formula', '-dash'],
    },
    customers: {
      cus_R1aaaaaaaaaaaa: 'maya@example.com',
      cus_R2aaaaaaaaaaaa: 'maya@example.com',
      cus_R3aaaaaaaaaaaa: 'jose@example.com',
      cus_R4aaaaaaaaaaaa: 'jose@example.com',
      cus_R5aaaaaaaaaaaa: 'pat@example.com',
      cus_R6aaaaaaaaaaaa: 'mei@example.com',
      '=cmd': 'formula@example.com',
    },
  },
  {
    platform: 'FirstPromoter',
    trap: 'semicolons',
    file: 'firstpromoter.csv',
    says: 'Partners 4 imported.',
    partners: {
      'ana@example.com': ['Ana Souza', 'ana', 123_450],
      'bjorn@example.com': ['Bjørn Åse', 'bjørn', 812_000],
      'zero@example.com': ['Zero Balance', 'zero'],
      'semi@example.com': ['Semi; colon "Quoted"', 'semi', 1_250],
    },
    customers: {},
  },
  {
    platform: 'Tolt',
    trap: 'UTF-16, line breaks in cells',
    file: 'tolt.csv',
    says: 'Partners 3 imported.',
    partners: {
      'michal@example.com': ['Michał Żółć', 'michal'],
      'eleni@example.com': ['Ελένη Παππά', 'ελένη'],
      'line@example.com': ['Line Break', 'line-break'],
    },
    customers: {},
  },
  {
    platform: 'PartnerStack',
    trap: 'links in place of slugs, Excel’s prefixes, an empty row',
    file: 'partnerstack.csv',
    says: 'Partners 3 imported.',
    partners: {
      'dee@example.com': ["Dee D'Arcy", 'dee'],
      'ed@example.com': ['Ed Multi Line', '00123'],
      'flo@example.com': ['=Flo +Plus', 'Flo-1'],
    },
    customers: {},
  },
  {
    platform: 'Dub',
    trap: 'partners found in the file of customers',
    file: 'dub.csv',
    says: 'Partners 2 imported. Customers 3 imported.',
    partners: {
      'gus@example.com': ['Gus "The Guide" Hall', 'gus'],
      'hari@example.com': ['हरि', 'हरि'],
    },
    customers: {
      cus_D1aaaaaaaaaaaa: 'gus@example.com',
      'second@example.com': 'gus@example.com',
      cus_D3aaaaaaaaaaaa: 'hari@example.com',
    },
  },
  {
    platform: 'Tapfiliate',
    trap: 'Windows-1252',
    file: 'tapfiliate.csv',
    says: 'Partners 3 imported.',
    partners: {
      'ingrid@example.com': ['Ingrid Öberg', 'ingrid', 1_234],
      'juergen@example.com': ['Jürgen Groß', 'juergen'],
      'zoe@example.com': ['Zoë €uro', 'zoe'],
    },
    customers: {},
  },
]

test.each(EXPORTS)(
  'an export of $platform imports with no hand work: $trap',
  async ({ platform, file, says, partners, customers }) => {
    await checkFile(file, await fixture(file))
    expect(await text()).not.toContain('rows with errors')
    await press('Back to columns')
    await step('Columns')
    expect(await text()).toContain(`Recognized as an export from ${platform}.`)
    await press('Preview import')
    await step('Import preview')
    await press(/^Import/)
    await step('Import complete')
    expect(await text()).toContain(says)

    const { state } = service
    const found = [...state.partners.values()].map(
      ({ email, name, slug, openingBalanceCents: cents }) => [
        email,
        [name, slug, ...(cents === undefined ? [] : [cents])],
      ],
    )
    expect(Object.fromEntries(found)).toEqual(partners)
    const mapped = [...state.customers.values()].map((row) => [
      row.customerExternalId,
      row.partnerEmail,
    ])
    expect(Object.fromEntries(mapped)).toEqual(customers)
  },
)

/** Files of the other platforms. tests/islands/import/files.test.ts reads all of them. */
const OTHERS = FILES.filter(({ platform }) => !EXPORTS.some((one) => one.platform === platform))

test.each(OTHERS)(
  'a file with the headers of $platform’s $what imports with no hand work',
  async (file) => {
    const { platform, lines, partners, customers = {} } = file
    await choose('export.csv', lines.join('\n'))
    await step('Columns')
    expect(await text()).toContain(
      platform
        ? `Recognized as an export from ${platform}.`
        : 'The columns do not match a known export.',
    )
    await press('Preview import')
    await step('Import preview')
    await press(/^Import/)
    await step('Import complete')
    const { state } = service
    const ownSlug = (email: string) => email.split('@')[0]
    expect(
      Object.fromEntries([...state.partners.values()].map(({ email, slug }) => [email, slug])),
    ).toEqual(
      Object.fromEntries(
        Object.entries(partners).map(([email, slug]) => [email, slug ?? ownSlug(email)]),
      ),
    )
    const mapped = [...state.customers.values()].map((row) => [
      row.customerExternalId,
      row.partnerEmail,
    ])
    expect(Object.fromEntries(mapped)).toEqual(customers)
  },
)

/** Encodes UTF-16, big-endian. */
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()
const TEXT = 'email,slug\nżółć@example.com,żółć\n'

test.each([
  { case: 'UTF-8', content: Buffer.from(TEXT) },
  { case: 'UTF-8 with a byte order mark', content: Buffer.from(`\ufeff${TEXT}`) },
  { case: 'UTF-16 LE', content: Buffer.from(`\ufeff${TEXT}`, 'utf16le') },
  { case: 'UTF-16 LE without a mark', content: Buffer.from(TEXT, 'utf16le') },
  { case: 'UTF-16 BE', content: utf16be(`\ufeff${TEXT}`) },
  { case: 'UTF-16 BE without a mark', content: utf16be(TEXT) },
  {
    case: 'Excel’s own line for the separator',
    content: Buffer.from(`sep=;\r\n${TEXT.replaceAll(',', ';')}`),
  },
  {
    case: 'tabs and carriage returns',
    content: Buffer.from(TEXT.replaceAll(',', '\t').replaceAll('\n', '\r')),
  },
])('$case is read', async ({ content }) => {
  await checkFile('file.csv', content)
  await press(/^Import/)
  await step('Import complete')
  expect([...service.state.partners.keys()]).toEqual(['żółć@example.com'])
})
