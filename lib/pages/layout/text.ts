/** The texts of pages, in the language of the reader. */
import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import type { Child } from 'hono/jsx'
import { sayIn } from '../../languages/api-sentences.ts'
import { languageOf, localeOf, type Reader, readerOf } from '../../languages/languages.ts'
import {
  type Message,
  type RichMessage,
  type Translate,
  translator,
} from '../../languages/message.ts'
import { pageLanguage } from '../parts/money.tsx'

/** A language that a reader has chosen. */
export const LANGUAGE_COOKIE = 'tributary.language'

/** Pages in all languages: those for partners and for sign-in. Managers' pages are in English. */
const TRANSLATED = /^\/(portal|join|unsubscribe|sign-in|auth)(\/|$)/

export const isTranslated = (c: Context): boolean => TRANSLATED.test(c.req.path)

/** The reader of the requested page. */
export const readerFor = (c: Context): Reader => {
  const header = c.req.header('Accept-Language')
  return isTranslated(c)
    ? readerOf(header, languageOf(getCookie(c, LANGUAGE_COOKIE)))
    : { language: 'en', locale: localeOf(header) }
}

/** The texts of a page before it is rendered, in a handler. */
export const textsOf = (c: Context): Translate => translator(readerFor(c).language)

/** A text of the page, in a component: `t(m.your_links)`, `t(m.signed_in_as, { email, link })`. */
export const t: Translate = (<Values>(
  message: Message<Values> | RichMessage<Values>,
  values: Values,
): Child => translator(pageLanguage())(message as RichMessage<Values>, values)) as Translate

/** An English sentence of another room, in the page's language, in a component. */
export const said = (english: string): string => sayIn(pageLanguage(), english)

/** A message, or text that is in no catalog, such as a name. */
export type Shown = Message | string

/** A text of the page that may be a message, in a component. */
export const shown = (text: Shown): string => (typeof text === 'string' ? text : t(text))
