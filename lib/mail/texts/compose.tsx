/** The elements of all emails. Names are untrusted input, which layout.tsx escapes. */
import type { Language } from '../../languages/languages.ts'
import { type RichMessage, type Tag, type Translate, translator } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { TextKind } from '../mails.ts'
import { optional, type Stored } from '../outbox/stored-details.ts'
import { type MailBrand, renderHtml, renderText } from './layout.tsx'
import type { Draft, Paragraph, Part } from './paragraphs.ts'
import { oneLine, type RenderedMail, subjectLine } from './rendered-mail.ts'
import { type EditedText, introOf, placeholdersOf, previewOf, subjectOf } from './texts.ts'

/**
 * Writes a mail from the details that the outbox keeps. Mails to managers are English.
 *
 * @param reward what the partner earns, for mails of `REWARD_KINDS`
 */
export type Write = (
  details: Stored,
  t: Translate,
  edited: EditedText | undefined,
  reward: Paragraph[],
) => Draft

/** @param preview a sentence that mail programs show beside the subject */
export const draft = (subject: string, preview: string, paragraphs: Paragraph[]): Draft => ({
  subject,
  preview,
  paragraphs,
})

/** The values of a message: a part for each tag. */
type PartValues<Values> = { [K in keyof Values]: Values[K] extends Tag ? Part : Values[K] }

/** A paragraph from a message with tags, which stand for names and links. */
export const paragraph = <Values extends object>(
  t: Translate,
  message: RichMessage<Values>,
  values: PartValues<Values>,
): Part[] => {
  const filled = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object' ? () => value : value,
  ])
  return [t(message, Object.fromEntries(filled) as Values)].flat() as unknown as Part[]
}

const supportLine = ({ supportEmail }: MailBrand, t: Translate): Paragraph[] =>
  supportEmail ? [paragraph(t, m.mail_questions, { name: { name: supportEmail } })] : []

/**
 * An email in HTML and plain text. A brand adds its logo, and the support address before `foot`.
 */
export const render = (
  { subject, preview, paragraphs }: Draft,
  brand?: MailBrand,
  foot: Paragraph[] = [],
  language: Language = 'en',
): RenderedMail => {
  const all = [...paragraphs, ...(brand ? supportLine(brand, translator(language)) : []), ...foot]
  const line = subjectLine(subject)
  return {
    subject: line,
    preview: oneLine(preview),
    html: renderHtml({ subject: line, preview, paragraphs: all }, brand, language),
    text: renderText(all),
  }
}

/**
 * An email whose subject and first words managers may have changed, in `edited`.
 *
 * @param details fill the placeholders
 * @param rest follows these words
 */
export const editableDraft = (
  kind: TextKind,
  details: Stored,
  edited: EditedText | undefined,
  rest: Paragraph[],
  t: Translate,
): Draft => {
  const values = Object.fromEntries(
    placeholdersOf(kind).map((name) => [name, optional(details, name)]),
  )
  return draft(subjectOf(kind, edited, values, t), previewOf(kind, edited, values, t), [
    ...introOf(kind, edited, values, t),
    ...rest,
  ])
}

/** Greets a partner, by name if it is known. */
export const greeting = (details: Stored, t: Translate): Paragraph => {
  const name = optional(details, 'partnerName')
  return name?.trim() ? paragraph(t, m.mail_hello_name, { name: { name } }) : t(m.mail_hello)
}
