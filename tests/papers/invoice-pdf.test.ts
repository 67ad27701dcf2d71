import { inflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { invoicePdf } from '../../lib/papers/invoice-pdf.service.ts'
import { pdfText } from '../../lib/papers/pdf-text.ts'
import type { CreditNote, Invoice } from '../../lib/payouts/invoices/invoices.ts'

const INVOICE: Invoice = {
  id: '0199f000-0000-7000-8000-00000000abcd',
  number: 42n,
  payoutId: '0199f000-0000-7000-8000-00000000abce',
  partnerId: '0199f000-0000-7000-8000-00000000abcf',
  reference: 'PO-000107',
  programName: 'Friends of Pine Notes',
  currency: 'EUR',
  amountCents: 123_456n,
  commissions: 12,
  supplier: {
    name: 'Zoë Łukasiewicz',
    street: 'Große Straße 5',
    postalCode: '10115',
    city: 'Berlin',
    country: 'DE',
    vatId: 'DE123456789',
  },
  customer: {
    name: 'Ζωή Ltd',
    street: null,
    postalCode: null,
    city: null,
    country: null,
    vatId: null,
  },
  agreedAt: new Date('2026-10-01T00:00:00Z'),
  issuedAt: new Date('2026-11-22T23:59:00Z'),
  creditNotes: [],
}

/** The lines that a file of ours writes, in order. */
const linesOf = (file: Uint8Array): string[] => {
  const bytes = Buffer.from(file).toString('latin1')
  return [...bytes.matchAll(/stream\r?\n(.*?)\r?\nendstream/gs)].flatMap(([, stream = '']) => {
    const content = inflateSync(Buffer.from(stream, 'latin1')).toString('latin1')
    return [...content.matchAll(/<([0-9A-F]+)> Tj/g)].map(([, hex = '']) =>
      Buffer.from(hex, 'hex').toString('latin1'),
    )
  })
}

describe('an invoice as PDF', () => {
  test('has its number, date and parties, what it is for, the amount, and that it is one of self-billing', async () => {
    const file = await invoicePdf(INVOICE)
    expect(Buffer.from(file.slice(0, 5)).toString()).toBe('%PDF-')
    expect(linesOf(file)).toEqual([
      'Invoice',
      'Self-billing',
      'Number: INV-000042',
      'Date: 22 November 2026',
      'Payment: PO-000107',
      'SUPPLIER',
      'Zoë Lukasiewicz',
      'Große Straße 5',
      '10115 Berlin',
      'Germany',
      'VAT ID DE123456789',
      'CUSTOMER',
      'Zoi Ltd',
      'Description',
      'Amount',
      '1,234.56 EUR',
      '12 commissions of the partner program Friends of Pine Notes, paid as',
      'PO-000107',
      '1,234.56 EUR',
      'Total paid',
      'Issued by the customer in the name of the supplier, who agreed to self-billing on 1 October 2026.',
    ])
  })

  test('that is credited names the invoice, the reason and what it takes from it', async () => {
    const note: CreditNote = {
      id: '0199f000-0000-7000-8000-00000000abd0',
      number: 7n,
      amountCents: 23_456n,
      reason: 'reversed',
      issuedAt: new Date('2026-12-01T00:00:00Z'),
    }
    const lines = linesOf(await invoicePdf(INVOICE, note))
    expect(lines.slice(0, 6)).toEqual([
      'Credit note',
      'Self-billing',
      'Number: CN-000007',
      'Date: 1 December 2026',
      'Corrects invoice: INV-000042 of 22 November 2026',
      'SUPPLIER',
    ])
    expect(lines.slice(-6)).toEqual([
      'Amount',
      '-234.56 EUR',
      'Payment PO-000107 was reversed',
      '-234.56 EUR',
      'Total credited',
      'Issued by the customer in the name of the supplier, who agreed to self-billing on 1 October 2026.',
    ])
    const returned = linesOf(await invoicePdf(INVOICE, { ...note, reason: 'returned' }))
    expect(returned).toContain('Payment PO-000107 was returned by the bank')
  })

  test('is the same file each time', async () => {
    expect(await invoicePdf(INVOICE)).toEqual(await invoicePdf(INVOICE))
  })

  test('breaks long names instead of writing over its edge', async () => {
    const name =
      'A very long name of a company that does not end anywhere near the edge of its column GmbH'
    const lines = linesOf(await invoicePdf({ ...INVOICE, supplier: { ...INVOICE.supplier, name } }))
    expect(lines.join(' ')).toContain(name)
    expect(lines).not.toContain(name)
    const word = 'x'.repeat(200)
    const broken = linesOf(
      await invoicePdf({ ...INVOICE, supplier: { ...INVOICE.supplier, name: word } }),
    )
    expect(broken.join('')).toContain(word)
  })
})

test.each([
  { text: 'Größe € “quoted”', is: 'Größe € “quoted”' },
  { text: 'Ştefan Čech Łódź', is: 'Stefan Cech Lódz' },
  { text: 'Владимир Ζωή', is: 'Vladimir Zoi' },
  { text: '王 Ltd', is: '? Ltd' },
  { text: 'a\tb\nc\u0000', is: 'a b c?' },
])('the standard fonts write $text as $is', ({ text, is }) => {
  expect(pdfText(text)).toBe(is)
})
