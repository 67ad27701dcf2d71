/** Amounts and counts on pages, as their reader writes them. CSV files, emails and the API use `formatMoney`. */
import { type Child, createContext, useContext } from 'hono/jsx'
import { formatMoney, type MoneyFormat } from '../money.ts'
import { moneyFormat, type NumberFormat, numberFormat } from './number-format.ts'

type Numbers = { locale: string; hasCodes: boolean; money: MoneyFormat; figure: NumberFormat }

const PageNumbers = createContext<Numbers>({
  locale: 'en',
  hasCodes: true,
  money: formatMoney,
  figure: numberFormat('en'),
})

/** Formats an amount in a component of a page that `renderNumbers` renders. */
export const money: MoneyFormat = (amountCents, currency) =>
  useContext(PageNumbers).money(amountCents, currency)

/** Formats a count, or a rate, in a component of a page that `renderNumbers` renders. Counts in sentences are English. */
export const figure: NumberFormat = (number) => useContext(PageNumbers).figure(number)

/** How the page writes amounts, for the script that adds some, as attributes. */
export const amountStyle = () => {
  const { locale, hasCodes } = useContext(PageNumbers)
  return { 'data-locale': locale, 'data-codes': hasCodes }
}

/** Renders a page with its numbers in the reader's language, and with currency codes if it has several currencies. */
export const renderNumbers = (locale: string, page: Child): string => {
  const currencies = new Set<string>()
  const figure = numberFormat(locale)
  const render = (hasCodes: boolean) => {
    const format = moneyFormat(locale, hasCodes)
    const money: MoneyFormat = (amountCents, currency) => {
      currencies.add(currency)
      return format(amountCents, currency)
    }
    return String(
      <PageNumbers.Provider value={{ locale, hasCodes, money, figure }}>{page}</PageNumbers.Provider>,
    )
  }
  const withSymbols = render(false)
  return currencies.size > 1 ? render(true) : withSymbols
}
