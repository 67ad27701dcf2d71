/** The files for banks and services, by the rules of those who take them: one test per rule. */
import { describe, expect, test } from 'vitest'
import type { PaymentDetails } from '../../lib/payouts/details/payment-details.ts'
import {
  fileOf,
  MAX_ROWS,
  type PayoutKind,
  partsOf,
  planFiles,
} from '../../lib/payouts/files/formats.ts'
import { isIban, isSepaCountry, normalizeIban } from '../../lib/payouts/files/iban.ts'
import { isSepaName, plainText, sepaText } from '../../lib/payouts/files/latin.ts'
import { paypalFile } from '../../lib/payouts/files/paypal.ts'
import { readTable } from '../../lib/payouts/files/read-table.ts'
import { sepaFile } from '../../lib/payouts/files/sepa.ts'
import { wiseFile } from '../../lib/payouts/files/wise.ts'
import {
  readWiseTemplate,
  unfilledColumns,
  wiseTemplateFile,
} from '../../lib/payouts/files/wise-template.ts'

type Of<M extends PaymentDetails['method']> = Extract<PaymentDetails, { method: M }>

const PAYPAL: Of<'paypal'> = { method: 'paypal', address: 'ann@paypal.example' }
const WISE: Of<'wise'> = {
  method: 'wise',
  address: 'ann@wise.example',
  name: 'Ann Lee',
  holder: 'person',
}
const IBAN: Of<'iban'> = {
  method: 'iban',
  iban: 'DE89370400440532013000',
  name: 'Ann Lee',
  holder: 'person',
}

const line = <D extends PaymentDetails>(
  details: D,
  more: { amountCents?: bigint; currency?: string } = {},
) => ({
  id: 'id',
  partnerId: 'partner',
  reference: 'PO-000042',
  currency: 'EUR',
  amountCents: 4_900n,
  details,
  ...more,
})

const cells = (csv: string) =>
  csv
    .trimEnd()
    .split('\r\n')
    .map((row) => row.split(','))

describe('an IBAN', () => {
  test.each([
    { iban: 'DE89370400440532013000', is: true, why: 'German' },
    { iban: 'GB82WEST12345698765432', is: true, why: 'British, with letters' },
    { iban: 'MT84MALT011000012345MTLCAST001S', is: true, why: 'Maltese, of 31 characters' },
    { iban: 'NO9386011117947', is: true, why: 'Norwegian, the shortest' },
    { iban: 'DE88370400440532013000', is: false, why: 'with a wrong checksum' },
    { iban: 'DE8937040044053201300', is: false, why: 'that is too short for its country' },
    { iban: 'DE893704004405320130000', is: false, why: 'that is too long for its country' },
    { iban: 'ES7921000813610123456789', is: true, why: 'Spanish' },
    { iban: 'ES1721000813620123456789', is: false, why: 'with a wrong check digit of its country' },
    { iban: 'GB1212345698765432WEST', is: false, why: 'in another form than its country’s' },
    { iban: 'US89370400440532013000', is: false, why: 'of a country without IBANs' },
    { iban: 'DE8937040044053201300Ö', is: false, why: 'with another letter' },
    { iban: '', is: false, why: 'of nothing' },
  ])('$why: $is', ({ iban, is }) => {
    expect(isIban(iban)).toBe(is)
  })

  test('may be typed with spaces and in lower case', () => {
    expect(isIban(normalizeIban(' de89 3704 0044 0532 0130 00 '))).toBe(true)
  })

  test('with two digits exchanged fails its checksum', () => {
    const iban = IBAN.iban
    for (let at = 4; at < iban.length - 1; at++) {
      const swapped = iban.slice(0, at) + iban.charAt(at + 1) + iban.charAt(at) + iban.slice(at + 2)
      expect(isIban(swapped)).toBe(swapped === iban)
    }
  })

  test.each([
    ['DE', true],
    ['CH', true],
    ['GB', true],
    ['RS', true],
    ['TR', false],
    ['UA', false],
  ])('of %s is in SEPA: %s', (country, is) => {
    expect(isSepaCountry(country)).toBe(is)
  })
})

