/** What the mails say. Names come from strangers: what becomes of them is in layout.tsx. */
import type { MailKind } from '../db/tables.ts'
import { type MailContent, subjectLine } from './content.ts'
import type {
  InvitationDetails,
  MoneyDetails,
  MovedDetails,
  PayoutFailedDetails,
  PayoutSentDetails,
} from './details.ts'
import { renderHtml, renderText } from './layout.tsx'
import type { SignInMail } from './mailer.rpc.ts'
import type { Paragraph } from './paragraphs.ts'

/** A mail that says the same in HTML and in plain text. */
const content = (subject: string, paragraphs: Paragraph[]): MailContent => ({
  subject: subjectLine(subject),
  html: renderHtml(paragraphs),
  text: renderText(paragraphs),
})

/** Greets a partner, by name when there is one. */
const greeting = (partnerName: string | null): Paragraph =>
  partnerName?.trim() ? ['Hello ', { name: partnerName }, ','] : 'Hello,'

/** How a partner gets into the portal. */
const HOW_TO_SIGN_IN = 'Sign in there with the address that this mail came to. You need no password.'

/** "We've moved": tells a partner who was imported where the program is now. Spec, section 4.3. */
export const movedContent = ({ partnerName, programName, link, portalUrl }: MovedDetails): MailContent =>
  content(`We’ve moved: ${programName}`, [
    greeting(partnerName),
    [
      { name: programName },
      ' has moved to a new home. You are a partner there already, so there is nothing to apply for again.',
    ],
    ['Your link is', { link }],
    'If the link that you have shared so far ends in the same way, leave it as it is: it goes on counting. If it ends differently, please share this one from now on.',
    ['What is new is the place where your link and your coupon codes are:', { link: portalUrl }],
    HOW_TO_SIGN_IN,
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

/** Where the money of each method is. */
const PAID_BY = {
  stripe: 'The money is in your Stripe account, which sends it on to your bank.',
  manual: 'The money was sent past Stripe, such as by bank transfer, and may take some days to arrive.',
} as const

/** Tells a partner that a payout was made. */
export const payoutSentContent = ({
  partnerName,
  programName,
  amount,
  method,
  portalUrl,
}: PayoutSentDetails): MailContent =>
  content(`A payout of ${amount}: ${programName}`, [
    greeting(partnerName),
    [{ name: programName }, ` has paid you ${amount}. ${PAID_BY[method]}`],
    ['What it is made up of is in the portal:', { link: portalUrl }],
    HOW_TO_SIGN_IN,
    'Thank you for being a partner.',
  ])

/** Tells a partner that a payout could not be made. The reason may be in Stripe's words. */
export const payoutFailedContent = ({
  partnerName,
  programName,
  amount,
  reason,
  portalUrl,
}: PayoutFailedDetails): MailContent =>
  content(`A payout of ${amount} could not be made: ${programName}`, [
    greeting(partnerName),
    [{ name: programName }, ` has tried to pay you ${amount}, which could not be done.`],
    ['The reason: ', { name: reason }],
    'You lose nothing by it: the amount is due to you as before, and goes with a later payout.',
    'The portal says whether the account that you are paid to needs something from you.',
    { button: 'Open the portal', link: portalUrl },
    HOW_TO_SIGN_IN,
  ])

/** Tells a partner who has earned something, and can't be paid yet, what to do. */
export const connectAccountContent = ({
  partnerName,
  programName,
  amount,
  portalUrl,
}: MoneyDetails): MailContent =>
  content(`You have earned ${amount}: ${programName}`, [
    greeting(partnerName),
    [`You have earned ${amount} as a partner of `, { name: programName }, '.'],
    'To be paid, connect an account that the money can go to. You do so once, with Stripe, in a few minutes. Until then the money waits for you.',
    { button: 'Connect your account', link: portalUrl },
    HOW_TO_SIGN_IN,
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

/** As the outbox has them: a row may have been written by an older version. */
type Stored = Record<string, unknown>

/** A detail that a mail can't do without. @throws when it isn't there */
const required = (details: Stored, name: string): string => {
  const value = details[name]
  if (typeof value === 'string' && value) return value
  throw new Error(`The mail’s details lack ${name}.`)
}

const toPartner = (details: Stored) => ({
  partnerName: typeof details.partnerName === 'string' ? details.partnerName : null,
  programName: required(details, 'programName'),
  portalUrl: required(details, 'portalUrl'),
})

const aboutMoney = (details: Stored): MoneyDetails => ({
  ...toPartner(details),
  amount: required(details, 'amount'),
})

const CONTENTS: Record<MailKind, (details: Stored) => MailContent> = {
  moved: (details) => movedContent({ ...toPartner(details), link: required(details, 'link') }),
  invitation: (details) =>
    invitationContent({
      workspaceName: required(details, 'workspaceName'),
      role: details.role === 'manager' ? 'manager' : 'member',
      invitedBy: required(details, 'invitedBy'),
      url: required(details, 'url'),
    }),
  connect_account: (details) => connectAccountContent(aboutMoney(details)),
  payout_sent: (details) =>
    payoutSentContent({
      ...aboutMoney(details),
      method: details.method === 'manual' ? 'manual' : 'stripe',
    }),
  payout_failed: (details) =>
    payoutFailedContent({ ...aboutMoney(details), reason: required(details, 'reason') }),
}

/** What a mail of the outbox says. @throws when its details are not those of its kind */
export const outboxContent = ({ kind, details }: { kind: MailKind; details: Stored }): MailContent =>
  CONTENTS[kind](details)
