/** The reader's language, for numbers. The words of pages are English. */

/** A language, perhaps with a script and a region. No extensions: they would change digits and more. */
const LOCALE = /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?$/i

const DEFAULT_LOCALE = 'en'

/** Browsers send a handful. */
const MAX_LANGUAGES = 20

/** The value of `;q=0.8`; 1 without one. */
const qualityOf = (parameters: string[]): number => {
  const quality = parameters.find((parameter) => /^\s*q=/i.test(parameter))
  return quality === undefined ? 1 : Number(quality.split('=')[1])
}

/** The first known locale of an `Accept-Language` header, by preference; English if it has none. */
export const localeOf = (header: string | undefined): string => {
  const languages = (header ?? '').split(',', MAX_LANGUAGES).map((language) => {
    const [tag = '', ...parameters] = language.split(';')
    return { tag: tag.trim(), quality: qualityOf(parameters) }
  })
  const known = languages
    .filter(({ tag, quality }) => quality > 0 && LOCALE.test(tag))
    .sort((one, other) => other.quality - one.quality)
    .find(({ tag }) => Intl.NumberFormat.supportedLocalesOf(tag).length > 0)
  return known?.tag ?? DEFAULT_LOCALE
}
