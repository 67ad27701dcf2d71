/** Requests about the words of mails, for the API and the page's form. */
import * as z from 'zod'
import { integer, writtenText } from '../http/fields.ts'
import { MAX_SUBJECT_LENGTH } from './texts/rendered-mail.ts'
import { MAX_INTRO_LENGTH } from './texts/texts.ts'

/** An upper bound, so that the number fits into its column. */
const MAX_VERSION = 1_000_000_000

const words = 'Must be a string, or null for the default.'
const isOneLine = (text: string | null) => !text?.includes('\n')

/** PUT /api/workspaces/:workspace/mail-texts/:kind */
export const MailTextChange = z
  .strictObject({
    subject: writtenText(MAX_SUBJECT_LENGTH, words)
      .nullable()
      .refine(isOneLine, 'Must be one line.')
      .meta({ description: 'Text with placeholders; null for the default.' }),
    intro: writtenText(MAX_INTRO_LENGTH, words).nullable().meta({
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

/** The form of a mail to many partners. */
export const MailingForm = z.object({
  subject: writtenText(MAX_SUBJECT_LENGTH).refine(isOneLine, 'Must be one line.'),
  intro: writtenText(MAX_INTRO_LENGTH),
})
