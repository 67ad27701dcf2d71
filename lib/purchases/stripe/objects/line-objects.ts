/** Reads what was bought, line by line, from the objects of Stripe's events. */
import { furtherLines, soldLines } from '../../../rules/purchases/sold-lines.ts'
import type { BillingInterval, StoredLine } from '../../../rules/rewards/sale-lines.ts'
import { fromStripe } from '../../../stripe/amounts.ts'
import type { CheckoutLine, CreditNoteLine, InvoiceLine, Price, Taxes } from './lines.schemas.ts'
import { sum } from './paid-amounts.ts'

/** A page of lines, as `page` of fields.schemas.ts reads it. */
type Page<Line> = { data: Line[]; hasMore: boolean; total: number | null }

/** A line of which it may not be known what it costs. In Stripe's units. */
type Priced = { line: StoredLine; net: number | null }

/**
 * The lines as they are stored; none if an amount is missing, or no line names a product.
 *
 * @param net what all lines cost together, in Stripe's units: the rest is of those that are left
 *   out
 */
const storedLines = (
  { data, hasMore, total }: Page<unknown>,
  priced: Priced[],
  net: number,
  currency: string,
): { lines?: StoredLine[] } => {
  if (priced.some((one) => one.net === null)) return {}
  const lines = priced.map(({ line, net }) => ({ ...line, amountCents: net ?? 0 }))
  const rest = net - lines.reduce((sum, { amountCents }) => sum + amountCents, 0)
  const missing = total !== null && total > data.length ? total - data.length : null
  const sold = soldLines([
    ...lines,
    ...(hasMore && rest !== 0 ? [furtherLines(missing, rest)] : []),
  ])
  if (!sold.some(({ productId }) => productId)) return {}
  return {
    lines: sold.map((line) => ({
      ...line,
      amountCents: fromStripe(line.amountCents, currency),
    })),
  }
}

/** @param net what all lines cost together, after discounts and without tax and shipping */
export const linesOfInvoice = (lines: Page<InvoiceLine>, net: number, currency: string) =>
  storedLines(lines, lines.data.map(readInvoiceLine), net, currency)

/** The same of a checkout. */
export const linesOfCheckout = (lines: Page<CheckoutLine>, net: number, currency: string) =>
  storedLines(lines, lines.data.map(readCheckoutLine), net, currency)

const readInvoiceLine = (line: InvoiceLine): Priced => {
  const { id, amount, description, quantity, metadata, pricing, price: former } = line
  const details = pricing?.price_details
  const price = details?.price ?? former ?? null
  return {
    line: describe({
      id,
      productId: details?.product ?? price?.product ?? null,
      priceId: price?.id ?? null,
      name: description,
      quantity: quantity ?? null,
      metadata: metadata ?? null,
      billingInterval: intervalOfLine(line, price),
      isProration: isProrationLine(line),
    }),
    net:
      amount == null
        ? null
        : withoutIncludedTax(amount, line) -
          sum(line.discount_amounts) -
          sum(line.pretax_credit_amounts?.filter(({ type }) => type !== 'discount')),
  }
}

const readCheckoutLine = (line: CheckoutLine): Priced => {
  const { id, description, quantity, metadata, price, amount_total: total, amount_tax: tax } = line
  return {
    line: describe({
      id,
      productId: price?.product ?? null,
      priceId: price?.id ?? null,
      name: description,
      quantity: quantity ?? null,
      metadata: metadata ?? null,
      billingInterval: price?.recurring ? intervalOf(price.recurring) : null,
      isProration: false,
    }),
    net: total == null ? null : total - (tax ?? 0),
  }
}

/**
 * The net amounts that a credit note names of lines of its invoice. What it credits without naming
 * a line is of no line.
 *
 * @param counted its part that counts, of its total
 */
export const linesOfCreditNote = (
  { data }: Page<CreditNoteLine>,
  counted: (cents: number) => number,
): { lines?: { line: string; netCents: number }[] } => {
  const lines = data.flatMap((one) => {
    const { invoice_line_item: line, amount, discount_amount: discount } = one
    if (!line || amount == null) return []
    const netCents = counted(withoutIncludedTax(amount, one) - (discount ?? 0))
    return netCents > 0 ? [{ line, netCents }] : []
  })
  return lines.length ? { lines } : {}
}

