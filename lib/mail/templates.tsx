/** The texts of the emails. Names are untrusted input, which layout.tsx escapes. */

import { type MailContent, subjectLine } from './content.ts'
import type {
  AddressDetails,
  BankRefusedDetails,
  ConnectDetails,
  InvitationDetails,
  MoneyDetails,
  MovedDetails,
  PaymentDetailsDetails,
  PayoutAccountDetails,
  PayoutFailedDetails,
  PayoutReturnedDetails,
  PayoutRunDetails,
  PayoutSentDetails,
} from './details.ts'
import { renderHtml, renderText } from './layout.tsx'
import type { SignInMail } from './mailer.rpc.ts'
import type { MailKind } from './mails.ts'
import type { Paragraph } from './paragraphs.ts'
import { type RunMailKind, runMail } from './run-texts.ts'

/** An email in HTML and in plain text. */
const content = (subject: string, paragraphs: Paragraph[]): MailContent => ({
  subject: subjectLine(subject),
  html: renderHtml(paragraphs),
  text: renderText(paragraphs),
})

/** Greets a partner, by name if it is known. */
const greeting = (partnerName: string | null): Paragraph =>
  partnerName?.trim() ? ['Hello ', { name: partnerName }, ','] : 'Hello,'

/** How a partner signs in to the portal. */
const HOW_TO_SIGN_IN = 'Sign in with the address that received this email. You need no password.'

/** "We’ve moved": informs an imported partner that the program has moved (spec section 4.3). */
export const movedContent = ({ partnerName, programName, link, portalUrl }: MovedDetails): MailContent =>
  content(`We’ve moved: ${programName}`, [
    greeting(partnerName),
    [
      { name: programName },
      ' has moved to a new platform. You are already a partner there and do not need to apply again.',
    ],
    ['Your link:', { link }],
    'If the link you have shared ends in the same way, keep it: it still works. Otherwise, please share this one from now on.',
    ['Find your link and your coupon codes in the partner portal:', { link: portalUrl }],
    HOW_TO_SIGN_IN,
    'Thank you for being a partner.',
  ])

/** What each role allows. */
const ROLES = {
  manager: 'As a manager, you have full access.',
  member: 'As a member, you can view its partners, events and commissions.',
} as const

/** Invites a member to a workspace. */
export const invitationContent = ({ workspaceName, role, invitedBy, url }: InvitationDetails): MailContent =>
  content(`You are invited to ${workspaceName}`, [
    'Hello,',
    [{ name: invitedBy }, ' invited you to ', { name: workspaceName }, ` on Tributary. ${ROLES[role]}`],
    { button: 'Sign in', link: url },
    'Sign in with the address that received this email. You need no password.',
    'If you did not expect this invitation, ignore this email.',
  ])

/** How the funds of each method arrive. */
const PAID_BY = {
  stripe: 'The funds are in your Stripe account, which pays them out to your bank.',
  manual: 'The payment was sent by bank transfer or a similar method, and may take a few days to arrive.',
} as const

/** Announces a payout. */
export const payoutSentContent = ({
  partnerName,
  programName,
  amount,
  method,
  portalUrl,
}: PayoutSentDetails): MailContent =>
  content(`Payout of ${amount} from ${programName}`, [
    greeting(partnerName),
    [{ name: programName }, ` has paid you ${amount}. ${PAID_BY[method]}`],
    ['See its commissions in the portal:', { link: portalUrl }],
    HOW_TO_SIGN_IN,
    'Thank you for being a partner.',
  ])

/** Announces a failed payout. The reason may be Stripe's text. */
export const payoutFailedContent = ({
  partnerName,
  programName,
  amount,
  reason,
  portalUrl,
}: PayoutFailedDetails): MailContent =>
  content(`Payout of ${amount} from ${programName} failed`, [
    greeting(partnerName),
    [{ name: programName }, ` could not pay you ${amount}.`],
    ['Reason: ', { name: reason }],
    'The amount is still owed to you and will be included in a later payout.',
    'The portal shows whether your payout account needs more information.',
    { button: 'Open portal', link: portalUrl },
    HOW_TO_SIGN_IN,
  ])

/** Reports to a partner that its bank returned a payout. */
export const payoutReturnedContent = ({
  partnerName,
  programName,
  amount,
  reason,
  portalUrl,
}: PayoutReturnedDetails): MailContent =>
  content(`Payout of ${amount} from ${programName} was returned`, [
    greeting(partnerName),
    [{ name: programName }, ` paid you ${amount}, but your bank or payment service returned it.`],
    ['Reason: ', { name: reason }],
    'The amount is still owed to you and will be included in a later payout.',
    'Please check that your name and your payment details are correct, and that your account can receive this currency. If you gave your payment details elsewhere, send the corrected ones there.',
    { button: 'Check payment details', link: portalUrl },
    HOW_TO_SIGN_IN,
  ])

