/** Invoices and credit notes as PDF. Only the payouts Worker bundles the library, a large one. */
import { PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from '@cantoo/pdf-lib'
import {
  agreementOf,
  type CreditNote,
  creditDescriptionOf,
  creditNoteNumber,
  creditTotalOf,
  descriptionOf,
  type Invoice,
  invoiceNumber,
  longDay,
  type Party,
  partyLines,
  SELF_BILLING,
  totalOf,
} from '../payouts/invoices/invoices.ts'
import { pdfText } from './pdf-text.ts'

/** A4, in points. */
const PAGE = { width: 595.28, height: 841.89 }
const MARGIN = 56
const COLUMN = (PAGE.width - 2 * MARGIN) / 2
const SIZE = 10
const LEADING = 15
const INK = rgb(0.1, 0.1, 0.12)
const GRAY = rgb(0.4, 0.4, 0.45)

type Fonts = { regular: PDFFont; bold: PDFFont }

/** Breaks text into lines of a width, and words that are longer. */
const wrap = (text: string, font: PDFFont, size: number, width: number): string[] => {
  const fits = (line: string) => font.widthOfTextAtSize(line, size) <= width
  const lines: string[] = ['']
  for (const char of pdfText(text)) {
    const line = lines.at(-1) ?? ''
    if (fits(line + char)) lines[lines.length - 1] = line + char
    else {
      const at = line.lastIndexOf(' ')
      lines[lines.length - 1] = at > 0 ? line.slice(0, at) : line
      lines.push(at > 0 ? line.slice(at + 1) + char : char)
    }
  }
  return lines
}

/** A cursor that writes lines downwards. */
const writer = (page: PDFPage, x: number, top: number) => {
  let y = top
  return {
    line: (
      text: string,
      font: PDFFont,
      { size = SIZE, color = INK, width = PAGE.width - 2 * MARGIN } = {},
    ) => {
      for (const part of wrap(text, font, size, width)) {
        page.drawText(part, { x, y, size, font, color })
        y -= size + LEADING - SIZE
      }
    },
    skip: (points: number) => {
      y -= points
    },
    at: () => y,
  }
}

const rule = (page: PDFPage, y: number) =>
  page.drawLine({
    start: { x: MARGIN, y },
    end: { x: PAGE.width - MARGIN, y },
    thickness: 0.7,
    color: GRAY,
  })

const writeParty = (
  page: PDFPage,
  { regular, bold }: Fonts,
  x: number,
  top: number,
  title: string,
  party: Party,
) => {
  const column = writer(page, x, top)
  column.line(title, bold, { color: GRAY, size: 9 })
  for (const [index, line] of partyLines(party).entries())
    column.line(line, index === 0 ? bold : regular, { width: COLUMN - 16 })
  return column.at()
}

const alignRight = (page: PDFPage, text: string, font: PDFFont, y: number) => {
  const written = pdfText(text)
  const x = PAGE.width - MARGIN - font.widthOfTextAtSize(written, SIZE)
  page.drawText(written, { x, y, size: SIZE, font, color: INK })
}

/** The differences between an invoice and a credit note. */
type Paper = {
  title: string
  number: string
  issuedAt: Date
  refersTo: string
  description: string
  total: string
  totalLabel: string
}

const invoicePaper = (invoice: Invoice): Paper => ({
  title: 'Invoice',
  number: invoiceNumber(invoice.number),
  issuedAt: invoice.issuedAt,
  refersTo: `Payment: ${invoice.reference}`,
  description: descriptionOf(invoice),
  total: totalOf(invoice),
  totalLabel: 'Total paid',
})

const creditPaper = (invoice: Invoice, note: CreditNote): Paper => ({
  title: 'Credit note',
  number: creditNoteNumber(note.number),
  issuedAt: note.issuedAt,
  refersTo: `Corrects invoice: ${invoiceNumber(invoice.number)} of ${longDay(invoice.issuedAt)}`,
  description: creditDescriptionOf(invoice, note),
  total: creditTotalOf(invoice, note),
  totalLabel: 'Total credited',
})

/** An invoice, or a credit note that corrects it: one page, the same bytes each time. */
export const invoicePdf = async (invoice: Invoice, note?: CreditNote): Promise<Uint8Array> => {
  const paper = note ? creditPaper(invoice, note) : invoicePaper(invoice)
  const document = await PDFDocument.create()
  document.setTitle(`${paper.title} ${paper.number}`)
  document.setCreationDate(paper.issuedAt)
  document.setModificationDate(paper.issuedAt)
  document.setLanguage('en')
  const fonts = {
    regular: await document.embedFont(StandardFonts.Helvetica),
    bold: await document.embedFont(StandardFonts.HelveticaBold),
  }
  const page = document.addPage([PAGE.width, PAGE.height])

  const head = writer(page, MARGIN, PAGE.height - MARGIN - 20)
  head.line(paper.title, fonts.bold, { size: 22 })
  head.line(SELF_BILLING, fonts.regular, { color: GRAY, size: 12 })
  head.skip(10)
  head.line(`Number: ${paper.number}`, fonts.regular)
  head.line(`Date: ${longDay(paper.issuedAt)}`, fonts.regular)
  head.line(paper.refersTo, fonts.regular)
  head.skip(14)
  const bottom = Math.min(
    writeParty(page, fonts, MARGIN, head.at(), 'SUPPLIER', invoice.supplier),
    writeParty(page, fonts, MARGIN + COLUMN, head.at(), 'CUSTOMER', invoice.customer),
  )

  const body = writer(page, MARGIN, bottom - 26)
  body.line('Description', fonts.bold)
  alignRight(page, 'Amount', fonts.bold, bottom - 26)
  rule(page, body.at() + 7)
  body.skip(8)
  alignRight(page, paper.total, fonts.regular, body.at())
  body.line(paper.description, fonts.regular, { width: COLUMN * 1.3 })
  rule(page, body.at() + 7)
  body.skip(8)
  alignRight(page, paper.total, fonts.bold, body.at())
  body.line(paper.totalLabel, fonts.bold)
  body.skip(22)
  body.line(agreementOf(invoice), fonts.regular, { color: GRAY, size: 9 })
  return document.save()
}
