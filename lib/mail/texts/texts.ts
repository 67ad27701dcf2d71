/**
 * The words of emails to partners that managers may change: the subject, and how the email begins.
 * What follows is fixed, because it says what to do, and who sent the email. Notices that protect
 * an account are fixed as a whole.
 */
import { inEnglish, type Message, type Translate } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { EDITABLE_KINDS, type EditableKind, type TextKind } from '../mails.ts'
import type { Paragraph } from './paragraphs.ts'
import { oneLine } from './rendered-mail.ts'

export const isEditable = (kind: string): kind is EditableKind =>
  (EDITABLE_KINDS as readonly string[]).includes(kind)

/** Text with placeholders, such as {partnerName}. The intro has lines and paragraphs. */
export type MailText = { subject: string; intro: string }

/** A text that managers have changed. null is the default. */
export type EditedText = { [K in keyof MailText]: MailText[K] | null }

/** About a page. */
export const MAX_INTRO_LENGTH = 2_000

/** Keeps the placeholders of a message, which are filled later, also in what managers wrote. */
const KEPT = {
  partnerName: '{partnerName}',
  applicantName: '{applicantName}',
  programName: '{programName}',
  workspaceName: '{workspaceName}',
  invitedBy: '{invitedBy}',
  amount: '{amount}',
}

type Placeholder = keyof typeof KEPT

/** The values of placeholders. A mail to somebody without a name has no value for it. */
export type Values = { [K in Placeholder]?: string | null }

/** A default text, which has some placeholders or none. */
type Words = Message<Partial<typeof KEPT>> | Message

const inWords = (t: Translate, words: Words): string => t(words as Message<typeof KEPT>, KEPT)

/** The preview is what mail programs show beside the subject; for a message, how it begins. */
type Definition = {
  subject: Words
  intro: Words
  preview: Words | null
  placeholders: readonly Placeholder[]
}

const MONEY = ['partnerName', 'programName', 'amount'] as const

const TEXTS: Record<TextKind, Definition> = {
  welcome: {
    subject: m.mail_welcome_subject,
    intro: m.mail_welcome_intro,
    preview: m.mail_welcome_preview,
    placeholders: ['partnerName', 'programName', 'workspaceName'],
  },
  moved: {
    subject: m.mail_moved_subject,
    intro: m.mail_moved_intro,
    preview: m.mail_moved_preview,
    placeholders: ['partnerName', 'programName', 'workspaceName'],
  },
  message: {
    subject: m.mail_message_subject,
    intro: m.mail_message_intro,
    preview: null,
    placeholders: ['partnerName', 'programName', 'workspaceName'],
  },
  partner_invitation: {
    subject: m.mail_partner_invitation_subject,
    intro: m.mail_partner_invitation_intro,
    preview: m.mail_partner_invitation_preview,
    placeholders: ['programName', 'workspaceName', 'invitedBy'],
  },
  application_rejected: {
    subject: m.mail_application_rejected_subject,
    intro: m.mail_application_rejected_intro,
    preview: m.mail_application_rejected_preview,
    placeholders: ['applicantName', 'programName'],
  },
  connect_account: {
    subject: m.mail_connect_account_subject,
    intro: m.mail_earned_intro,
    preview: m.mail_connect_account_preview,
    placeholders: MONEY,
  },
  connect_reminder: {
    subject: m.mail_connect_reminder_subject,
    intro: m.mail_earned_intro,
    preview: m.mail_connect_reminder_preview,
    placeholders: MONEY,
  },
  payout_sent: {
    subject: m.mail_payout_sent_subject,
    intro: m.mail_payout_sent_intro,
    preview: m.mail_payout_sent_preview,
    placeholders: MONEY,
  },
  payout_failed: {
    subject: m.mail_payout_failed_subject,
    intro: m.mail_payout_failed_intro,
    preview: m.mail_payout_failed_preview,
    placeholders: MONEY,
  },
  payout_returned: {
    subject: m.mail_payout_returned_subject,
    intro: m.mail_payout_returned_intro,
    preview: m.mail_payout_returned_preview,
    placeholders: MONEY,
  },
  bank_refused: {
    subject: m.mail_bank_refused_subject,
    intro: m.mail_bank_refused_intro,
    preview: m.mail_bank_refused_preview,
    placeholders: ['partnerName', 'workspaceName', 'amount'],
  },
}

/** How the invitation of a backend begins, which no person invites. */
export const introOfBackend = (t: Translate): string =>
  t(m.mail_partner_invitation_intro_of_workspace, KEPT)

