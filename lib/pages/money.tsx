/** Amounts and counts on pages, as their reader writes them. CSV files, emails and the API use `formatMoney`. */
import { type Child, createContext, useContext } from 'hono/jsx'
import { formatMoney, type MoneyFormat } from '../money.ts'
import { moneyFormat, type NumberFormat, numberFormat } from './number-format.ts'

const PageMoney = createContext<MoneyFormat>(formatMoney)

/** Formats an amount in a component of a page that `renderMoney` renders. */
export const money: MoneyFormat = (amountCents, currency) => useContext(PageMoney)(amountCents, currency)

const PageNumbers = createContext<NumberFormat>(numberFormat('en'))

/** Formats a count, or a rate, in a component of a page that `renderNumbers` renders. Counts in sentences are English. */
export const figure: NumberFormat = (number) => useContext(PageNumbers)(number)

/** Renders a page with its numbers in the reader's language, and with currency codes if it has several currencies. */
export const renderNumbers = (locale: string, page: Child): string => {
  const currencies = new Set<string>()
  const render = (hasCodes: boolean) => {
    const format = moneyFormat(locale, hasCodes)
    const noting: MoneyFormat = (amountCents, currency) => {
      currencies.add(currency)
      return format(amountCents, currency)
    }
    return String(
      <PageMoney.Provider value={noting}>
        <PageNumbers.Provider value={numberFormat(locale)}>{page}</PageNumbers.Provider>
      </PageMoney.Provider>,
    )
  }
  const withSymbols = render(false)
  return currencies.size > 1 ? render(true) : withSymbols
}
