/** The languages of what partners read, and which of them a reader gets. */

/** The first one is for everybody who reads none of them. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt'] as const
export type Language = (typeof LANGUAGES)[number]

/** Each in itself. */
export const LANGUAGE_NAMES: Record<Language, string> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
}

/** How dates, counts and plurals are written. */
export const LOCALES: Record<Language, string> = {
  en: 'en-GB',
  de: 'de',
  fr: 'fr',
  es: 'es',
  pt: 'pt-BR',
}

/** The language of a code; undefined for any other text. */
export const languageOf = (code: string | null | undefined): Language | undefined =>
  LANGUAGES.find((language) => language === code)

/**
 * A language, perhaps with a script and a region. No extensions: they would change digits and more.
 */
const LOCALE = /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?$/i

/** Browsers send a handful. */
const MAX_LOCALES = 20

/** The value of `;q=0.8`; 1 without one. */
const qualityOf = (parameters: string[]): number => {
  const quality = parameters.find((parameter) => /^\s*q=/i.test(parameter))
  return quality === undefined ? 1 : Number(quality.split('=')[1])
}

/** The known locales of an `Accept-Language` header, by preference. */
const localesIn = (header: string | undefined): string[] =>
  (header ?? '')
    .split(',', MAX_LOCALES)
    .map((locale) => {
      const [tag = '', ...parameters] = locale.split(';')
      return { tag: tag.trim(), quality: qualityOf(parameters) }
    })
    .filter(({ tag, quality }) => quality > 0 && LOCALE.test(tag))
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag)
    .filter((tag) => Intl.NumberFormat.supportedLocalesOf(tag).length > 0)

/** The language of a locale, in lower case: "pt" of "pt-BR". */
const ofLocale = (tag: string): string => tag.toLowerCase().split('-')[0] ?? ''

/**
 * How the reader of an English page writes numbers: by the first known locale of an
 * `Accept-Language` header.
 */
export const localeOf = (header: string | undefined): string => localesIn(header)[0] ?? 'en'

/** A reader's language, and how the reader writes numbers, which may be by a region. */
export type Reader = { language: Language; locale: string }

/**
 * Who reads a page, by the `Accept-Language` header.
 *
 * @param chosen the language that the reader has chosen, if any
 */
export const readerOf = (header: string | undefined, chosen?: Language): Reader => {
  const locales = localesIn(header)
  const wanted = locales.map(ofLocale)
  const language = chosen ?? wanted.map(languageOf).find(Boolean) ?? 'en'
  const own = locales.find((tag) => ofLocale(tag) === language)
  if (own) return { language, locale: own }
  // Who reads none of the languages still has numbers as in their own.
  return { language, locale: chosen || language !== 'en' ? NUMBERS[language] : localeOf(header) }
}

/** How numbers are written where the header names no region. */
const NUMBERS: Record<Language, string> = { ...LOCALES, en: 'en' }
