/** Papers as CSV. */

import { type CurrencyStatement, ENTRY_WORDS, type Month } from '../rules/statements/statements.ts'
import { csvLines } from '../values/csv.ts'
import { exactMoney } from '../values/money.ts'
import type { PaidInYear } from './payout-years.queries.ts'
import type { Entry } from './statements.queries.ts'

const money = (cents: bigint, currency: string) => ({ number: exactMoney(cents, currency) })
const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** A statement: the balance at its start, each entry, and the balance at its end, by currency. */
export const statementCsv = (
  { start, end }: Month,
  balances: CurrencyStatement[],
  lines: Entry[],
): string =>
  csvLines([
    ['date', 'description', 'reference', 'currency', 'amount'],
    ...balances.flatMap(({ currency, openingCents, closingCents }) => [
      [dayOf(start), 'Balance at the start', '', currency, money(openingCents, currency)],
      ...lines
        .filter((line) => line.currency === currency)
        .map(({ at, kind, id, reference, cents }) => [
          at,
          ENTRY_WORDS[kind].one,
          reference ?? id,
          currency,
          money(cents, currency),
        ]),
      [
        dayOf(new Date(end.getTime() - 1)),
        'Balance at the end',
        '',
        currency,
        money(closingCents, currency),
      ],
    ]),
  ])

/** A year's payouts: a line per person and currency. */
export const yearCsv = (year: number, paid: PaidInYear[]): string =>
  csvLines([
    [
      ...[
        'year',
        'e-mail',
        'name',
        'country',
        'vat id',
        'documents received',
        'currency',
        'payouts',
      ],
      ...['paid by stripe', 'paid by bank', 'came back', 'net'],
    ],
    ...paid.map((row) => [
      String(year),
      row.email,
      row.name ?? '',
      row.country ?? '',
      row.vatId ?? '',
      row.documentsReceived ? 'yes' : 'no',
      row.currency,
      String(row.payouts),
      ...[row.stripeCents, row.manualCents, row.returnedCents, row.netCents].map((cents) =>
        money(cents, row.currency),
      ),
    ]),
  ])
