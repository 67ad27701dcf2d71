/**
 * The words of emails to partners that managers may change: the subject, and how the email begins. What follows is fixed,
 * because it says what to do, and who sent the email. Notices that protect an account are fixed as a whole.
 */
import { oneLine } from './content.ts'
import { EDITABLE_KINDS, type EditableKind, type TextKind } from './mails.ts'
import type { Paragraph } from './paragraphs.ts'

export const isEditable = (kind: string): kind is EditableKind =>
  (EDITABLE_KINDS as readonly string[]).includes(kind)

/** Text with placeholders, such as {partnerName}. The intro has lines and paragraphs. */
export type MailText = { subject: string; intro: string }

/** What managers have changed. null is the default. */
export type EditedText = { [K in keyof MailText]: MailText[K] | null }

/** About a page. */
export const MAX_INTRO_LENGTH = 2_000

type Placeholder = 'partnerName' | 'applicantName' | 'programName' | 'workspaceName' | 'invitedBy' | 'amount'

/** What placeholders stand for. A mail to somebody without a name has none. */
export type Values = { [K in Placeholder]?: string | null }

/** The preview is what mail programs show beside the subject. That of a message is how its text begins. */
type Definition = MailText & { preview: string | null; placeholders: readonly Placeholder[] }

const MONEY = ['partnerName', 'programName', 'amount'] as const
const EARNED = 'Hello {partnerName},\n\nYou have earned {amount} as a partner of {programName}.'

const TEXTS: Record<TextKind, Definition> = {
  welcome: {
    subject: 'You are a partner of {programName}',
    intro:
      'Hello {partnerName},\n\nYou are now a partner of {programName}. Share your link, and you earn with what it brings.',
    preview: 'Your link to share, and where you see what you earn with {programName}.',
    placeholders: ['partnerName', 'programName', 'workspaceName'],
  },
  moved: {
    subject: '{workspaceName}: we’ve moved the partner program {programName}',
    intro:
      'Hello {partnerName},\n\n{workspaceName} has moved its partner program {programName} to a new platform. You are already a partner there and do not need to apply again.',
    preview: 'Your link at {programName}, and where you see what you earn now.',
    placeholders: ['partnerName', 'programName', 'workspaceName'],
  },
  message: {
    subject: 'News from {programName}',
    intro: 'Hello {partnerName},\n\n',
    preview: null,
    placeholders: ['partnerName', 'programName', 'workspaceName'],
  },
  partner_invitation: {
    subject: '{programName} invites you to be a partner',
    intro:
      'Hello,\n\n{invitedBy} of {workspaceName} invites you to be a partner of {programName}. You get a link of your own, and earn with what it brings.',
    preview: 'Read the terms of {programName}, and accept if you want to be a partner.',
    placeholders: ['programName', 'workspaceName', 'invitedBy'],
  },
  application_rejected: {
    subject: 'Your application to {programName}',
    intro:
      'Hello {applicantName},\n\nThank you for your interest in being a partner of {programName}. Your application was not accepted.',
    preview: '{programName} has decided on your application.',
    placeholders: ['applicantName', 'programName'],
  },
  connect_account: {
    subject: 'You have earned {amount} from {programName}',
    intro: EARNED,
    preview: 'See what is missing before {programName} can pay you.',
    placeholders: MONEY,
  },
  connect_reminder: {
    subject: 'Reminder: {amount} from {programName} cannot be paid yet',
    intro: EARNED,
    preview: 'Your balance at {programName} is kept for you until you can be paid.',
    placeholders: MONEY,
  },
  payout_sent: {
    subject: 'Payout of {amount} from {programName}',
    intro: 'Hello {partnerName},\n\n{programName} has paid you {amount}.',
    preview: '{programName} has paid your commissions. See them in the portal.',
    placeholders: MONEY,
  },
  payout_failed: {
    subject: 'Payout of {amount} from {programName} failed',
    intro: 'Hello {partnerName},\n\n{programName} could not pay you {amount}.',
    preview: 'Nothing is lost: {programName} still owes you the amount. See the reason.',
    placeholders: MONEY,
  },
  payout_returned: {
    subject: 'Payout of {amount} from {programName} was returned',
    intro:
      'Hello {partnerName},\n\n{programName} paid you {amount}, but your bank or payment service returned it.',
    preview: 'The amount is still owed to you. Please check your payment details.',
    placeholders: MONEY,
  },
  bank_refused: {
    subject: 'Your bank refused {amount} from {workspaceName}',
    intro:
      'Hello {partnerName},\n\nYour bank refused a payout of {amount} from the Stripe account that {workspaceName} pays you to. The money is in that account.',
    preview: 'The money is in your Stripe account. Please check your bank account there.',
    placeholders: ['partnerName', 'workspaceName', 'amount'],
  },
}

/** The default words of a mail. */
export const defaultText = (kind: TextKind): MailText => {
  const { subject, intro } = TEXTS[kind]
  return { subject, intro }
}

/** The placeholders of a mail, without braces. */
export const placeholdersOf = (kind: TextKind): readonly Placeholder[] => TEXTS[kind].placeholders

/** The words in force: what was changed, and the default. */
export const textInForce = (kind: TextKind, edited: EditedText | undefined): MailText => ({
  subject: edited?.subject ?? TEXTS[kind].subject,
  intro: edited?.intro ?? TEXTS[kind].intro,
})

/** A change without what is the default, so that it goes on following the default. */
export const withoutDefaults = (kind: EditableKind, { subject, intro }: EditedText): EditedText => ({
  subject: subject === TEXTS[kind].subject ? null : subject,
  intro: intro === TEXTS[kind].intro ? null : intro,
})

/** Why a text cannot be used: a placeholder that the mail does not have, or a brace without its other. */
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

/** The same of a change, by field. */
export const textProblems = (kind: TextKind, change: EditedText) =>
  (['subject', 'intro'] as const).flatMap((path) => {
    const message = placeholderProblem(kind, change[path] ?? '')
    return message ? [{ path, message }] : []
  })

export const TEXT_CHANGED =
  'Another manager has changed this text since you opened it. Read it again, then change it.'

/** A placeholder with the space before it, which goes when the value is missing: "Hello {partnerName}," becomes "Hello,". */
const PLACEHOLDER = /( ?)\{(\w+)\}/g

const valueIn = (values: Values, name: string): string => oneLine(values[name as Placeholder] ?? '')

const fillIn = (text: string, values: Values): string =>
  text.replace(PLACEHOLDER, (_, space: string, name: string) => {
    const value = valueIn(values, name)
    return value && space + value
  })

/** The subject of a mail. One of which nothing is left is the default. */
export const subjectOf = (kind: TextKind, edited: EditedText | undefined, values: Values): string =>
  fillIn(textInForce(kind, edited).subject, values).trim() || fillIn(TEXTS[kind].subject, values)

/** Mail programs show less. */
const MAX_PREVIEW_LENGTH = 140

/** What mail programs show beside the subject: of what a manager wrote, the beginning without the greeting. */
export const previewOf = (kind: TextKind, edited: EditedText | undefined, values: Values): string => {
  const { preview } = TEXTS[kind]
  if (preview !== null) return fillIn(preview, values)
  const [greeting = '', ...rest] = textInForce(kind, edited).intro.trim().split(/\n+/)
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
export const introOf = (kind: TextKind, edited: EditedText | undefined, values: Values): Paragraph[] =>
  textInForce(kind, edited)
    .intro.split(/\n{2,}/)
    .map((paragraph) => fillParagraph(paragraph, values))
