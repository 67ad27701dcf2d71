/** What all emails are composed of. Names are untrusted input, which layout.tsx escapes. */
import { type MailContent, subjectLine } from './content.ts'
import { renderHtml, renderText } from './layout.tsx'
import type { EditableKind } from './mails.ts'
import type { Paragraph } from './paragraphs.ts'
import { type EditedText, introOf, subjectOf, type Values } from './texts.ts'

/** An email in HTML and in plain text. */
export const content = (subject: string, paragraphs: Paragraph[]): MailContent => ({
  subject: subjectLine(subject),
  html: renderHtml(paragraphs),
  text: renderText(paragraphs),
})

/** An email whose subject and first words managers may have changed, in `edited`. What follows them is `rest`. */
export const editableContent = (
  kind: EditableKind,
  values: Values,
  edited: EditedText | undefined,
  rest: Paragraph[],
): MailContent => content(subjectOf(kind, edited, values), [...introOf(kind, edited, values), ...rest])

/** Greets a partner, by name if it is known. */
export const greeting = (partnerName: string | null): Paragraph =>
  partnerName?.trim() ? ['Hello ', { name: partnerName }, ','] : 'Hello,'

/** How a partner signs in to the portal. */
export const HOW_TO_SIGN_IN = 'Sign in with the address that received this email. You need no password.'
