/** A statement, for the partner and for managers. */

import { LOCALES } from '../../languages/languages.ts'
import * as m from '../../languages/messages.ts'
import { ENTRY_NAMES } from '../../languages/names.ts'
import type { Entry, StatementPartner } from '../../papers/statements.queries.ts'
import { type CurrencyStatement, type Month, monthOf } from '../../rules/statements/statements.ts'
import { QuietButton } from '../forms/buttons.tsx'
import { Select } from '../forms/fields.tsx'
import { Fact } from '../layout/parts.tsx'
import { t } from '../layout/text.ts'
import { money, pageLanguage } from '../parts/money.tsx'
import { linkTo } from '../parts/tags.tsx'
import { Table } from './table.tsx'

/** Lines on a page. The CSV file has all lines. */
export const MAX_LINES = 200

type Props = {
  partner: StatementPartner
  month: Month
  /** The months of the form. */
  months: string[]
  balances: CurrencyStatement[]
  /** At most one line more than a page has. */
  lines: Entry[]
  /** The page's path with the partner, and hidden fields of its form. */
  path: string
  hidden?: Record<string, string>
  csv: string
}

const Balance = ({ balance }: { balance: CurrencyStatement }) => (
  <>
    <h2>{t(m.balance_in, { currency: balance.currency })}</h2>
    <Table
      caption={t(m.balance_in, { currency: balance.currency })}
      head={[t(m.entry_column), { number: t(m.amount_column) }]}
    >
      <tr>
        <td>{t(m.balance_at_start)}</td>
        <td class="number">{money(balance.openingCents, balance.currency)}</td>
      </tr>
      {balance.sums.map(({ kind, cents }) => (
        <tr>
          <td>{t(ENTRY_NAMES[kind].sum)}</td>
          <td class="number">{money(cents, balance.currency)}</td>
        </tr>
      ))}
      <tr>
        <td>
          <strong>{t(m.balance_at_end)}</strong>
        </td>
        <td class="number">
          <strong>{money(balance.closingCents, balance.currency)}</strong>
        </td>
      </tr>
    </Table>
  </>
)

/** "October 2026". */
const monthWords = ({ start }: Month): string =>
  start.toLocaleDateString(LOCALES[pageLanguage()], {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })

/** A month by its key, in words. */
const optionOf = (key: string) => {
  const month = monthOf(key)
  return { value: key, label: month ? monthWords(month) : key }
}

/** The earnings and payouts of a month, and the balances before and after. */
export const Statement = ({
  partner,
  month,
  months,
  balances,
  lines,
  path,
  hidden = {},
  csv,
}: Props) => (
  <>
    <h1>{t(m.statement_of, { month: monthWords(month) })}</h1>
    <dl class="facts">
      <Fact name={m.partner}>{partner.name ?? partner.email}</Fact>
      <Fact name={m.program}>
        {partner.program}, {partner.workspace}
      </Fact>
    </dl>
    <form class="filters noprint" method="get" action={path}>
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <Select
        label={t(m.month_field)}
        name="month"
        options={months.map(optionOf)}
        value={month.key}
      />
      <QuietButton>{t(m.show_month)}</QuietButton>
    </form>
    <p class="noprint">{t(m.download_statement, { link: linkTo(csv) })}</p>
    {balances.map((balance) => (
      <Balance balance={balance} />
    ))}
    {balances.length === 0 && <p class="empty">{t(m.statement_empty)}</p>}
    {lines.length > 0 && (
      <>
        <h2>{t(m.entries)}</h2>
        <Table
          caption={t(m.entries)}
          head={[
            t(m.date_column),
            t(m.type_column),
            t(m.reference_column),
            { number: t(m.amount_column) },
          ]}
        >
          {lines.slice(0, MAX_LINES).map(({ at, kind, reference, cents, currency }) => (
            <tr>
              <td class="nowrap">{at}</td>
              <td>{t(ENTRY_NAMES[kind].one)}</td>
              <td class="nowrap">{reference}</td>
              <td class="number">{money(cents, currency)}</td>
            </tr>
          ))}
        </Table>
      </>
    )}
    {lines.length > MAX_LINES && <p class="hint">{t(m.first_entries, { count: MAX_LINES })}</p>}
    <p class="hint">{t(m.statement_hint)}</p>
  </>
)