/** The words in force: the changed ones, or else the default. */
export const textInForce = (
  kind: TextKind,
  edited: EditedText | undefined,
  t: Translate = inEnglish,
): MailText => ({
  subject: edited?.subject ?? inWords(t, TEXTS[kind].subject),
  intro: edited?.intro ?? inWords(t, TEXTS[kind].intro),
})

export const defaultText = (kind: TextKind, t: Translate = inEnglish): MailText =>
  textInForce(kind, undefined, t)

/** The placeholders of a mail, without braces. */
export const placeholdersOf = (kind: TextKind): readonly Placeholder[] => TEXTS[kind].placeholders

/** A change without what is the default, so that it goes on following the default. */
export const withoutDefaults = (
  kind: EditableKind,
  { subject, intro }: EditedText,
): EditedText => ({
  subject: subject === defaultText(kind).subject ? null : subject,
  intro: intro === defaultText(kind).intro ? null : intro,
})

/** Why a text cannot be used: an unknown placeholder, or a brace without its counterpart. */
const placeholderProblem = (kind: TextKind, text: string): string | null => {
  const names: readonly string[] = placeholdersOf(kind)
  const offered = `This email has ${names.map((name) => `{${name}}`).join(', ')}.`
  for (const [whole, name = ''] of text.matchAll(/\{([^{}]*)\}/g)) {
    if (!names.includes(name)) return `There is no placeholder ${whole}. ${offered}`
  }
  return /[{}]/.test(text.replace(/\{[^{}]*\}/g, ''))
    ? `A brace is not closed or not opened. ${offered}`
    : null
}

/** The problems of a changed text, by field. */
export const textProblems = (kind: TextKind, change: EditedText) =>
  (['subject', 'intro'] as const).flatMap((path) => {
    const message = placeholderProblem(kind, change[path] ?? '')
    return message ? [{ path, message }] : []
  })

export const TEXT_CHANGED =
  'Another manager has changed this text since you opened it. Read it again, then change it.'

/** A placeholder and its space, which goes with a missing value: "Hello {partnerName},". */
const PLACEHOLDER = /( ?)\{(\w+)\}/g

const valueIn = (values: Values, name: string): string => oneLine(values[name as Placeholder] ?? '')

const fillIn = (text: string, values: Values): string =>
  text.replace(PLACEHOLDER, (_, space: string, name: string) => {
    const value = valueIn(values, name)
    return value && space + value
  })

/** The subject of a mail. One of which nothing is left is the default. */
export const subjectOf = (
  kind: TextKind,
  edited: EditedText | undefined,
  values: Values,
  t: Translate = inEnglish,
): string =>
  fillIn(textInForce(kind, edited, t).subject, values).trim() ||
  fillIn(defaultText(kind, t).subject, values)

/** Mail programs show less. */
const MAX_PREVIEW_LENGTH = 140

/** The preview of what a manager wrote: the beginning without the greeting. */
export const previewOf = (
  kind: TextKind,
  edited: EditedText | undefined,
  values: Values,
  t: Translate = inEnglish,
): string => {
  const { preview } = TEXTS[kind]
  if (preview !== null) return fillIn(inWords(t, preview), values)
  const [greeting = '', ...rest] = textInForce(kind, edited, t).intro.trim().split(/\n+/)
  const line = oneLine(fillIn(rest.join(' ').trim() || greeting, values))
  return [...line].slice(0, MAX_PREVIEW_LENGTH).join('')
}

/** A paragraph as text and names. A value is never read as text: it may contain braces. */
const fillParagraph = (text: string, values: Values): Paragraph => {
  const parts: Exclude<Paragraph, string | { button: string }> = []
  let end = 0
  for (const { 0: whole, 1: space = '', 2: name = '', index } of text.matchAll(PLACEHOLDER)) {
    const value = valueIn(values, name)
    parts.push(text.slice(end, index) + (value && space), ...(value ? [{ name: value }] : []))
    end = index + whole.length
  }
  return [...parts, text.slice(end)].filter((part) => part !== '')
}

/** How a mail begins. Blank lines separate paragraphs. */
export const introOf = (
  kind: TextKind,
  edited: EditedText | undefined,
  values: Values,
  t: Translate = inEnglish,
): Paragraph[] =>
  textInForce(kind, edited, t)
    .intro.split(/\n{2,}/)
    .map((paragraph) => fillParagraph(paragraph, values))
