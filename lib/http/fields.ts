/** Fields that more than one schema has. Nearly all are functions: a Worker carries no schema that it doesn't use. */
import * as z from 'zod'
import { isEmail, MAX_EMAIL_LENGTH, normalizeEmail } from '../emails.ts'
import { isCurrency } from '../money.ts'

/** As long as any id that a merchant's system makes, and short enough for a Postgres index. */
export const MAX_ID_LENGTH = 255

export const NOT_BLANK = 'Must not be blank.'

/** What is wrong with an address to which nothing can be mailed. */
export const NO_EMAIL = 'This is not an e-mail address. It looks like ann@example.com.'

/** A field that may be left out. null says the same: many JSON encoders write it for what they don't have. */
export const optional = <S extends z.ZodType>(schema: S) => schema.nullish()

/** An id that the merchant's system made, kept to the letter. */
export const id = (description: string) => {
  const length = `Must have 1 to ${MAX_ID_LENGTH} characters.`
  return z.string().min(1, length).max(MAX_ID_LENGTH, length).meta({ description })
}

/** A known currency, in any case. */
export const currency = z
  .string()
  // Before the case changes: some letters beyond ASCII become those of a currency.
  .regex(/^[A-Za-z]{3}$/, 'Not an ISO 4217 currency code.')
  .transform((code) => code.toUpperCase())
  .refine(isCurrency, 'Not an ISO 4217 currency code.')
  .meta({ description: 'ISO 4217 code, in any case.', example: 'USD' })

/** An e-mail address, as it is stored. */
export const email = (description: string) =>
  z.string('Must be a text.').transform(normalizeEmail).refine(isEmail, NO_EMAIL).meta({ description })

/** A text in one line, without the space around it. It may be empty. */
export const line = (maxLength: number) =>
  z
    .string('Must be a text.')
    .trim()
    .max(maxLength, `Must have at most ${maxLength} characters.`)
    .regex(/^\P{Cc}*$/u, 'Must be one line.')

/** A name of one line, for people. */
export const name = (description: string) => line(MAX_ID_LENGTH).min(1, NOT_BLANK).meta({ description })

/** An integer in a range. */
export const integer = (from: number, to: number, description: string) => {
  const message = `Must be a whole number from ${from} to ${to}.`
  return z.int(message).min(from, message).max(to, message).meta({ description })
}

/** A filter of a list. A blank one is an error, because it would select everything. */
export const filter = (description: string, maxLength = MAX_ID_LENGTH) =>
  z
    .string()
    .trim()
    .min(1, NOT_BLANK)
    .max(maxLength, `Must have at most ${maxLength} characters.`)
    .meta({ description })

/** A filter by e-mail address, normalized as stored addresses are. An invalid address matches nothing. */
export const emailFilter = () =>
  filter('The whole address, in any case.', MAX_EMAIL_LENGTH).transform(
    (text) => normalizeEmail(text) ?? text,
  )

/** An empty field says the same as none. */
export const nullWhenBlank = (text: string): string | null => text || null
