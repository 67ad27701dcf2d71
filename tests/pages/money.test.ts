/** Amounts on pages, in the language of their reader. */
import { expect, inject, test } from 'vitest'
import { localeOf } from '../../lib/languages/languages.ts'
import { moneyFormat, numberFormat } from '../../lib/languages/number-format.ts'
import { createMerchant } from '../support/merchant.ts'

/** Intl writes spaces that don't break. */
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

test.each([
  { header: undefined, locale: 'en' },
  { header: '', locale: 'en' },
  { header: '*', locale: 'en' },
  { header: 'de', locale: 'de' },
  { header: 'de-AT,de;q=0.9,en;q=0.8', locale: 'de-AT' },
  { header: 'en;q=0.5, fr;q=0.9', locale: 'fr' },
  { header: 'zh-Hant-TW', locale: 'zh-Hant-TW' },
  { header: 'es-419', locale: 'es-419' },
  // Refused by the reader, unknown, and not languages at all.
  { header: 'de;q=0, pl', locale: 'pl' },
  { header: 'de;q=x', locale: 'en' },
  { header: 'xx-YY, sv', locale: 'sv' },
  { header: 'de-u-nu-arab', locale: 'en' },
  { header: '../../etc, <script>, d e', locale: 'en' },
  { header: `${'a,'.repeat(5_000)}de`, locale: 'en' },
])('the language of "$header" is $locale', ({ header, locale }) => {
  expect(localeOf(header)).toBe(locale)
})

test.each([
  { locale: 'en', cents: 580n, currency: 'USD', symbol: '$5.80', code: '5.80 USD' },
  { locale: 'en', cents: -580n, currency: 'USD', symbol: '-$5.80', code: '-5.80 USD' },
  { locale: 'de', cents: 580n, currency: 'EUR', symbol: '5,80 €', code: '5,80 EUR' },
  {
    locale: 'fr',
    cents: 123_456_780n,
    currency: 'EUR',
    symbol: '1 234 567,80 €',
    code: '1 234 567,80 EUR',
  },
  { locale: 'en-GB', cents: 580n, currency: 'USD', symbol: 'US$5.80', code: '5.80 USD' },
  { locale: 'en', cents: 980n, currency: 'JPY', symbol: '¥980', code: '980 JPY' },
  { locale: 'en', cents: 980n, currency: 'KWD', symbol: 'KWD 0.980', code: '0.980 KWD' },
  { locale: 'en', cents: 98_000n, currency: 'HUF', symbol: 'HUF 980.00', code: '980.00 HUF' },
  // A sum beyond what a number can hold, and a language with digits of its own.
  {
    locale: 'en',
    cents: 10_000_100_000_000_001n,
    currency: 'USD',
    symbol: '$100,001,000,000,000.01',
    code: '100,001,000,000,000.01 USD',
  },
  { locale: 'fa', cents: 580n, currency: 'USD', symbol: '\u200e$ 5.80', code: '5.80 USD' },
])('$cents $currency in $locale is $symbol', ({ locale, cents, currency, symbol, code }) => {
  const written = (hasCodes: boolean) =>
    plain(moneyFormat(locale, hasCodes)(cents, currency)).replace('٫', '.')
  expect(written(false)).toBe(symbol)
  expect(written(true)).toContain(code)
})

/** A merchant's list of sales, as readers of some languages get it. */
const createList = async (currencies: string[]) => {
  const merchant = await createMerchant()
  for (const currency of currencies)
    await merchant.sale({ externalId: currency, amountCents: 123_456, currency })
  const cookie = await merchant.manager()
  const url = `${inject('baseUrl')}/app/${merchant.workspace.slug}/events`
  return async (language?: string) => {
    const headers = { Cookie: cookie, ...(language && { 'Accept-Language': language }) }
    const response = await fetch(url, { headers })
    const html = await response.text()
    const amounts = [...html.matchAll(/<td[^>]* class="number"[^>]*>([^<]*)</g)].map(
      ([, amount = '']) => plain(amount),
    )
    return { response, html, amounts }
  }
}

test('concurrent readers get a page each in their language, and caches keep them apart', async () => {
  const list = await createList(['EUR'])
  const expected: Record<string, string> = {
    en: '€1,234.56',
    de: '1.234,56 €',
    fr: '1 234,56 €',
    'pt-BR': '€ 1.234,56',
  }
  const languages = ['en', 'de', 'fr', 'pt-BR']
  const asked = Array.from(
    { length: 40 },
    (_, index) => languages[index % languages.length] ?? 'en',
  )
  const pages = await Promise.all(asked.map((language) => list(language)))
  expect(pages.map(({ amounts }) => amounts)).toEqual(asked.map((language) => [expected[language]]))
  const [page] = pages
  expect(page?.response.headers.get('Vary')).toContain('Accept-Language')
  expect(page?.html).toContain('<html lang="en">')
  expect((await list()).amounts).toEqual(['€1,234.56'])
  expect((await list('?;;q==,,')).amounts).toEqual(['€1,234.56'])
})

test('a page with several currencies has their codes', async () => {
  const list = await createList(['EUR', 'USD'])
  expect((await list('en')).amounts.sort()).toEqual(['1,234.56 EUR', '1,234.56 USD'])
  expect((await list('de')).amounts.sort()).toEqual(['1.234,56 EUR', '1.234,56 USD'])
})

test.each([
  ['en', '1,234,567', '1.63'],
  ['de', '1.234.567', '1,63'],
  ['ar', '1,234,567', '1.63'],
])('a count and a rate in %s', (locale, count, rate) => {
  const format = numberFormat(locale)
  expect([format(1_234_567n), format(1.634)]).toEqual([count, rate])
})
