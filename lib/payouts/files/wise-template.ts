/** A Wise batch in the columns of a template that the merchant downloaded from Wise and pasted. */
import { csvFields } from '../../values/csv.ts'
import { exactMoney } from '../../values/money.ts'
import type { PaymentDetails } from '../details/payment-details.ts'
import type { FileLine } from './formats.ts'
import { normalizeIban } from './iban.ts'
import { plainText } from './latin.ts'
import { readTable } from './read-table.ts'
import { MAX_NAME, RECEIVER_TYPES } from './wise.ts'

type Details = Extract<PaymentDetails, { method: 'iban' | 'wise' }>
type Line = FileLine<Details>

export const TEMPLATE_CODES = ['no_column', 'recipient_not_found', 'recipient_ambiguous'] as const
export type TemplateCode = (typeof TEMPLATE_CODES)[number]

/** Column names differ in case and spaces between Wise's templates. */
const key = (column: string): string => column.toLowerCase().replace(/[^a-z0-9]/g, '')

/** The value of a payout in each column, by the column's normalized name. */
const FIELDS: Record<string, (line: Line, sourceCurrency: string | null) => string> = {
  name: ({ details }) => plainText(details.name, MAX_NAME),
  recipientname: ({ details }) => plainText(details.name, MAX_NAME),
  recipientemail: ({ details }) => (details.method === 'wise' ? details.address : ''),
  paymentreference: ({ reference }) => reference,
  reference: ({ reference }) => reference,
  receivertype: ({ details }) => RECEIVER_TYPES[details.holder],
  recipienttype: ({ details }) => RECEIVER_TYPES[details.holder],
  amountcurrency: () => 'target',
  amount: ({ amountCents, currency }) => exactMoney(amountCents, currency),
  sourcecurrency: ({ currency }, sourceCurrency) => sourceCurrency ?? currency,
  targetcurrency: ({ currency }) => currency,
  iban: ({ details }) => (details.method === 'iban' ? details.iban : ''),
}

/** Columns that the payout fills even in the row of a saved recipient. */
const OURS = new Set([
  'paymentreference',
  'reference',
  'amountcurrency',
  'amount',
  'sourcecurrency',
  'targetcurrency',
])
const REQUIRED = ['amount', 'targetcurrency']

/** A template: its columns, and the saved recipients if it has any. */
export type WiseTemplate = { columns: string[]; rows: string[][] }

/** Reads a pasted template: its first line, and its rows. @returns it, or why it can't be used */
export const readWiseTemplate = (text: string): WiseTemplate | { refused: string } => {
  const [columns = [], ...rows] = readTable(text)
  const keys = columns.map(key)
  const missing = REQUIRED.filter((name) => !keys.includes(name))
  if (missing.length > 0) {
    return {
      refused:
        'This is not a Wise template: its first line needs the columns amount and targetCurrency.',
    }
  }
  if (keys.includes('recipientid')) {
    if (rows.length > 0) return { columns, rows }
    return { refused: 'A template for saved recipients needs its rows too. Paste the whole file.' }
  }
  return keys.includes('iban') || keys.includes('recipientemail')
    ? { columns, rows: [] }
    : { refused: 'The template has no column for an IBAN, an email address or a saved recipient.' }
}

/** Columns of the template that no payout fills, which the merchant completes before uploading. */
export const unfilledColumns = ({ columns, rows }: WiseTemplate): string[] =>
  rows.length > 0 ? [] : columns.filter((column) => column && !(key(column) in FIELDS))

const normalizeCell = (cell: string): string => normalizeIban(cell).toLowerCase()

/** The saved recipients with the IBAN or address of a payout's partner, and its currency if any. */
const recipientsOf = ({ columns, rows }: WiseTemplate, { details, currency }: Line): string[][] => {
  const wanted = normalizeCell(details.method === 'iban' ? details.iban : details.address)
  const target = columns.map(key).indexOf('targetcurrency')
  return rows.filter(
    (row) =>
      row.some((cell) => normalizeCell(cell) === wanted) && (row[target] || currency) === currency,
  )
}

/**
 * The file, and the payouts that it has no row for.
 *
 * A saved recipient keeps what Wise wrote about it; the payment is ours.
 */
export const wiseTemplateFile = (
  template: WiseTemplate,
  lines: Line[],
  sourceCurrency: string | null,
): { text: string; rows: number; leftOut: { line: Line; code: TemplateCode }[] } => {
  const keys = template.columns.map(key)
  const isSaved = keys.includes('recipientid')
  const leftOut: { line: Line; code: TemplateCode }[] = []
  const out: string[][] = []
  for (const line of lines) {
    const saved = isSaved ? recipientsOf(template, line) : []
    const hasColumn = keys.includes(line.details.method === 'iban' ? 'iban' : 'recipientemail')
    if (!isSaved && !hasColumn) leftOut.push({ line, code: 'no_column' })
    else if (isSaved && saved.length === 0) leftOut.push({ line, code: 'recipient_not_found' })
    else if (saved.length > 1) leftOut.push({ line, code: 'recipient_ambiguous' })
    else {
      const row = saved[0]
      out.push(
        keys.map((name, index) => {
          const own = FIELDS[name]?.(line, sourceCurrency) ?? ''
          return row && !OURS.has(name) ? (row[index] ?? '') : own
        }),
      )
    }
  }
  return { text: csvFields([template.columns, ...out]), rows: out.length, leftOut }
}
