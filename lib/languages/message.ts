/** Messages of the catalogs, as dev/compile-languages.mjs compiles them, and their texts. */
import type { Child } from 'hono/jsx'
import format, {
  type CompiledMessage,
  type FormatOptions,
  type FormatValues,
} from 'icu-minify/format'
import { LANGUAGES, type Language, LOCALES } from './languages.ts'

/** What a page puts around the content of a tag, such as a link. */
export type Tag = (content: Child[]) => Child

/**
 * A message in each of LANGUAGES, or in English only, if it is for managers. `values` is never
 * there: it says what the placeholders take.
 */
export type Message<Values = undefined> = { text: readonly CompiledMessage[]; values?: Values }

/** A message with tags, which is no text alone. */
export type RichMessage<Values> = { rich: readonly CompiledMessage[]; values?: Values }

type Arguments<Values> = undefined extends Values ? [] : [values: Values]

/** Texts in one language. */
export type Translate = {
  <Values = undefined>(message: Message<Values>, ...values: Arguments<Values>): string
  <Values>(message: RichMessage<Values>, values: Values): Child
}

/** Days in messages are those of UTC. */
const FORMATS = {
  dateTime: { medium: { dateStyle: 'medium' }, long: { dateStyle: 'long' } },
} as const

/**
 * Keeps what `make` returns by its arguments: there are a few languages, and formatters are slow to
 * make.
 */
const kept = <Options, Made>(make: (locale: string, options?: Options) => Made) => {
  const made = new Map<string, Made>()
  return (locale?: unknown, options?: Options): Made => {
    const key = `${locale} ${JSON.stringify(options)}`
    const known = made.get(key) ?? make(String(locale), options)
    made.set(key, known)
    return known
  }
}

const OPTIONS = {
  timeZone: 'UTC',
  formats: FORMATS,
  formatters: {
    getDateTimeFormat: kept(
      (locale, options?: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
    ),
    getNumberFormat: kept(
      (locale, options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
    ),
    getPluralRules: kept(
      (locale, options?: Intl.PluralRulesOptions) => new Intl.PluralRules(locale, options),
    ),
  },
} satisfies FormatOptions

/**
 * The texts of one language, for where no page is rendered. In components, use `t` of
 * lib/pages/layout/text.ts.
 */
export const translator = (language: Language): Translate => {
  const index = LANGUAGES.indexOf(language)
  const write = (
    message: Message<unknown> | RichMessage<unknown>,
    values?: FormatValues<Child>,
  ): Child => {
    const sources = 'text' in message ? message.text : message.rich
    const own = sources[index]
    return own === undefined
      ? format(sources[0] ?? '', LOCALES.en, values, OPTIONS)
      : format(own, LOCALES[language], values, OPTIONS)
  }
  return write as Translate
}

/** English texts, for what has no reader whose language is known: the API, files and logs. */
export const inEnglish = translator('en')
