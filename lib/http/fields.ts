/** Fields of several schemas. Most are functions, so a Worker bundles only those that it uses. */
import * as z from 'zod'
import { isEmail, MAX_EMAIL_LENGTH, normalizeEmail } from '../values/emails.ts'
import { MAX_ID_LENGTH } from '../values/external-ids.ts'

export const NOT_BLANK = 'Must not be blank.'

export const NO_EMAIL = 'Must be an email address, such as ann@example.com.'

/** An optional field. null counts as absent, because many JSON encoders write it. */
export const optional = <S extends z.core.$ZodType>(schema: S) => z.nullish(schema)

export const email = (description: string) =>
  z
    .string('Must be a string.')
    .transform(normalizeEmail)
    .refine(isEmail, NO_EMAIL)
    .meta({ description })

/** A line of text, trimmed, possibly empty. */
export const line = (maxLength: number) =>
  z
    .string('Must be a string.')
    .trim()
    .max(maxLength, `Must have at most ${maxLength} characters.`)
    .regex(/^\P{Cc}*$/u, 'Must be one line.')

/** Refuses a name that an earlier item of a list has. @param what an item, such as `rule` */
export const uniqueNames =
  (what: string) =>
  ({ value, issues }: { value: { name: string }[]; issues: z.core.$ZodRawIssue[] }): void => {
    for (const [i, { name }] of value.entries())
      if (value.findIndex((other) => other.name === name) < i)
        issues.push({
          code: 'custom',
          message: `Must be unique: an earlier ${what} has this name.`,
          path: [i, 'name'],
          input: name,
        })
  }

/** Text of several lines, without control characters and characters that reorder the text. */
export const writtenText = (most: number, notText = 'Must be a string.') =>
  z
    .string(notText)
    .transform((typed) => typed.replace(/\r\n?/g, '\n').trim())
    .pipe(
      z
        .string()
        .min(1, NOT_BLANK)
        .max(most, `Must have at most ${most.toLocaleString('en')} characters.`)
        .regex(
          /^(?:\n|[^\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069])*$/u,
          'Has characters that cannot be shown.',
        ),
    )

export const name = (description: string) =>
  line(MAX_ID_LENGTH).min(1, NOT_BLANK).meta({ description })

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

/** A filter by email address, normalized. An invalid one matches nothing. */
export const emailFilter = () =>
  filter('The whole address, in any case.', MAX_EMAIL_LENGTH).transform(
    (text) => normalizeEmail(text) ?? text,
  )

/** Treats an empty field as absent. */
export const nullWhenBlank = (text: string): string | null => text || null