/** Taxes on top of an amount are not in it. Older versions state the amount without tax, too. */
const withoutIncludedTax = (
  amount: number,
  line: { taxes?: Taxes; tax_amounts?: Taxes; amount_excluding_tax?: number | null | undefined },
): number => {
  const taxes = line.taxes ?? line.tax_amounts
  if (!taxes) return line.amount_excluding_tax ?? amount
  return amount - sum(taxes.filter((tax) => tax.inclusive ?? tax.tax_behavior === 'inclusive'))
}

/** Whether a line charges, or credits, a change of a subscription within a period. */
const isProrationLine = ({ parent, proration }: InvoiceLine): boolean => {
  const details = parent?.subscription_item_details ?? parent?.invoice_item_details
  return details?.proration ?? proration ?? false
}

type Described = {
  id: string | null
  productId: string | null
  priceId: string | null
  name: string | null
  quantity: number | null
  metadata: Record<string, string> | null
  billingInterval: BillingInterval | null
  isProration: boolean
}

/** A line with what is known of it alone, because facts are kept. */
const describe = (line: Described): StoredLine => {
  const { id, productId, priceId, quantity, billingInterval, isProration } = line
  const name = line.name && nameOf(line.name)
  const metadata = keptOf(line.metadata)
  return {
    productId,
    ...(priceId && { priceId }),
    ...(name && { name }),
    quantity: quantity ?? 1,
    amountCents: 0,
    ...(metadata && { metadata }),
    ...(billingInterval && { billingInterval }),
    ...(isProration && { isProration }),
    ...(id && { id }),
  }
}

/** In characters, as many as a page shows. */
const MAX_NAME_LENGTH = 100

/** "1 × Pro (at $49.00 / month)" of an invoice is "Pro" of its price, in all languages. */
const nameOf = (description: string): string =>
  description
    .replace(/^[\d.,\s]+ ×\s+(\S.*?) \([^()]*\)$/u, '$1')
    .slice(0, MAX_NAME_LENGTH)
    .replace(/\p{Cs}/gu, '')
    .trim()

/** The keys that are read of other objects' metadata: ids, which no rule asks for. */
const READ_KEYS = ['externalId', 'customerExternalId', 'tributary_click']

/** In characters of keys and values. Stripe allows 27,000 per line, and repeats it on each line. */
const MAX_METADATA_LENGTH = 500

/** As many entries of a line's metadata as there is room for, in its order. */
const keptOf = (metadata: Record<string, string> | null): Record<string, string> | null => {
  let left = MAX_METADATA_LENGTH
  const kept = Object.entries(metadata ?? {}).filter(([key, value]) => {
    const length = key.length + value.length
    if (READ_KEYS.includes(key) || /[\0\p{Cs}]/u.test(key + value) || length > left) return false
    left -= length
    return true
  })
  return kept.length ? Object.fromEntries(kept) : null
}

const BY_MONTHS = new Map<number, BillingInterval>([
  [1, 'month'],
  [3, 'quarter'],
  [6, 'half_year'],
  [12, 'year'],
])

/** The interval of a price. */
const intervalOf = ({
  interval,
  interval_count: count,
}: {
  interval: string
  interval_count: number
}): BillingInterval | null => {
  if (interval === 'month') return BY_MONTHS.get(count) ?? null
  if (interval === 'year') return BY_MONTHS.get(12 * count) ?? null
  if (interval === 'week') return count === 1 ? 'week' : null
  return interval === 'day' && count === 1 ? 'day' : null
}

const DAY_MS = 86_400_000

/** By its price, else by the period that it bills. A proration bills a part of one. */
const intervalOfLine = (line: InvoiceLine, price: Price | null): BillingInterval | null => {
  if (price?.recurring) return intervalOf(price.recurring)
  const isOfSubscription = line.parent?.subscription_item_details || line.type === 'subscription'
  return isOfSubscription && line.period && !isProrationLine(line)
    ? intervalOfPeriod(line.period)
    : null
}

const intervalOfPeriod = ({ start, end }: { start: Date; end: Date }): BillingInterval | null => {
  const days = (Number(end) - Number(start)) / DAY_MS
  if (days === 1) return 'day'
  if (days === 7) return 'week'
  const months = monthOf(end) - monthOf(start)
  const isWhole = start.getUTCDate() === end.getUTCDate() || isLastDay(start) || isLastDay(end)
  return isWhole ? (BY_MONTHS.get(months) ?? null) : null
}

const monthOf = (at: Date): number => at.getUTCFullYear() * 12 + at.getUTCMonth()

/** Periods that begin on the 31st end earlier in shorter months. */
const isLastDay = (at: Date): boolean => new Date(Number(at) + DAY_MS).getUTCDate() === 1
