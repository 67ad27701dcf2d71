/** Amounts on pages, as their reader writes them. CSV files, emails and the API use `formatMoney`. */
import { type Child, createContext, useContext } from 'hono/jsx'
import { decimalsOf, exactMoney, type MoneyFormat as Format, formatMoney } from '../money.ts'

/**
 * Formats amounts for one page: 580 EUR is "€5.80" in English and "5,80 €" in German. With codes, it is "5.80 EUR" and "5,80 EUR".
 * Digits are Latin in all languages, because the words are English. Formatters are kept for the page alone: a header
 * may name any of thousands of locales.
 */
export const moneyFormat = (locale: string, hasCodes: boolean): Format => {
  const formatters = new Map<string, Intl.NumberFormat>()
  const formatterOf = (currency: string) => {
    const known = formatters.get(currency)
    if (known) return known
    const decimals = decimalsOf(currency)
    const made = new Intl.NumberFormat(locale, {
      ...(hasCodes ? {} : { style: 'currency', currency }),
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
      numberingSystem: 'latn',
    })
    formatters.set(currency, made)
    return made
  }
  return (amountCents, currency) => {
    const text = formatterOf(currency).format(exactMoney(amountCents, currency))
    return hasCodes ? `${text} ${currency}` : text
  }
}

const PageMoney = createContext<Format>(formatMoney)

/** Formats an amount in a component of a page that `renderMoney` renders. */
export const money: Format = (amountCents, currency) => useContext(PageMoney)(amountCents, currency)

/** Renders a page with its amounts in the reader's language, with codes if the page has several currencies. */
export const renderMoney = (locale: string, page: Child): string => {
  const currencies = new Set<string>()
  const render = (hasCodes: boolean) => {
    const format = moneyFormat(locale, hasCodes)
    const noting: Format = (amountCents, currency) => {
      currencies.add(currency)
      return format(amountCents, currency)
    }
    return String(<PageMoney.Provider value={noting}>{page}</PageMoney.Provider>)
  }
  const withSymbols = render(false)
  return currencies.size > 1 ? render(true) : withSymbols
}
