/** What all emails are composed of. Names are untrusted input, which layout.tsx escapes. */
import { type MailContent, subjectLine } from './content.ts'
import { renderHtml, renderText } from './layout.tsx'
import type { Paragraph } from './paragraphs.ts'

/** An email in HTML and in plain text. */
export const content = (subject: string, paragraphs: Paragraph[]): MailContent => ({
  subject: subjectLine(subject),
  html: renderHtml(paragraphs),
  text: renderText(paragraphs),
})

/** Greets a partner, by name if it is known. */
export const greeting = (partnerName: string | null): Paragraph =>
  partnerName?.trim() ? ['Hello ', { name: partnerName }, ','] : 'Hello,'

/** How a partner signs in to the portal. */
export const HOW_TO_SIGN_IN = 'Sign in with the address that received this email. You need no password.'
