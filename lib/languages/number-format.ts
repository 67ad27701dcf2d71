import { decimalsOf, exactMoney, type MoneyFormat } from '../values/money.ts'

/** Formats a count, or a rate with its decimals. */
export type NumberFormat = (number: bigint | number) => string

/**
 * Formats amounts for a page: 580 EUR is "€5.80" in English and "5,80 €" in German. With codes, it
 * is "5.80 EUR" and "5,80 EUR". Digits are Latin in all languages, because the words are English.
 * Formatters live as long as the page: a header may name any of thousands of locales.
 */
export const moneyFormat = (locale: string, hasCodes: boolean): MoneyFormat => {
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

/**
 * Formats numbers for a page: 1234 is "1,234" in English and "1.234" in German. At most two
 * decimals.
 */
export const numberFormat = (locale: string): NumberFormat => {
  const { format } = new Intl.NumberFormat(locale, {
    maximumFractionDigits: 2,
    numberingSystem: 'latn',
  })
  return (number) => format(number)
}
