/** What the mails say. Names come from strangers: what becomes of them is in layout.tsx. */
import type { MailKind } from '../data/tables.ts'
import { type MailContent, subjectLine } from './content.ts'
import type { InvitationDetails, MovedDetails } from './details.ts'
import { renderHtml, renderText } from './layout.tsx'
import type { Paragraph } from './paragraphs.ts'
import type { SignInMail } from './service.ts'

/** A mail that says the same in HTML and in plain text. */
const content = (subject: string, paragraphs: Paragraph[]): MailContent => ({
  subject: subjectLine(subject),
  html: renderHtml(paragraphs),
  text: renderText(paragraphs),
})

/** "We've moved": tells a partner who was imported where the program is now. Spec, section 4.3. */
export const movedContent = ({ partnerName, programName, link, portalUrl }: MovedDetails): MailContent =>
  content(`We’ve moved: ${programName}`, [
    partnerName?.trim() ? ['Hello ', { name: partnerName }, ','] : 'Hello,',
    [
      { name: programName },
      ' has moved to a new home. You are a partner there already, so there is nothing to apply for again.',
    ],
    ['Your link is', { link }],
    'If the link that you have shared so far ends in the same way, leave it as it is: it goes on counting. If it ends differently, please share this one from now on.',
    ['What is new is the place where your link and your coupon codes are:', { link: portalUrl }],
    'Sign in there with the address that this mail came to. You need no password.',
    'Thank you for being a partner.',
  ])

/** What each role lets its holder do. */
const ROLES = {
  manager: 'As a manager you can set everything up there.',
  member: 'As a member you can look at its partners, events and commissions.',
} as const

/** Tells somebody that they are a member of a workspace. */
export const invitationContent = ({ workspaceName, role, invitedBy, url }: InvitationDetails): MailContent =>
  content(`You are invited to ${workspaceName}`, [
    'Hello,',
    [{ name: invitedBy }, ' has invited you to ', { name: workspaceName }, ` on Tributary. ${ROLES[role]}`],
    { button: 'Sign in', link: url },
    'Use the address that this mail came to. You need no password.',
    'If you don’t know what this is about, you can ignore this mail.',
  ])

/** A link that signs its holder in. */
export const signInContent = ({ url, expiresInMinutes }: Omit<SignInMail, 'to'>): MailContent =>
  content('Your link to sign in to Tributary', [
    'Hello,',
    'This link signs you in to Tributary:',
    { button: 'Sign in', link: url },
    `It works once, within ${expiresInMinutes} minutes.`,
    'If you didn’t ask for it, ignore this mail: nobody gets in without it.',
  ])

/** A detail that a mail can't do without. @throws when it isn't there */
const required = (details: Record<string, unknown>, name: string): string => {
  const value = details[name]
  if (typeof value === 'string' && value) return value
  throw new Error(`The mail’s details lack ${name}.`)
}

/** What a mail of the outbox says. @throws when its details are not those of its kind */
export const outboxContent = ({
  kind,
  details,
}: {
  kind: MailKind
  details: Record<string, unknown>
}): MailContent => {
  if (kind === 'moved') {
    const { partnerName } = details
    return movedContent({
      partnerName: typeof partnerName === 'string' ? partnerName : null,
      programName: required(details, 'programName'),
      link: required(details, 'link'),
      portalUrl: required(details, 'portalUrl'),
    })
  }
  return invitationContent({
    workspaceName: required(details, 'workspaceName'),
    role: details.role === 'manager' ? 'manager' : 'member',
    invitedBy: required(details, 'invitedBy'),
    url: required(details, 'url'),
  })
}
