/** Reads a CSV file of another platform's commissions. */

import {
  MAX_COMMISSION_ROWS,
  MAX_SALE_IDS,
  type PlatformState,
} from '../../lib/imports/commissions/platform-commissions.ts'
import { inEnglish, type Message } from '../../lib/languages/message.ts'
import * as m from '../../lib/languages/messages.ts'
import { normalizeEmail } from '../../lib/values/emails.ts'
import { isCurrency } from '../../lib/values/money.ts'
import type { CsvFile } from '../import/file.ts'
import { cellText, readAmount } from '../import/rules/reading/cells.ts'
import { headerKey } from '../import/rules/reading/columns.ts'
import { type DateOrder, dateOf, dateOrder } from '../import/rules/reading/dates.ts'

/** The meaning of a column. Several columns may be ids of the sale. */
export type CommissionColumn =
  | 'id'
  | 'amount'
  | 'currency'
  | 'state'
  | 'saleAmount'
  | 'saleId'
  | 'customerId'
  | 'customerEmail'
  | 'partnerEmail'
  | 'soldAt'

export const COLUMN_NAMES: Record<CommissionColumn, Message> = {
  id: m.shadow_column_id,
  amount: m.commission,
  currency: m.layout_currency,
  state: m.shadow_column_state,
  saleAmount: m.shadow_column_sale_amount,
  saleId: m.shadow_column_sale_id,
  customerId: m.import_field_customer_id,
  customerEmail: m.import_field_customer_email,
  partnerEmail: m.shadow_column_partner_email,
  soldAt: m.shadow_column_sold_at,
}

/** @property inCents null until it is chosen */
export type CommissionMapping = {
  columns: (CommissionColumn | null)[]
  inCents: boolean | null
  zone: string
  currency: string
}

type Preset = {
  platform: string | null
  signs: string[]
  columns: Partial<Record<CommissionColumn, string[]>>
}

/** Headers of generic files. docs/shadow.md says which presets a primary source confirms. */
const GENERIC: Preset['columns'] = {
  id: ['id', 'commission_id'],
  amount: [
    'commission',
    'commission_amount',
    'commission_cents',
    'earnings',
    'amount_earned',
    'payout',
    'reward',
  ],
  currency: ['currency', 'currency_code', 'commission_currency'],
  state: ['state', 'status', 'commission_status', 'commission_state'],
  saleAmount: [
    'sale_amount',
    'sale_amount_cents',
    'sale',
    'order_amount',
    'revenue',
    'conversion_amount',
    'net_amount',
  ],
  saleId: [
    'sale_id',
    'invoice_id',
    'charge_id',
    'stripe_charge_id',
    'stripe_invoice_id',
    'order_id',
    'transaction_id',
    'event_id',
  ],
  customerId: [
    'stripe_customer_id',
    'customer_external_id',
    'customer_id',
    'external_customer_id',
    'uid',
  ],
  customerEmail: ['customer_email', 'referral_email', 'lead_email'],
  partnerEmail: ['affiliate_email', 'partner_email', 'promoter_email', 'email'],
  soldAt: ['sold_at', 'charged_at', 'sale_date', 'paid_on', 'created_at', 'created', 'date'],
}

const PRESETS: Preset[] = [
  {
    platform: 'Dub',
    signs: ['earnings', 'invoice_id', 'quantity'],
    columns: {
      id: ['id'],
      amount: ['earnings'],
      saleAmount: ['amount'],
      currency: ['currency'],
      state: ['status'],
      saleId: ['invoice_id'],
      soldAt: ['created_at'],
      partnerEmail: ['partner_email'],
      // Only Dub knows its own id of the customer.
      customerId: ['stripe_customer_id', 'customer_external_id'],
      customerEmail: ['customer_email'],
    },
  },
  {
    platform: 'Rewardful',
    signs: ['affiliate_email', 'stripe_charge_id'],
    columns: {
      id: ['id', 'commission_id'],
      amount: ['commission_amount', 'amount'],
      saleAmount: ['sale_amount', 'sale_amount_cents'],
      saleId: ['stripe_charge_id'],
      soldAt: ['charged_at', 'created_at'],
      state: ['state'],
    },
  },
]

/** Maps the columns of a file by their headers. */
export const recogniseCommissions = (
  headers: string[],
): { platform: string | null; columns: (CommissionColumn | null)[] } => {
  const keys = headers.map(headerKey)
  const has = (name: string) => keys.includes(headerKey(name))
  const preset = PRESETS.find(({ signs }) => signs.every(has))
  const columns: (CommissionColumn | null)[] = headers.map(() => null)
  const words = { ...GENERIC, ...preset?.columns }
  for (const [field, names] of Object.entries(words) as [CommissionColumn, string[]][]) {
    for (const name of names) {
      const column = keys.indexOf(headerKey(name))
      if (column < 0 || columns[column]) continue
      columns[column] = field
      if (field !== 'saleId') break
    }
  }
  return { platform: preset?.platform ?? null, columns }
}

