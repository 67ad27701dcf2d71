/** The amounts of a file: their unit and their sums. */
import { cellText } from './reading/cells.ts'
import { type Columns, unitOf } from './reading/columns.ts'
import type { CsvRecord, FileCustomer, FilePartner } from './reading/records.ts'

/**
 * Whether balances or, without them, earlier commissions are in minor units, by the header or by
 * amounts with decimals.
 *
 * @returns null if that is unknown: a wrong guess would pay a hundredfold
 */
export const unitIn = (
  headers: string[],
  columns: Columns,
  records: CsvRecord[],
): boolean | null => {
  const column = columns.indexOf(
    columns.includes('openingBalance') ? 'openingBalance' : 'priorAmount',
  )
  if (column < 0) return null
  const said = unitOf(headers[column] ?? '')
  if (said !== null) return said
  const texts = records
    .map(({ cells }) => cellText(cells[column]))
    .filter((text) => /[1-9]/.test(text))
  const hasDecimals = texts.some((text) => /\d[.,]\d{1,2}(?!\d)/.test(text))
  return texts.length === 0 || hasDecimals ? false : null
}

/** The sum of amounts in one currency, in minor units, and the partners with the three largest. */
export type Sum = { currency: string; cents: number; largest: { of: string; cents: number }[] }

const addUp = (amounts: { of: string; cents: number; currency: string }[]): Sum[] => {
  const sums = new Map<string, Sum>()
  for (const { of, cents, currency } of amounts) {
    if (cents <= 0) continue
    const sum = sums.get(currency) ?? { currency, cents: 0, largest: [] }
    const largest = [...sum.largest, { of, cents }].sort((a, b) => b.cents - a.cents).slice(0, 3)
    sums.set(currency, { currency, cents: sum.cents + cents, largest })
  }
  return [...sums.values()].sort(
    (a, b) => Number(b.currency === 'USD') - Number(a.currency === 'USD'),
  )
}

/**
 * Opening balances are in USD. Balances in other currencies are not imported, but shown separately.
 */
export const balanceSums = (partners: FilePartner[]): Sum[] =>
  addUp(
    partners.map(({ email, openingBalanceCents: cents = 0, foreignBalance }) => ({
      of: email,
      ...(foreignBalance ?? { cents, currency: 'USD' }),
    })),
  )

/** The amounts that partners were paid earlier, for customers that are not refused. */
export const priorSums = (customers: FileCustomer[]): Sum[] =>
  addUp(
    customers.flatMap(({ customerExternalId, prior, problem }) =>
      prior && problem === null
        ? [{ of: customerExternalId, cents: prior.amountCents ?? 0, currency: prior.currency }]
        : [],
    ),
  )
