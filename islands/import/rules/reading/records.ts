/** Turns the records of a CSV file into partner and customer rows (spec section 2). */
import type { PriorCommissions } from '../../../../lib/customers/prior-earnings.ts'
import { inEnglish } from '../../../../lib/languages/message.ts'
import * as m from '../../../../lib/languages/messages.ts'
import { normalizeEmail } from '../../../../lib/values/emails.ts'
import { MAX_AMOUNT_CENTS } from '../../../../lib/values/money.ts'
import { slugKey } from '../../../../lib/values/slugs.ts'
import { type FoundLink, linkIn } from '../links.ts'
import { cellText, readAmount } from './cells.ts'
import { type Columns, imports, type Mapping } from './columns.ts'
import { type DateOrder, dateOf, dateOrder } from './dates.ts'
import type { Field } from './fields.ts'
import { type PartnerStatus, statusOf } from './statuses.ts'

/** A line of the file: its spreadsheet row number (the header is 1) and raw cells. */
export type CsvRecord = { line: number; cells: string[] }

/** Why a row cannot be sent. The codes are those of the API where it has one. */
export type Problem = { code: string; message: string }

/** A row's lines in the file, and its problem. */
type Placed = { lines: number[]; problem: Problem | null }

export type FilePartner = Placed & {
  email: string
  name?: string
  slug?: string
  /** The link that contained the slug. */
  link?: FoundLink
  couponId?: string
  couponLabel?: string
  openingBalanceCents?: number
  /** A balance that is not imported because of its currency, in minor units. */
  foreignBalance?: { cents: number; currency: string }
  status?: PartnerStatus
  group?: string
  /** A problem with the balance. It matters only if balances are imported. */
  balanceProblem: Problem | null
  /** Slugs of later lines: further links of the partner. */
  otherSlugs: string[]
  /** Coupons of later lines. An import takes one per partner. */
  otherCoupons: string[]
}

export type FileCustomer = Placed & {
  customerExternalId: string
  customerEmail?: string
  partnerEmail: string
  startedAt?: string
  /** What the partner was paid earlier. Lines of one customer add up. */
  prior?: PriorCommissions
}

export type Rows = { partners: FilePartner[]; customers: FileCustomer[] }

/** Collects records one by one, so that the caller can yield in between. */
export type Collector = { add: (record: CsvRecord) => void; rows: () => Rows }

/** The order of day and month in the file's dates, if it has a column of them. */
export const orderOfDates = (columns: Columns, records: CsvRecord[]): DateOrder | null => {
  const column = columns.indexOf('startedAt')
  if (column < 0) return null
  return dateOrder(records.map(({ cells }) => cellText(cells[column])))
}

/**
 * Collects the rows of a file. Lines of one partner are merged: the first wins, and later lines
 * fill empty fields.
 *
 * @example
 * const collector = collectRows({ columns: ['email', 'slug'], inCents: null, zone: 'UTC' }, null)
 * collector.add({ line: 2, cells: ['maya@example.com', 'https://shop.example/?via=maya'] })
 * collector.rows().partners // [{ email: 'maya@example.com', slug: 'maya', lines: [2], ... }]
 */
export const collectRows = (
  { columns, inCents, zone }: Omit<Mapping, 'rows'>,
  order: DateOrder | null,
): Collector => {
  const feeds = imports(columns)
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

      // A line may name a customer's partner without describing the partner.
      if (feeds.partners && (text('email') || !text('partnerEmail'))) {
        const row = partnerRow(text, inCents ?? false, line)
        const known = partners.get(row.email)
        if (known) merge(known, row)
        else if (row.email) partners.set(row.email, row)
        else nameless.push(row)
        // A line without a partner is reported once.
        if (!row.email) return
      }
      if (!feeds.customers) return
      const row = customerRow(text, (date) => dateOf(date, order, zone), inCents ?? false, line)
      // In a file of both, a partner without customers is valid.
      if (!row.customerExternalId && feeds.partners && text('email')) return
      const key = `${row.customerExternalId}\n${row.partnerEmail}`
      const known = customers.get(key)
      if (known && row.customerExternalId) fill(known, row)
      else customers.set(row.customerExternalId ? key : `\n${line}`, row)
    },
    rows: () => ({
      partners: [...partners.values(), ...nameless],
      customers: [...customers.values()],
    }),
  }
}

/** As long as a group's name may be. */
const MAX_GROUP_LENGTH = 255

const partnerRow = (
  text: (field: Field) => string,
  inCents: boolean,
  line: number,
): FilePartner => {
  const email = normalizeEmail(text('email')) ?? ''
  const name = text('name') || [text('firstName'), text('lastName')].filter(Boolean).join(' ')
  const link = linkIn(text('slug'))
  const slug = link?.slug
  const couponId = text('couponId')
  const couponLabel = text('couponLabel')
  const balance = balanceOf(text('openingBalance'), text('balanceCurrency'), inCents)
  const status = statusOf(text('status'))
  const group = text('group').replace(/\s+/g, ' ').slice(0, MAX_GROUP_LENGTH)
  return {
    email,
    ...(name && { name }),
    ...(slug && { slug }),
    ...(link?.place && { link }),
    ...(couponId && { couponId }),
    // A label names a coupon; without the coupon there is nothing to name.
    ...(couponId && couponLabel && { couponLabel }),
    ...(balance.cents !== undefined && { openingBalanceCents: balance.cents }),
    ...(balance.foreign && { foreignBalance: balance.foreign }),
    ...(status && { status }),
    ...(group && { group }),
    balanceProblem: balance.problem,
    otherSlugs: [],
    otherCoupons: [],
    lines: [line],
    problem: partnerProblem(email, text('slug'), link),
  }
}