describe('which file has a payout', () => {
  const kind = (more: Partial<PayoutKind>): PayoutKind => ({
    currency: 'EUR',
    method: null,
    country: null,
    isWhole: true,
    isTooLarge: false,
    ...more,
  })
  test.each([
    {
      case: 'a partner who gave nothing is left out',
      is: kind({}),
      to: { code: 'details_missing' },
    },
    {
      case: 'one who chose Stripe is left out',
      is: kind({ method: 'stripe' }),
      to: { code: 'details_missing' },
    },
    { case: 'an address at PayPal', is: kind({ method: 'paypal' }), to: { format: 'paypal' } },
    {
      case: 'a currency that PayPal lacks',
      is: kind({ method: 'paypal', currency: 'INR' }),
      to: { code: 'currency_not_supported' },
    },
    {
      case: 'forints with fillér, which PayPal refuses',
      is: kind({ method: 'paypal', currency: 'HUF', isWhole: false }),
      to: { code: 'amount_not_whole' },
    },
    {
      case: 'whole forints',
      is: kind({ method: 'paypal', currency: 'HUF' }),
      to: { format: 'paypal' },
    },
    {
      case: 'yen, which have no fractions: 4,950 of them were in no file',
      is: kind({ method: 'paypal', currency: 'JPY', isWhole: false }),
      to: { format: 'paypal' },
    },
    {
      case: 'euros and cents',
      is: kind({ method: 'paypal', isWhole: false }),
      to: { format: 'paypal' },
    },
    {
      case: 'an address at Wise',
      is: kind({ method: 'wise', currency: 'INR' }),
      to: { format: 'wise' },
    },
    {
      case: 'an IBAN in euros',
      is: kind({ method: 'iban', country: 'DE' }),
      to: { format: 'sepa' },
    },
    {
      case: 'an IBAN in dollars, which SEPA does not transfer',
      is: kind({ method: 'iban', country: 'DE', currency: 'USD' }),
      to: { format: 'wise_template' },
    },
    {
      case: 'an IBAN outside SEPA',
      is: kind({ method: 'iban', country: 'TR' }),
      to: { format: 'wise_template' },
    },
    {
      case: 'more than a SEPA transfer may be',
      is: kind({ method: 'iban', country: 'DE', isTooLarge: true }),
      to: { code: 'amount_too_large' },
    },
  ])('$case', ({ is, to }) => {
    expect(fileOf(is)).toEqual(to)
  })

  test('every payout is in one file of the plan, or left out with a code', () => {
    const total = (more: Partial<PayoutKind>, payouts: number) => ({
      ...kind(more),
      payouts,
      payable: payouts,
      amountCents: BigInt(payouts * 100),
    })
    const plan = planFiles([
      total({ method: 'iban', country: 'DE' }, 4_000),
      total({ method: 'iban', country: 'FR' }, 4_000),
      total({ method: 'paypal', currency: 'USD' }, 5_000),
      total({ method: 'paypal', currency: 'EUR' }, 5_001),
      total({ method: 'wise', currency: 'USD' }, 1_001),
      total({}, 3),
    ])
    expect(
      plan.files.map(({ format, currency, payouts, parts }) => [format, currency, payouts, parts]),
    ).toEqual([
      ['sepa', 'EUR', 8_000, 2],
      ['paypal', 'USD', 5_000, 1],
      ['paypal', 'EUR', 5_001, 2],
      ['wise', 'USD', 1_001, 2],
    ])
    expect(plan.leftOut).toEqual([
      { code: 'details_missing', currency: 'EUR', payouts: 3, amountCents: 300n },
    ])
  })
})

