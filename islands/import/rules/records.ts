/** Turns the records of a CSV file into the rows of the two imports. Spec, section 2. */
import { normalizeEmail } from '../../../lib/emails.ts'
import { MAX_AMOUNT_CENTS } from '../../../lib/money.ts'
import { slugKey } from '../../../lib/slugs.ts'
import { cellText, readAmount, slugOf } from './cells.ts'
import { type Columns, imports, isInCents } from './columns.ts'
import { type DateOrder, dateOf, dateOrder } from './dates.ts'
import type { Field } from './fields.ts'

/** A line of the file: its number as a spreadsheet counts them (the header is 1), and its cells as they are. */
export type CsvRecord = { line: number; cells: string[] }

/** Why a row can't be sent as it is. The codes are those of the API where it has one. */
export type Problem = { code: string; message: string }

/** A row of the file beside its place in it. */
type Placed = { lines: number[]; problem: Problem | null }

export type FilePartner = Placed & {
  email: string
  name?: string
  slug?: string
  couponId?: string
  couponLabel?: string
  openingBalanceCents?: number
  /** What is wrong with the balance, which matters only when balances are imported. */
  balanceProblem: Problem | null
  /** Slugs of later lines: a partner has one, so links with these will break. */
  otherSlugs: string[]
  /** Coupons of later lines: an import takes one for each partner. */
  otherCoupons: string[]
}

export type FileCustomer = Placed & {
  customerExternalId: string
  customerEmail?: string
  partnerEmail: string
  startedAt?: string
}

export type Rows = { partners: FilePartner[]; customers: FileCustomer[] }

/** Takes a file's records one by one, so that the caller may rest between them, and gives the rows at the end. */
export type Collector = { add: (record: CsvRecord) => void; rows: () => Rows }

/** The order of day and month in the file's dates, if it has a column of them. */
export const orderOfDates = (columns: Columns, records: CsvRecord[]): DateOrder | null => {
  const column = columns.indexOf('startedAt')
  if (column < 0) return null
  return dateOrder(records.map(({ cells }) => cellText(cells[column])))
}

/**
 * Collects the rows of a file. A file with a line per customer gives each partner once: the first line wins, and
 * later lines fill what it left empty.
 *
 * @example
 * const collector = collectRows(['Email', 'Via'], ['email', 'slug'], null)
 * collector.add({ line: 2, cells: ['maya@example.com', 'https://shop.example/?via=maya'] })
 * collector.rows().partners // [{ email: 'maya@example.com', slug: 'maya', lines: [2], ... }]
 */
export const collectRows = (headers: string[], columns: Columns, order: DateOrder | null): Collector => {
  const feeds = imports(columns)
  const inCents = isInCents(headers[columns.indexOf('openingBalance')] ?? '')
  const partners = new Map<string, FilePartner>()
  const customers = new Map<string, FileCustomer>()
  const nameless: FilePartner[] = []

  return {
    add: ({ line, cells }) => {
      if (cells.every((cell) => cellText(cell) === '')) return
      const text = (field: Field): string => {
        const column = columns.indexOf(field)
        return column < 0 ? '' : cellText(cells[column])
      }

      if (feeds.partners) {
        const row = partnerRow(text, inCents, line)
        const known = partners.get(row.email)
        if (known) merge(known, row)
        else if (row.email) partners.set(row.email, row)
        else nameless.push(row)
        // A line without a partner is told of once.
        if (!row.email) return
      }
      if (!feeds.customers) return
      const row = customerRow(text, order, line)
      // In a file that has partners too, a partner without customers is a line like any other.
      if (!row.customerExternalId && feeds.partners) return
      const key = `${row.customerExternalId}\n${row.partnerEmail}`
      const known = customers.get(key)
      if (known && row.customerExternalId) fill(known, row)
      else customers.set(row.customerExternalId ? key : `\n${line}`, row)
    },
    rows: () => ({ partners: [...partners.values(), ...nameless], customers: [...customers.values()] }),
  }
}