/** Whether amounts are in minor units, by a header or by amounts with decimals; null if unknown. */
export const unitOfAmounts = (
  { headers, records }: CsvFile,
  columns: (CommissionColumn | null)[],
): boolean | null => {
  const own = [columns.indexOf('amount'), columns.indexOf('saleAmount')].filter(
    (column) => column >= 0,
  )
  if (own.some((column) => /cents$/.test(headerKey(headers[column] ?? '')))) return true
  return records.some(({ cells }) =>
    own.some((column) => /\d[.,]\d{2}(?!\d)/.test(cellText(cells[column]))),
  )
    ? false
    : null
}

/**
 * The states of other platforms. Rewardful's are the same as Tributary's. Dub's are pending,
 * processed, paid, refunded, duplicate, fraud, canceled.
 */
const STATES: [RegExp, PlatformState][] = [
  [/^(paid|completed|sent)$/, 'paid'],
  [/^(due|approved|processed|payable|confirmed|unpaid)$/, 'due'],
  [
    /^(void|voided|refunded|duplicate|fraud|cancell?ed|rejected|declined|denied|reversed|deleted)$/,
    'voided',
  ],
  [/^(|pending|hold|held|open|new)$/, 'pending'],
]

const stateOf = (text: string): PlatformState =>
  STATES.find(([pattern]) => pattern.test(text.trim().toLowerCase()))?.[1] ?? 'other'

export type UploadRow = {
  id?: string
  state: PlatformState
  amountCents: number
  currency: string
  saleAmountCents?: number
  saleIds?: string[]
  customerExternalId?: string
  customerEmail?: string
  partnerEmail?: string
  soldAt: string
}

export type UnreadRow = { line: number; message: string }

/** The rows of a file, and those that cannot be read. */
export const readCommissions = (
  { records }: CsvFile,
  { columns, inCents, zone, currency: usual }: CommissionMapping,
): { rows: UploadRow[]; problems: UnreadRow[] } => {
  const dates = columns.indexOf('soldAt')
  const order: DateOrder | null = dateOrder(records.map(({ cells }) => cellText(cells[dates])))
  const rows: UploadRow[] = []
  const problems: UnreadRow[] = []
  for (const { line, cells } of records) {
    const texts = (field: CommissionColumn) =>
      columns
        .flatMap((one, column) => (one === field ? [cellText(cells[column])] : []))
        .filter(Boolean)
    const text = (field: CommissionColumn) => texts(field)[0] ?? ''
    const amount = readAmount(text('amount'), inCents ?? false)
    const sale = text('saleAmount') ? readAmount(text('saleAmount'), inCents ?? false) : null
    const currency = (text('currency') || amount?.currency || usual).toUpperCase()
    const soldAt = dateOf(text('soldAt'), order, zone)
    const said = !amount
      ? inEnglish(m.shadow_not_an_amount, { text: text('amount') })
      : !soldAt
        ? inEnglish(m.shadow_not_a_date, { text: text('soldAt') })
        : isCurrency(currency)
          ? null
          : inEnglish(m.shadow_not_a_currency, { currency })
    if (said || !amount || !soldAt) {
      problems.push({ line, message: said ?? '' })
      continue
    }
    const [id, customer] = [text('id'), text('customerId')]
    const [customerEmail, partnerEmail] = [
      normalizeEmail(text('customerEmail')),
      normalizeEmail(text('partnerEmail')),
    ]
    const saleIds = [...new Set(texts('saleId'))].slice(0, MAX_SALE_IDS)
    rows.push({
      ...(id && { id }),
      state: stateOf(text('state')),
      amountCents: amount.cents,
      currency,
      ...(sale && sale.cents >= 0 && { saleAmountCents: sale.cents }),
      ...(saleIds.length > 0 && { saleIds }),
      ...(customer && { customerExternalId: customer }),
      ...(customerEmail && { customerEmail }),
      ...(partnerEmail && { partnerEmail }),
      soldAt,
    })
  }
  return { rows, problems }
}

/** The calls that upload these rows, each well below the body limit. */
export const callsOf = (rows: UploadRow[]): UploadRow[][] =>
  Array.from({ length: Math.ceil(rows.length / MAX_COMMISSION_ROWS) }, (_, call) =>
    rows.slice(call * MAX_COMMISSION_ROWS, (call + 1) * MAX_COMMISSION_ROWS),
  )