describe('PayPal Payouts', () => {
  test('takes no header, and the columns recipient, amount, currency, customer id, note, wallet', () => {
    expect(paypalFile([line(PAYPAL)], 'Shop')).toBe(
      'ann@paypal.example,49.00,EUR,PO-000042,Payout PO-000042 from Shop,PAYPAL\r\n',
    )
  })

  test('takes at most 5,000 rows per file', () => {
    expect(MAX_ROWS.paypal).toBe(5_000)
    expect([5_000, 5_001].map((payouts) => partsOf('paypal', payouts))).toEqual([1, 2])
  })

  test('takes a customer id of at most 30 characters without spaces', () => {
    const [[, , , id = ''] = []] = cells(paypalFile([line(PAYPAL)], 'Shop'))
    expect(id).toMatch(/^\S{1,30}$/)
  })

  test('takes a note of at most 400 characters', () => {
    const [[, , , , note = ''] = []] = cells(paypalFile([line(PAYPAL)], '😀'.repeat(500)))
    expect([...note]).toHaveLength(400)
  })

  test.each([
    { currency: 'JPY', amountCents: 4_900n, amount: '4900' },
    { currency: 'HUF', amountCents: 4_900n, amount: '49' },
    { currency: 'TWD', amountCents: 4_900n, amount: '49' },
    { currency: 'USD', amountCents: 123_456_789n, amount: '1234567.89' },
  ])('takes $currency as $amount', ({ amount, ...payout }) => {
    expect(cells(paypalFile([line(PAYPAL, payout)], 'Shop'))[0]?.[1]).toBe(amount)
  })

  test('takes a decimal comma in quotes, where the country of the account writes one', () => {
    expect(paypalFile([line(PAYPAL)], 'Shop', 'comma')).toContain('ann@paypal.example,"49,00",EUR,')
  })

  test('gets the name of a shop as text, whatever it begins with', () => {
    const [row = []] = cells(paypalFile([line(PAYPAL)], '=cmd|calc\n@x'))
    expect(row[4]).toBe('Payout PO-000042 from =cmd|calc @x')
    expect(row.filter((cell) => /^[=+\-@\t']/.test(cell))).toEqual([])
  })
})

describe('a Wise batch by email', () => {
  test('takes these columns, and the amount in the currency of the recipient', () => {
    expect(cells(wiseFile([line(WISE)], 'USD'))).toEqual([
      [
        'name',
        'recipientEmail',
        'paymentReference',
        'receiverType',
        'amountCurrency',
        'amount',
        'sourceCurrency',
        'targetCurrency',
      ],
      ['Ann Lee', 'ann@wise.example', 'PO-000042', 'PERSON', 'target', '49.00', 'USD', 'EUR'],
    ])
  })

  test('is paid in the currency that is owed unless the merchant chooses another', () => {
    expect(cells(wiseFile([line(WISE)], null))[1]?.slice(-2)).toEqual(['EUR', 'EUR'])
  })

  test('takes companies as institutions', () => {
    expect(cells(wiseFile([line({ ...WISE, holder: 'company' })], null))[1]?.[3]).toBe(
      'INSTITUTION',
    )
  })

  test('takes at most 1,000 rows per file', () => {
    expect([1_000, 1_001].map((payouts) => partsOf('wise', payouts))).toEqual([1, 2])
  })

  test('gets a name that a spreadsheet would evaluate without its first characters, not with an apostrophe', () => {
    const name = wiseFile(
      [line({ ...WISE, name: '=HYPERLINK("https://evil.example")' })],
      null,
    ).split('\r\n')[1]
    expect(name).toMatch(/^"HYPERLINK\(""https:\/\/evil.example""\)",/)
  })
})

describe('a template of Wise', () => {
  const IBAN_TEMPLATE =
    'name,recipientEmail,paymentReference,receiverType,amountCurrency,amount,sourceCurrency,targetCurrency,IBAN,BIC'
  const SAVED_TEMPLATE = [
    'recipientId;name;recipientDetail;sourceCurrency;targetCurrency;amountCurrency;amount;paymentReference',
    '101;Ann Lee (saved);DE89 3704 0044 0532 0130 00;EUR;EUR;source;;',
    '102;Bob;bob@wise.example;EUR;EUR;source;;',
    '103;Ann Lee;ann@wise.example;GBP;GBP;source;;',
    '104;Ann Lee;ann@wise.example;GBP;EUR;source;;',
  ].join('\n')
  const templateOf = (text: string) => {
    const template = readWiseTemplate(text)
    if ('refused' in template) throw new Error(template.refused)
    return template
  }

  test('keeps its columns in its order, and leaves empty what we do not know', () => {
    const template = templateOf(IBAN_TEMPLATE)
    const file = wiseTemplateFile(template, [line(IBAN)], null)
    expect(file.text).toBe(
      `${IBAN_TEMPLATE}\r\nAnn Lee,,PO-000042,PERSON,target,49.00,EUR,EUR,DE89370400440532013000,\r\n`,
    )
    expect(unfilledColumns(template)).toEqual(['BIC'])
  })

  test('without a column for a partner’s details has no row for it, and says so', () => {
    const { rows, leftOut } = wiseTemplateFile(
      templateOf('recipientEmail,amount,targetCurrency'),
      [line(IBAN), line(WISE)],
      null,
    )
    expect(rows).toBe(1)
    expect(leftOut).toEqual([{ line: line(IBAN), code: 'no_column' }])
  })

  test('for saved recipients finds them by IBAN or address, and keeps what Wise wrote', () => {
    const file = wiseTemplateFile(templateOf(SAVED_TEMPLATE), [line(IBAN), line(WISE)], 'GBP')
    expect(cells(file.text).slice(1)).toEqual([
      [
        '101',
        'Ann Lee (saved)',
        'DE89 3704 0044 0532 0130 00',
        'GBP',
        'EUR',
        'target',
        '49.00',
        'PO-000042',
      ],
      ['104', 'Ann Lee', 'ann@wise.example', 'GBP', 'EUR', 'target', '49.00', 'PO-000042'],
    ])
  })

  test('for saved recipients lists who is not among them, or is twice', () => {
    const twice = `${SAVED_TEMPLATE}\n105;Ann;ann@wise.example;GBP;EUR;source;;`
    const stranger = line({ ...WISE, address: 'eve@wise.example' })
    const { rows, leftOut } = wiseTemplateFile(templateOf(twice), [line(WISE), stranger], null)
    expect([rows, leftOut.map(({ code }) => code)]).toEqual([
      0,
      ['recipient_ambiguous', 'recipient_not_found'],
    ])
  })

  test.each([
    { text: 'hello', words: 'needs the columns amount and targetCurrency' },
    { text: 'name,amount,targetCurrency,sortCode', words: 'no column for an IBAN' },
    { text: 'recipientId,amount,targetCurrency', words: 'needs its rows too' },
  ])('is refused: $words', ({ text, words }) => {
    expect(readWiseTemplate(text)).toEqual({ refused: expect.stringContaining(words) })
  })

  test.each([
    {
      case: 'a byte order mark and tabs',
      text: '\uFEFFa\tb\r\n1\t2\r\n',
      rows: [
        ['a', 'b'],
        ['1', '2'],
      ],
    },
    {
      case: 'quotes, line breaks and commas within',
      text: 'a,b\n"x ""y"", z\nw",2',
      rows: [
        ['a', 'b'],
        ['x "y", z\nw', '2'],
      ],
    },
    {
      case: 'blank lines',
      text: 'a;b\n\n;\n1;2',
      rows: [
        ['a', 'b'],
        ['1', '2'],
      ],
    },
  ])('may have $case', ({ text, rows }) => {
    expect(readTable(text)).toEqual(rows)
  })
})

describe('a SEPA credit transfer', () => {
  const DEBTOR = { name: 'Käse & Wein Ω GmbH', iban: 'FR1420041010050500013M02606' }
  const NOW = new Date('2026-11-22T10:11:12.345Z')
  const write = (lines = [line(IBAN)], id = '0199f00000007000800000000000abcd-1') =>
    sepaFile(id, DEBTOR, lines, 'Käse & Wein', NOW)
  const all = (xml: string, tag: string) =>
    [...xml.matchAll(new RegExp(`<${tag}(?: [^>]*)?>([^<]*)</${tag}>`, 'g'))].map(
      ([, text]) => text,
    )

  test('is a message pain.001.001.09', () => {
    expect(write()).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn><GrpHdr>/,
    )
  })

  test('has its elements in the order of the schema', () => {
    const tags = [...write().matchAll(/<([A-Z][A-Za-z]+)[ >]/g)].map(([, tag]) => tag)
    expect(tags.join(' ')).toBe(
      'Document CstmrCdtTrfInitn GrpHdr MsgId CreDtTm NbOfTxs CtrlSum InitgPty Nm ' +
        'PmtInf PmtInfId PmtMtd NbOfTxs CtrlSum PmtTpInf SvcLvl Cd ReqdExctnDt Dt Dbtr Nm DbtrAcct Id IBAN ' +
        'DbtrAgt FinInstnId Othr Id ChrgBr ' +
        'CdtTrfTxInf PmtId EndToEndId Amt InstdAmt Cdtr Nm CdtrAcct Id IBAN RmtInf Ustrd',
    )
  })

  test('counts and sums its transfers exactly, in the header and in the payment', () => {
    const lines = Array.from({ length: 3_000 }, () => line(IBAN, { amountCents: 10n }))
    const xml = write([...lines, line(IBAN, { amountCents: 99_999_999_999n })])
    expect(all(xml, 'NbOfTxs')).toEqual(['3001', '3001'])
    expect(all(xml, 'CtrlSum')).toEqual(['1000000299.99', '1000000299.99'])
  })

  test('has amounts in euros with two decimals', () => {
    expect(write([line(IBAN, { amountCents: 5n })])).toContain(
      '<InstdAmt Ccy="EUR">0.05</InstdAmt>',
    )
  })

  test('has ids of at most 35 characters', () => {
    for (const tag of ['MsgId', 'PmtInfId', 'EndToEndId'])
      for (const id of all(write(), tag)) expect(id).toMatch(/^[A-Za-z0-9-]{1,35}$/)
  })

  test('bears the same id when it is downloaded again, so that a bank refuses the repeat', () => {
    expect(all(write(), 'MsgId')).toEqual(all(write(), 'PmtInfId'))
  })

  test('has names of at most 70 characters, and remittance information of at most 140', () => {
    const xml = sepaFile(
      'x',
      { ...DEBTOR, name: 'N'.repeat(99) },
      [line({ ...IBAN, name: 'n'.repeat(99) })],
      'F'.repeat(300),
      NOW,
    )
    expect(all(xml, 'Nm').map((name) => name?.length)).toEqual([70, 70, 70])
    expect(all(xml, 'Ustrd')[0]).toHaveLength(140)
  })

  test('is written in the character set of SEPA, and stays XML', () => {
    const xml = write([line({ ...IBAN, name: 'Łukasz <Ørsted> & Ζωή "Ж" 王' })])
    expect(all(xml, 'Nm')[2]).toBe('Lukasz .Orsted. + Zoi .Zh. .')
    expect(all(xml, 'Nm')[0]).toBe('Kase + Wein O GmbH')
  })

  test('is to be executed today, at the level SEPA, with shared charges', () => {
    const xml = write()
    expect([all(xml, 'Dt'), all(xml, 'Cd'), all(xml, 'ChrgBr')]).toEqual([
      ['2026-11-22'],
      ['SEPA'],
      ['SLEV'],
    ])
  })

  test('asks for no BIC', () => {
    expect(all(write(), 'Id')).toEqual(['NOTPROVIDED'])
  })
})

test.each([
  { text: 'Straße 5–7 ’a’', is: "Strasse 5-7 'a'" },
  { text: 'Þórður Æsir', is: 'THordur AEsir' },
  { text: 'Владимир Щукин', is: 'Vladimir Shtukin' },
  { text: 'Nguyễn Thị Ánh', is: 'Nguyen Thi Anh' },
  { text: 'tab\tand\nline', is: 'tab and line' },
])('SEPA’s characters: $text is $is', ({ text, is }) => {
  expect(sepaText(text, 70)).toBe(is)
})

test.each([
  { name: 'Ann', is: true },
  { name: 'Ζωή', is: true },
  { name: '王小明', is: false },
  { name: '...', is: false },
])('banks can take the name $name: $is', ({ name, is }) => {
  expect(isSepaName(name)).toBe(is)
})

test('text for a service is one line, without what a spreadsheet evaluates at its start', () => {
  expect(plainText('\t=+-@"Ann\u0000\r\nLee\u2028 ', 140)).toBe('Ann Lee')
})
