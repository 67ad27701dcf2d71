/** Requests about the words of mails, for the API and the page's form. */
import * as z from 'zod'
import { integer, NOT_BLANK } from '../http/fields.ts'
import { MAX_SUBJECT_LENGTH } from './content.ts'
import { MAX_INTRO_LENGTH } from './texts.ts'

/** More changes than a text will ever have. */
const MAX_VERSION = 1_000_000_000

/** Text of at most so many characters, without control characters, and without those that reorder the text around them. */
const text = (most: number) =>
  z
    .string('Must be a string, or null for the default.')
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
    .nullable()

/** PUT /api/workspaces/:workspace/mail-texts/:kind */
export const MailTextChange = z
  .strictObject({
    subject: text(MAX_SUBJECT_LENGTH)
      .refine((subject) => !subject?.includes('\n'), 'Must be one line.')
      .meta({ description: 'Text with placeholders; null for the default.' }),
    intro: text(MAX_INTRO_LENGTH).meta({
      description:
        'How the email begins, with placeholders; null for the default. Line breaks are kept, and a blank line starts a paragraph.',
    }),
    version: integer(
      0,
      MAX_VERSION,
      'The version of the text that you have read. Another one is a conflict.',
    ),
  })
  .meta({ id: 'MailTextChange' })