/** What a partner with earnings has to do to be paid, by what is missing. */
const TO_BE_PAID = {
  not_connected: {
    text: 'To be paid, connect a Stripe account, or finish its set-up. It takes a few minutes, once.',
    button: 'Connect account',
  },
  account_restricted: {
    text: 'Stripe needs more information about you before you can be paid. It takes a few minutes.',
    button: 'Give information',
  },
} as const

const connectParagraphs = ({
  partnerName,
  programName,
  amount,
  portalUrl,
  problem,
}: ConnectDetails): Paragraph[] => [
  greeting(partnerName),
  [`You have earned ${amount} as a partner of `, { name: programName }, '.'],
  `${TO_BE_PAID[problem].text} Until then, your balance is kept for you.`,
  { button: TO_BE_PAID[problem].button, link: portalUrl },
  HOW_TO_SIGN_IN,
]

/** Asks a partner with earnings to connect an account, or to complete it. */
export const connectAccountContent = (details: ConnectDetails): MailContent =>
  content(`You have earned ${details.amount} from ${details.programName}`, connectParagraphs(details))

/** Reminds a partner whose earnings still cannot be paid. */
export const connectReminderContent = (details: ConnectDetails): MailContent =>
  content(
    `Reminder: ${details.amount} from ${details.programName} cannot be paid yet`,
    connectParagraphs(details),
  )

/** Reports that a partner's payment details will change, or that they will not after all. */
export const paymentDetailsContent = ({
  partnerName,
  workspaceName,
  paidBy,
  effectiveAt,
  portalUrl,
}: PaymentDetailsDetails): MailContent =>
  paidBy === null
    ? content(`Your payment details at ${workspaceName} stay as they are`, [
        greeting(partnerName),
        ['A change of how ', { name: workspaceName }, ' pays you was canceled.'],
        'If you did not do this, enter your details again in the portal.',
        { button: 'Open portal', link: portalUrl },
        HOW_TO_SIGN_IN,
      ])
    : content(`Your payment details at ${workspaceName} will change`, [
        greeting(partnerName),
        [
          'From ',
          { name: effectiveAt },
          ' on, ',
          { name: workspaceName },
          ' pays you by ',
          { name: paidBy },
          '.',
        ],
        'Until then, your present details stay in force. If you did not make this change, cancel it in the portal.',
        { button: 'Open portal', link: portalUrl },
        HOW_TO_SIGN_IN,
      ])
/** The link that proves a partner's new address. */
export const addressLinkContent = ({ partnerName, from, to, url }: AddressDetails): MailContent =>
  content('Confirm your new email address', [
    greeting(partnerName),
    ['The partner ', { name: from }, ' wants to use the address ', { name: to }, ' from now on.'],
    'To confirm it, open this link in the browser in which you asked for it:',
    { button: 'Confirm address', link: url },
    'The link works once, within a day, and only while you are signed in with the old address.',
    'If you do not know about this, ignore this email. Nothing changes without the link.',
  ])

/** Notifies the old address of a partner that it was replaced. */
export const addressChangedContent = ({ partnerName, from, to, url }: AddressDetails): MailContent =>
  content('Your email address was changed', [
    greeting(partnerName),
    ['The address of your partner accounts was changed from ', { name: from }, ' to ', { name: to }, '.'],
    'Your earnings, links and connected accounts did not change. Sign in with the new address.',
    'If you did not do this, contact the merchants of your programs immediately.',
    { button: 'Open portal', link: url },
  ])

/** Reports that a partner's Stripe account was connected or disconnected, also if somebody else did it. */
export const payoutAccountContent = ({
  partnerName,
  workspaceName,
  change,
  portalUrl,
}: PayoutAccountDetails): MailContent =>
  content(`Your Stripe account was ${change}`, [
    greeting(partnerName),
    change === 'connected'
      ? [
          'A Stripe account was connected. ',
          { name: workspaceName },
          ' pays you to it once Stripe has your details.',
        ]
      : [
          'Your Stripe account was disconnected. ',
          { name: workspaceName },
          ' cannot pay you until you connect one.',
        ],
    'If you did not do this, open the portal, check your account, and contact the merchant.',
    { button: 'Open portal', link: portalUrl },
    HOW_TO_SIGN_IN,
  ])

