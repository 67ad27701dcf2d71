/** A statement, for the partner and for managers. */

import type { Entry, StatementPartner } from '../papers/statements.queries.ts'
import { type CurrencyStatement, ENTRY_WORDS, type Month, monthOf, monthWords } from '../papers/statements.ts'
import { counted } from '../plural.ts'
import { Select } from './fields.tsx'
import { money } from './money.tsx'
import { Table } from './parts.tsx'

/** Lines on a page. The CSV file has all. */
export const MAX_LINES = 200

type Props = {
  partner: StatementPartner
  month: Month
  /** Months to choose from. */
  months: string[]
  balances: CurrencyStatement[]
  /** At most one more than a page has. */
  lines: Entry[]
  /** The page's path with the partner, and hidden fields of its form. */
  path: string
  hidden?: Record<string, string>
  csv: string
}

const Balance = ({ balance }: { balance: CurrencyStatement }) => (
  <>
    <h2>Balance in {balance.currency}</h2>
    <Table caption={`Balance in ${balance.currency}`} head={['Entry', { number: 'Amount' }]}>
      <tr>
        <td>Balance at the start</td>
        <td class="number">{money(balance.openingCents, balance.currency)}</td>
      </tr>
      {balance.sums.map(({ kind, cents }) => (
        <tr>
          <td>{ENTRY_WORDS[kind].sum}</td>
          <td class="number">{money(cents, balance.currency)}</td>
        </tr>
      ))}
      <tr>
        <td>
          <strong>Balance at the end</strong>
        </td>
        <td class="number">
          <strong>{money(balance.closingCents, balance.currency)}</strong>
        </td>
      </tr>
    </Table>
  </>
)

/** A month by its key, as people write it. */
const optionOf = (key: string) => {
  const month = monthOf(key)
  return { value: key, label: month ? monthWords(month) : key }
}

/** What was earned and paid in a month, and the balances around it. */
export const Statement = ({ partner, month, months, balances, lines, path, hidden = {}, csv }: Props) => (
  <>
    <h1>Statement of {monthWords(month)}</h1>
    <dl class="facts">
      <dt>Partner</dt>
      <dd>{partner.name ?? partner.email}</dd>
      <dt>Program</dt>
      <dd>
        {partner.program}, {partner.workspace}
      </dd>
    </dl>
    <form class="filters noprint" method="get" action={path}>
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <Select label="Month" name="month" options={months.map(optionOf)} value={month.key} />
      <button type="submit" class="quiet">
        Show month
      </button>
    </form>
    <p class="noprint">
      <a href={csv}>Download CSV</a>. To save it as PDF, print this page.
    </p>
    {balances.map((balance) => (
      <Balance balance={balance} />
    ))}
    {balances.length === 0 && <p class="empty">Nothing was earned or paid until the end of this month.</p>}
    {lines.length > 0 && (
      <>
        <h2>Entries</h2>
        <Table caption="Entries" head={['Date', 'Type', 'Reference', { number: 'Amount' }]}>
          {lines.slice(0, MAX_LINES).map(({ at, kind, reference, cents, currency }) => (
            <tr>
              <td class="nowrap">{at}</td>
              <td>{ENTRY_WORDS[kind].one}</td>
              <td class="nowrap">{reference}</td>
              <td class="number">{money(cents, currency)}</td>
            </tr>
          ))}
        </Table>
      </>
    )}
    {lines.length > MAX_LINES && (
      <p class="hint">The first {counted(MAX_LINES, 'entry', 'entries')} are shown. The CSV file has all.</p>
    )}
    <p class="hint">
      Days are in UTC. A commission counts when it was earned, a payout when it was paid. Earnings of the last
      days may still be reversed.
    </p>
  </>
)