const partnerProblem = (
  email: string,
  slugText: string,
  link: FoundLink | null,
): Problem | null => {
  if (!email) return { code: 'email_invalid', message: inEnglish(m.import_row_without_partner) }
  if (link === null)
    return {
      code: 'slug_missing',
      message: inEnglish(m.import_row_without_slug, { text: slugText }),
    }
  return null
}

const balanceOf = (
  text: string,
  currencyText: string,
  inCents: boolean,
): { cents?: number; foreign?: FilePartner['foreignBalance']; problem: Problem | null } => {
  if (!text) return { problem: null }
  const invalid = (message: string) => ({ problem: { code: 'opening_balance_invalid', message } })
  const amount = readAmount(text, inCents)
  if (amount === null) return invalid(inEnglish(m.import_not_an_amount, { text }))
  const currency = currencyText.toUpperCase() || amount.currency || 'USD'
  if (amount.cents === 0) return { problem: null }
  if (currency !== 'USD') {
    const message = inEnglish(m.import_balance_not_usd, { currency })
    return {
      foreign: { cents: amount.cents, currency },
      problem: { code: 'balance_not_usd', message },
    }
  }
  if (amount.cents < 0) return invalid(inEnglish(m.import_negative_balance, { text }))
  if (amount.cents > MAX_AMOUNT_CENTS)
    return invalid(inEnglish(m.import_balance_too_large, { text }))
  return { cents: amount.cents, problem: null }
}

/** Merges a later line of the same partner. */
const merge = (known: FilePartner, row: FilePartner): void => {
  known.lines.push(...row.lines)
  known.problem ??= row.problem
  if (!known.name && row.name) known.name = row.name
  if (!known.status && row.status) known.status = row.status
  if (!known.group && row.group) known.group = row.group
  if (!known.slug && row.slug) {
    known.slug = row.slug
    if (row.link) known.link = row.link
  } else if (row.slug && !sameSlug(row.slug, [known.slug ?? '', ...known.otherSlugs])) {
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

const sameSlug = (slug: string, others: string[]): boolean =>
  others.map(slugKey).includes(slugKey(slug))

const customerRow = (
  text: (field: Field) => string,
  readDate: (text: string) => string | null,
  inCents: boolean,
  line: number,
): FileCustomer => {
  const customerEmail = normalizeEmail(text('customerEmail')) ?? ''
  const partnerEmail = normalizeEmail(text('email') || text('partnerEmail')) ?? ''
  const started = text('startedAt')
  const startedAt = started && readDate(started)
  const prior = priorOf(text, inCents)
  return {
    customerExternalId: text('customerExternalId') || customerEmail,
    partnerEmail,
    ...(customerEmail && { customerEmail }),
    ...(startedAt && { startedAt }),
    ...(prior && { prior }),
    lines: [line],
    problem:
      customerProblem(
        text('customerExternalId') || customerEmail,
        partnerEmail,
        started,
        startedAt,
      ) ?? (prior === null ? priorInvalid() : null),
  }
}

const priorInvalid = (): Problem => ({
  code: 'prior_invalid',
  message: inEnglish(m.import_prior_invalid),
})

/**
 * What the partner was paid earlier for a customer. A line with an amount and no number is one
 * commission.
 *
 * @returns undefined if the line has neither, null if it is invalid
 */
const priorOf = (
  text: (field: Field) => string,
  inCents: boolean,
): PriorCommissions | null | undefined => {
  const [number, amountText] = [text('priorCommissions'), text('priorAmount')]
  if (!number && !amountText) return undefined
  const amount = amountText ? readAmount(amountText, inCents) : undefined
  const currency = (
    text('priorCurrency') ||
    text('balanceCurrency') ||
    amount?.currency ||
    'USD'
  ).toUpperCase()
  if (amount === null || !/^(\d{1,6})?$/.test(number) || !/^[A-Z]{3}$/.test(currency)) return null
  return { commissions: number ? Number(number) : 1, amountCents: amount?.cents ?? null, currency }
}

const customerProblem = (
  id: string,
  partnerEmail: string,
  started: string,
  startedAt: string | null,
): Problem | null => {
  if (!id) return { code: 'customer_id_invalid', message: inEnglish(m.import_row_without_customer) }
  if (!partnerEmail)
    return { code: 'partner_email_invalid', message: inEnglish(m.import_row_without_partner) }
  if (startedAt === null)
    return {
      code: 'started_at_invalid',
      message: inEnglish(m.import_date_invalid, { text: started }),
    }
  return null
}

/** Merges a later line of the same customer and partner. */
const fill = (known: FileCustomer, row: FileCustomer): void => {
  known.lines.push(...row.lines)
  if (!known.customerEmail && row.customerEmail) known.customerEmail = row.customerEmail
  // The earliest date is the customer's first sale.
  if (row.startedAt && (!known.startedAt || row.startedAt < known.startedAt))
    known.startedAt = row.startedAt
  if (row.prior) addPrior(known, row.prior)
  known.problem ??= row.problem
}

/** Adds up the lines of one customer. Amounts in several currencies have no sum. */
const addPrior = (known: FileCustomer, more: PriorCommissions): void => {
  const { commissions = 0, amountCents = null, currency = more.currency } = known.prior ?? {}
  if (currency !== more.currency) known.problem ??= priorInvalid()
  known.prior = {
    commissions: (commissions ?? 0) + (more.commissions ?? 0),
    amountCents:
      amountCents === null && more.amountCents === null
        ? null
        : (amountCents ?? 0) + (more.amountCents ?? 0),
    currency,
  }
}