const partnerRow = (text: (field: Field) => string, inCents: boolean, line: number): FilePartner => {
  const email = normalizeEmail(text('email')) ?? ''
  const name = text('name') || [text('firstName'), text('lastName')].filter(Boolean).join(' ')
  const slug = slugOf(text('slug'))
  const couponId = text('couponId')
  const couponLabel = text('couponLabel')
  const balance = balanceOf(text('openingBalance'), text('balanceCurrency'), inCents)
  return {
    email,
    ...(name && { name }),
    ...(slug && { slug }),
    ...(couponId && { couponId }),
    // A label names a coupon; without the coupon there is nothing to name.
    ...(couponId && couponLabel && { couponLabel }),
    ...(balance.cents !== undefined && { openingBalanceCents: balance.cents }),
    balanceProblem: balance.problem,
    otherSlugs: [],
    otherCoupons: [],
    lines: [line],
    problem: email
      ? null
      : { code: 'email_invalid', message: 'The line has no e-mail address of a partner.' },
  }
}

const balanceOf = (
  text: string,
  currencyText: string,
  inCents: boolean,
): { cents?: number; problem: Problem | null } => {
  if (!text) return { problem: null }
  const invalid = (message: string) => ({ problem: { code: 'opening_balance_invalid', message } })
  const amount = readAmount(text, inCents)
  if (amount === null) return invalid(`“${text}” is not an amount. Write it like 1234.50.`)
  const currency = currencyText.toUpperCase() || amount.currency || 'USD'
  if (amount.cents === 0) return { problem: null }
  if (currency !== 'USD') {
    const message = `The balance is in ${currency}. Opening balances are paid in USD: convert it first.`
    return { problem: { code: 'balance_not_usd', message } }
  }
  if (amount.cents < 0) return invalid(`“${text}” is below zero, and such a balance can’t be paid out.`)
  if (amount.cents > MAX_AMOUNT_CENTS) return invalid(`“${text}” is more than one commission can hold.`)
  return { cents: amount.cents, problem: null }
}

/** Adds what a later line of the same partner knows. */
const merge = (known: FilePartner, row: FilePartner): void => {
  known.lines.push(...row.lines)
  if (!known.name && row.name) known.name = row.name
  if (!known.slug && row.slug) known.slug = row.slug
  else if (row.slug && !sameSlug(row.slug, [known.slug ?? '', ...known.otherSlugs])) {
    known.otherSlugs.push(row.slug)
  }
  if (!known.couponId && row.couponId) {
    known.couponId = row.couponId
    if (row.couponLabel) known.couponLabel = row.couponLabel
  } else if (row.couponId && ![known.couponId, ...known.otherCoupons].includes(row.couponId)) {
    known.otherCoupons.push(row.couponId)
  }
  if (known.openingBalanceCents === undefined && !known.balanceProblem) {
    if (row.openingBalanceCents !== undefined) known.openingBalanceCents = row.openingBalanceCents
    known.balanceProblem = row.balanceProblem
  }
}

const sameSlug = (slug: string, others: string[]): boolean => others.map(slugKey).includes(slugKey(slug))

const customerRow = (text: (field: Field) => string, order: DateOrder | null, line: number): FileCustomer => {
  const customerEmail = normalizeEmail(text('customerEmail')) ?? ''
  const partnerEmail = normalizeEmail(text('email') || text('partnerEmail')) ?? ''
  const started = text('startedAt')
  const startedAt = started && dateOf(started, order)
  return {
    customerExternalId: text('customerExternalId') || customerEmail,
    partnerEmail,
    ...(customerEmail && { customerEmail }),
    ...(startedAt && { startedAt }),
    lines: [line],
    problem: customerProblem(text('customerExternalId') || customerEmail, partnerEmail, started, startedAt),
  }
}

const customerProblem = (
  id: string,
  partnerEmail: string,
  started: string,
  startedAt: string | null,
): Problem | null => {
  if (!id)
    return { code: 'customer_id_invalid', message: 'The line has neither an id nor an e-mail of a customer.' }
  if (!partnerEmail) {
    return { code: 'partner_email_invalid', message: 'The line has no e-mail address of a partner.' }
  }
  if (startedAt === null) {
    return { code: 'started_at_invalid', message: `Can’t tell which day “${started}” is. Write 2025-01-31.` }
  }
  return null
}

/** Adds a further line of the same customer and partner. */
const fill = (known: FileCustomer, row: FileCustomer): void => {
  known.lines.push(...row.lines)
  if (!known.customerEmail && row.customerEmail) known.customerEmail = row.customerEmail
  // The earliest date is the customer's first sale.
  if (row.startedAt && (!known.startedAt || row.startedAt < known.startedAt)) known.startedAt = row.startedAt
  known.problem ??= row.problem
}
