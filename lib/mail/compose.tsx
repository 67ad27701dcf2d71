/** What all emails are composed of. Names are untrusted input, which layout.tsx escapes. */
import { type MailContent, subjectLine } from './content.ts'
import { type MailBrand, renderHtml, renderText } from './layout.tsx'
import type { TextKind } from './mails.ts'
import type { Draft, Paragraph } from './paragraphs.ts'
import { type EditedText, introOf, previewOf, subjectOf, type Values } from './texts.ts'

/** @param preview a sentence that mail programs show beside the subject */
export const draft = (subject: string, preview: string, paragraphs: Paragraph[]): Draft => ({
  subject,
  preview,
  paragraphs,
})

const supportLine = ({ supportEmail }: MailBrand): Paragraph[] =>
  supportEmail ? [['Questions? Write to ', { name: supportEmail }, '.']] : []

/**
 * An email in HTML and in plain text. With a brand, it has the logo at its head, and the support address at its foot.
 *
 * @param foot what ends it
 */
export const render = (
  { subject, preview, paragraphs }: Draft,
  brand?: MailBrand,
  foot: Paragraph[] = [],
): MailContent => {
  const all = [...paragraphs, ...(brand ? supportLine(brand) : []), ...foot]
  const line = subjectLine(subject)
  return {
    subject: line,
    html: renderHtml({ subject: line, preview, paragraphs: all }, brand),
    text: renderText(all),
  }
}

/** An email whose subject and first words managers may have changed, in `edited`. What follows them is `rest`. */
export const editableDraft = (
  kind: TextKind,
  values: Values,
  edited: EditedText | undefined,
  rest: Paragraph[],
): Draft =>
  draft(subjectOf(kind, edited, values), previewOf(kind, edited, values), [
    ...introOf(kind, edited, values),
    ...rest,
  ])

/** Greets a partner, by name if it is known. */
export const greeting = (partnerName: string | null): Paragraph =>
  partnerName?.trim() ? ['Hello ', { name: partnerName }, ','] : 'Hello,'

/** How a partner signs in to the portal. */
export const HOW_TO_SIGN_IN = 'Sign in with the address that received this email. You need no password.'
