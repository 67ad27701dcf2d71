/** Details of a mail that the outbox stores as English texts: amounts, times, payout methods. */
import { type Language, LOCALES } from '../../languages/languages.ts'
import { translator } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'

type Details = Record<string, unknown>

/** As formatMoney writes it: "1,249.00 USD". */
const AMOUNT = /^(-?[\d,]+(?:\.(\d+))?) ([A-Z]{3})$/

const amountIn = (language: Language, text: string): string => {
  const [, number = '', decimals = '', currency] = AMOUNT.exec(text) ?? []
  if (!currency) return text
  const digits = { minimumFractionDigits: decimals.length, maximumFractionDigits: decimals.length }
  const exact = number.replaceAll(',', '') as `${number}`
  return `${new Intl.NumberFormat(LOCALES[language], digits).format(exact)} ${currency}`
}

/** As timeWords writes it: "25 Nov 2026, 10:00 UTC". */
const timeIn = (language: Language, text: string): string => {
  const time = Date.parse(text)
  if (Number.isNaN(time) || !text.endsWith(' UTC')) return text
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const
  return `${new Intl.DateTimeFormat(LOCALES[language], format).format(time)} UTC`
}

/** As paidByWords writes it: "bank transfer (DE••• 3000)". */
const methodIn = (language: Language, text: string): string =>
  text.replace(/^bank transfer\b/, translator(language)(m.method_iban))

const WRITERS: Record<string, (language: Language, text: string) => string> = {
  amount: amountIn,
  effectiveAt: timeIn,
  heldUntil: timeIn,
  signedInAt: timeIn,
  countsFrom: timeIn,
  paidBy: methodIn,
}

/** The details of a mail with what is in them written in another language. */
export const inLanguage = (details: Details, language: Language): Details =>
  language === 'en'
    ? details
    : Object.fromEntries(
        Object.entries(details).map(([name, value]) => [
          name,
          typeof value === 'string' ? (WRITERS[name]?.(language, value) ?? value) : value,
        ]),
      )