/** Reports that the bank of a partner's Stripe account refused a payout, which only the partner can mend. */
export const bankRefusedContent = ({
  partnerName,
  workspaceName,
  amount,
  reason,
  portalUrl,
}: BankRefusedDetails): MailContent =>
  content(`Your bank refused ${amount}`, [
    greeting(partnerName),
    [
      `Your bank refused a payout of ${amount} from the Stripe account that `,
      { name: workspaceName },
      ' pays you to. The money is in that account.',
    ],
    ...(reason ? [['Reason: ', { name: reason }]] : []),
    'Stripe pays nothing out until you give it a bank account that accepts payouts. The portal leads you there.',
    { button: 'Open portal', link: portalUrl },
    HOW_TO_SIGN_IN,
  ])

/** Reports on a payout run to a manager. */
export const runContent = (kind: RunMailKind, details: PayoutRunDetails): MailContent => {
  const { subject, paragraphs } = runMail(kind, details)
  return content(subject, paragraphs)
}

/** A sign-in link. */
export const signInContent = ({ url, expiresInMinutes }: Omit<SignInMail, 'to'>): MailContent =>
  content('Your sign-in link for Tributary', [
    'Hello,',
    'Use this link to sign in to Tributary:',
    { button: 'Sign in', link: url },
    `The link works once, within ${expiresInMinutes} minutes.`,
    'If you did not request it, ignore this email. Nobody can sign in without it.',
  ])

/** Details from the outbox, which an older version may have written. */
type Stored = Record<string, unknown>

/** A required detail. @throws if it is missing */
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

const aboutConnecting = (details: Stored): ConnectDetails => ({
  ...aboutMoney(details),
  problem: details.problem === 'account_restricted' ? 'account_restricted' : 'not_connected',
})

const aboutRun = (details: Stored): PayoutRunDetails => ({
  workspaceName: required(details, 'workspaceName'),
  programName: typeof details.programName === 'string' ? details.programName : null,
  day: typeof details.day === 'string' ? details.day : null,
  sums: Array.isArray(details.sums) ? details.sums : [],
  messages: Array.isArray(details.messages) ? details.messages : [],
  url: required(details, 'url'),
})

const aboutAddress = (details: Stored): AddressDetails => ({
  partnerName: typeof details.partnerName === 'string' ? details.partnerName : null,
  from: required(details, 'from'),
  to: required(details, 'to'),
  url: required(details, 'url'),
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
  address_link: (details) => addressLinkContent(aboutAddress(details)),
  address_changed: (details) => addressChangedContent(aboutAddress(details)),
  payout_account: (details) =>
    payoutAccountContent({
      partnerName: typeof details.partnerName === 'string' ? details.partnerName : null,
      workspaceName: required(details, 'workspaceName'),
      change: details.change === 'disconnected' ? 'disconnected' : 'connected',
      portalUrl: required(details, 'portalUrl'),
    }),
  bank_refused: (details) =>
    bankRefusedContent({
      partnerName: typeof details.partnerName === 'string' ? details.partnerName : null,
      workspaceName: required(details, 'workspaceName'),
      amount: required(details, 'amount'),
      reason: typeof details.reason === 'string' ? details.reason : null,
      portalUrl: required(details, 'portalUrl'),
    }),
  connect_account: (details) => connectAccountContent(aboutConnecting(details)),
  connect_reminder: (details) => connectReminderContent(aboutConnecting(details)),
  payout_sent: (details) =>
    payoutSentContent({
      ...aboutMoney(details),
      method: details.method === 'manual' ? 'manual' : 'stripe',
    }),
  payment_details: (details) =>
    paymentDetailsContent({
      partnerName: typeof details.partnerName === 'string' ? details.partnerName : null,
      workspaceName: required(details, 'workspaceName'),
      paidBy: typeof details.paidBy === 'string' ? details.paidBy : null,
      effectiveAt: typeof details.effectiveAt === 'string' ? details.effectiveAt : '',
      portalUrl: required(details, 'portalUrl'),
    }),
  payout_failed: (details) =>
    payoutFailedContent({ ...aboutMoney(details), reason: required(details, 'reason') }),
  payout_returned: (details) =>
    payoutReturnedContent({ ...aboutMoney(details), reason: required(details, 'reason') }),
  payout_approval: (details) => runContent('payout_approval', aboutRun(details)),
  payout_report: (details) => runContent('payout_report', aboutRun(details)),
  payout_review: (details) => runContent('payout_review', aboutRun(details)),
  payout_preview: (details) => runContent('payout_preview', aboutRun(details)),
  payout_problem: (details) => runContent('payout_problem', aboutRun(details)),
}

/** The content of an outbox email. @throws if its details do not match its kind */
export const outboxContent = ({ kind, details }: { kind: MailKind; details: Stored }): MailContent =>
  CONTENTS[kind](details)
