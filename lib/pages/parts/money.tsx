/**
 * Amounts and counts on pages, in the reader's notation. CSV files, emails and the API use
 * `formatMoney`.
 */
import { type Child, createContext, useContext } from 'hono/jsx'
import type { Language, Reader } from '../../languages/languages.ts'
import { moneyFormat, type NumberFormat, numberFormat } from '../../languages/number-format.ts'
import { formatMoney, type MoneyFormat } from '../../values/money.ts'

type PageReader = {
  /** Null where no page is rendered. */
  language: Language | null
  locale: string
  hasCodes: boolean
  money: MoneyFormat
  figure: NumberFormat
}

const PageReader = createContext<PageReader>({
  language: null,
  locale: 'en',
  hasCodes: true,
  money: formatMoney,
  figure: numberFormat('en'),
})

/** Formats an amount in a component of a page that `renderFor` renders. */
export const money: MoneyFormat = (amountCents, currency) =>
  useContext(PageReader).money(amountCents, currency)

/**
 * Formats a count or a rate in a component that `renderFor` renders. Counts in sentences are in the
 * page's language.
 */
export const figure: NumberFormat = (number) => useContext(PageReader).figure(number)

/**
 * The language of the page, in a component that `renderFor` renders.
 * @throws elsewhere, because a default of English would go unnoticed
 */
export const pageLanguage = (): Language => {
  const { language } = useContext(PageReader)
  if (!language) throw new Error('No page is rendered: use textsOf(c).')
  return language
}

/** The page's format of amounts, as attributes for the script that adds amounts. */
export const amountStyle = () => {
  const { locale, hasCodes } = useContext(PageReader)
  return { 'data-locale': locale, 'data-codes': hasCodes }
}

/** Renders a page in the reader's language. A page with several currencies shows currency codes. */
export const renderFor = ({ language, locale }: Reader, page: Child): string => {
  const currencies = new Set<string>()
  const figure = numberFormat(locale)
  const render = (hasCodes: boolean) => {
    const format = moneyFormat(locale, hasCodes)
    const money: MoneyFormat = (amountCents, currency) => {
      currencies.add(currency)
      return format(amountCents, currency)
    }
    return String(
      <PageReader.Provider value={{ language, locale, hasCodes, money, figure }}>
        {page}
      </PageReader.Provider>,
    )
  }
  const withSymbols = render(false)
  return currencies.size > 1 ? render(true) : withSymbols
}
