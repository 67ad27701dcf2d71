/** The content of each kind of mail, from the details that the outbox keeps. */
import {
  addressChangedContent,
  addressLinkContent,
  invitationContent,
  movedContent,
  newBrowserContent,
  openingBalancesContent,
  partnerInvitationContent,
  payoutAccountContent,
  rejectionContent,
  webhookDisabledContent,
  welcomeContent,
} from './account-texts.tsx'
import { content } from './compose.tsx'
import { type MailContent, subjectLine } from './content.ts'
import type { ConnectDetails, MoneyDetails, PayoutRunDetails } from './details.ts'
import type { OutboxKind } from './mails.ts'
import {
  bankRefusedContent,
  connectAccountContent,
  connectReminderContent,
  paymentDetailsContent,
  payoutFailedContent,
  payoutReturnedContent,
  payoutSentContent,
} from './payout-texts.tsx'
import { type RunMailKind, runMail } from './run-texts.ts'
import type { EditedText } from './texts.ts'

/** Reports on a payout run to a manager. */
export const runContent = (kind: RunMailKind, details: PayoutRunDetails): MailContent => {
  const { subject, paragraphs } = runMail(kind, details)
  return content(subject, paragraphs)
}

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

const toWelcome = (details: Stored) => ({
  ...toPartner(details),
  link: required(details, 'link'),
  workspaceName: typeof details.workspaceName === 'string' ? details.workspaceName : null,
  sentBy: typeof details.sentBy === 'string' ? details.sentBy : null,
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

const aboutAddress = (details: Stored) => ({
  partnerName: typeof details.partnerName === 'string' ? details.partnerName : null,
  from: required(details, 'from'),
  to: required(details, 'to'),
  url: required(details, 'url'),
  workspaceName: typeof details.workspaceName === 'string' ? details.workspaceName : null,
})

const CONTENTS: Record<OutboxKind, (details: Stored, edited?: EditedText) => MailContent> = {
  moved: (details, edited) => movedContent(toWelcome(details), edited),
  welcome: (details, edited) => welcomeContent(toWelcome(details), edited),
  application_rejected: (details, edited) =>
    rejectionContent(
      {
        applicantName: required(details, 'applicantName'),
        programName: required(details, 'programName'),
        reason: typeof details.reason === 'string' ? details.reason : null,
      },
      edited,
    ),
  partner_invitation: (details, edited) =>
    partnerInvitationContent(
      {
        programName: required(details, 'programName'),
        workspaceName: required(details, 'workspaceName'),
        invitedBy: required(details, 'invitedBy'),
        url: required(details, 'url'),
      },
      edited,
    ),
  invitation: (details) =>
    invitationContent({
      workspaceName: required(details, 'workspaceName'),
      role: details.role === 'manager' ? 'manager' : 'member',
      invitedBy: required(details, 'invitedBy'),
      url: required(details, 'url'),
    }),
  address_link: (details) => addressLinkContent(aboutAddress(details)),
  address_changed: (details) => addressChangedContent(aboutAddress(details)),
  new_browser: (details) =>
    newBrowserContent({
      browser: required(details, 'browser'),
      signedInAt: required(details, 'signedInAt'),
      url: required(details, 'url'),
    }),
  payout_account: (details) =>
    payoutAccountContent({
      partnerName: typeof details.partnerName === 'string' ? details.partnerName : null,
      workspaceName: required(details, 'workspaceName'),
      change:
        details.change === 'disconnected' || details.change === 'changed' ? details.change : 'connected',
      ...(typeof details.heldUntil === 'string' && { heldUntil: details.heldUntil }),
      ...(typeof details.confirmUrl === 'string' && { confirmUrl: details.confirmUrl }),
      portalUrl: required(details, 'portalUrl'),
    }),
  bank_refused: (details, edited) =>
    bankRefusedContent(
      {
        partnerName: typeof details.partnerName === 'string' ? details.partnerName : null,
        workspaceName: required(details, 'workspaceName'),
        amount: required(details, 'amount'),
        reason: typeof details.reason === 'string' ? details.reason : null,
        portalUrl: required(details, 'portalUrl'),
      },
      edited,
    ),
  connect_account: (details, edited) => connectAccountContent(aboutConnecting(details), edited),
  connect_reminder: (details, edited) => connectReminderContent(aboutConnecting(details), edited),
  payout_sent: (details, edited) =>
    payoutSentContent(
      {
        ...aboutMoney(details),
        method: details.method === 'manual' ? 'manual' : 'stripe',
      },
      edited,
    ),
  payment_details: (details) =>
    paymentDetailsContent({
      partnerName: typeof details.partnerName === 'string' ? details.partnerName : null,
      workspaceName: required(details, 'workspaceName'),
      paidBy: typeof details.paidBy === 'string' ? details.paidBy : null,
      effectiveAt: typeof details.effectiveAt === 'string' ? details.effectiveAt : '',
      portalUrl: required(details, 'portalUrl'),
    }),
  payout_failed: (details, edited) =>
    payoutFailedContent({ ...aboutMoney(details), reason: required(details, 'reason') }, edited),
  payout_returned: (details, edited) =>
    payoutReturnedContent({ ...aboutMoney(details), reason: required(details, 'reason') }, edited),
  payout_approval: (details) => runContent('payout_approval', aboutRun(details)),
  payout_report: (details) => runContent('payout_report', aboutRun(details)),
  payout_review: (details) => runContent('payout_review', aboutRun(details)),
  payout_preview: (details) => runContent('payout_preview', aboutRun(details)),
  payout_problem: (details) => runContent('payout_problem', aboutRun(details)),
  webhook_disabled: (details) =>
    webhookDisabledContent({
      workspaceName: required(details, 'workspaceName'),
      host: required(details, 'host'),
      url: required(details, 'url'),
    }),
  opening_balances: (details) =>
    openingBalancesContent({
      workspaceName: required(details, 'workspaceName'),
      programName: required(details, 'programName'),
      importedBy: required(details, 'importedBy'),
      balances: Number(details.balances),
      amountCents: Number(details.amountCents),
      url: required(details, 'url'),
    }),
}

/** What the outbox keeps of a mail, and the words that managers have given to its kind. */
type OutboxMail = {
  kind: OutboxKind
  details: Stored
  edited?: EditedText | undefined
  /** Whether a manager tries it: its subject says so. */
  isTest?: boolean
}

/** The content of an outbox email. @throws if its details do not match its kind */
export const outboxContent = ({ kind, details, edited, isTest = false }: OutboxMail): MailContent => {
  const mail = CONTENTS[kind](details, edited)
  return isTest ? { ...mail, subject: subjectLine(`Test: ${mail.subject}`) } : mail
}
