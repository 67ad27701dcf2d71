/** The content of each kind of mail, from the details that the outbox keeps. */
import { type Brand, isBranded } from '../brand/brand.ts'
import {
  addressChangedDraft,
  addressLinkDraft,
  invitationDraft,
  messageDraft,
  movedDraft,
  newBrowserDraft,
  openingBalancesDraft,
  partnerInvitationDraft,
  payoutAccountDraft,
  rejectionDraft,
  webhookDisabledDraft,
  welcomeDraft,
} from './account-texts.tsx'
import { render } from './compose.tsx'
import { type MailContent, subjectLine } from './content.ts'
import type { ConnectDetails, MoneyDetails, MovedDetails, PayoutRunDetails } from './details.ts'
import { isOfProgram, type OutboxKind } from './mails.ts'
import type { Draft, Paragraph } from './paragraphs.ts'
import {
  bankRefusedDraft,
  connectAccountDraft,
  connectReminderDraft,
  paymentDetailsDraft,
  payoutFailedDraft,
  payoutReturnedDraft,
  payoutSentDraft,
} from './payout-texts.tsx'
import { runDraft } from './run-texts.ts'
import type { EditedText } from './texts.ts'
import { memberAddressDraft, noticeOf, workspaceNoticeDraft } from './workspace-texts.tsx'

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

const toMoved = (details: Stored): MovedDetails => {
  const { url, works } = Object(details.formerLink) as Stored
  return {
    ...toWelcome(details),
    ...(typeof url === 'string' && { formerLink: { url, works: works === true } }),
  }
}

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

const DRAFTS: Record<OutboxKind, (details: Stored, edited?: EditedText) => Draft> = {
  moved: (details, edited) => movedDraft(toMoved(details), edited),
  message: (details, edited) => {
    if (!edited) throw new Error('The text of this mail was removed.')
    return messageDraft(
      {
        ...toPartner(details),
        workspaceName: required(details, 'workspaceName'),
        sentBy: required(details, 'sentBy'),
      },
      edited,
    )
  },
  welcome: (details, edited) => welcomeDraft(toWelcome(details), edited),
  application_rejected: (details, edited) =>
    rejectionDraft(
      {
        applicantName: required(details, 'applicantName'),
        programName: required(details, 'programName'),
        reason: typeof details.reason === 'string' ? details.reason : null,
      },
      edited,
    ),
  partner_invitation: (details, edited) =>
    partnerInvitationDraft(
      {
        programName: required(details, 'programName'),
        workspaceName: required(details, 'workspaceName'),
        invitedBy: typeof details.invitedBy === 'string' ? details.invitedBy : null,
        url: required(details, 'url'),
      },
      edited,
    ),
  invitation: (details) =>
    invitationDraft({
      workspaceName: required(details, 'workspaceName'),
      role: details.role === 'manager' ? 'manager' : 'member',
      invitedBy: required(details, 'invitedBy'),
      url: required(details, 'url'),
    }),
  address_link: (details) => addressLinkDraft(aboutAddress(details)),
  address_changed: (details) => addressChangedDraft(aboutAddress(details)),
  new_browser: (details) =>
    newBrowserDraft({
      browser: required(details, 'browser'),
      signedInAt: required(details, 'signedInAt'),
      url: required(details, 'url'),
    }),
  payout_account: (details) =>
    payoutAccountDraft({
      partnerName: typeof details.partnerName === 'string' ? details.partnerName : null,
      workspaceName: required(details, 'workspaceName'),
      change:
        details.change === 'disconnected' || details.change === 'changed' ? details.change : 'connected',
      ...(typeof details.heldUntil === 'string' && { heldUntil: details.heldUntil }),
      ...(typeof details.confirmUrl === 'string' && { confirmUrl: details.confirmUrl }),
      portalUrl: required(details, 'portalUrl'),
    }),
  bank_refused: (details, edited) =>
    bankRefusedDraft(
      {
        partnerName: typeof details.partnerName === 'string' ? details.partnerName : null,
        workspaceName: required(details, 'workspaceName'),
        amount: required(details, 'amount'),
        reason: typeof details.reason === 'string' ? details.reason : null,
        portalUrl: required(details, 'portalUrl'),
      },
      edited,
    ),
  connect_account: (details, edited) => connectAccountDraft(aboutConnecting(details), edited),
  connect_reminder: (details, edited) => connectReminderDraft(aboutConnecting(details), edited),
  payout_sent: (details, edited) =>
    payoutSentDraft(
      {
        ...aboutMoney(details),
        method: details.method === 'manual' ? 'manual' : 'stripe',
      },
      edited,
    ),
  payment_details: (details) =>
    paymentDetailsDraft({
      partnerName: typeof details.partnerName === 'string' ? details.partnerName : null,
      workspaceName: required(details, 'workspaceName'),
      paidBy: typeof details.paidBy === 'string' ? details.paidBy : null,
      effectiveAt: typeof details.effectiveAt === 'string' ? details.effectiveAt : '',
      portalUrl: required(details, 'portalUrl'),
    }),
  payout_failed: (details, edited) =>
    payoutFailedDraft({ ...aboutMoney(details), reason: required(details, 'reason') }, edited),
  payout_returned: (details, edited) =>
    payoutReturnedDraft({ ...aboutMoney(details), reason: required(details, 'reason') }, edited),
  payout_approval: (details) => runDraft('payout_approval', aboutRun(details)),
  payout_report: (details) => runDraft('payout_report', aboutRun(details)),
  payout_review: (details) => runDraft('payout_review', aboutRun(details)),
  payout_preview: (details) => runDraft('payout_preview', aboutRun(details)),
  payout_problem: (details) => runDraft('payout_problem', aboutRun(details)),
  webhook_disabled: (details) =>
    webhookDisabledDraft({
      workspaceName: required(details, 'workspaceName'),
      host: required(details, 'host'),
      url: required(details, 'url'),
    }),
  member_address: (details) =>
    memberAddressDraft({
      from: required(details, 'from'),
      to: required(details, 'to'),
      isNew: details.isNew === true,
      url: required(details, 'url'),
    }),
  workspace_notice: (details) =>
    workspaceNoticeDraft({
      workspaceName: required(details, 'workspaceName'),
      notice: noticeOf(details.notice),
      person: typeof details.person === 'string' ? details.person : null,
      day: typeof details.day === 'string' ? details.day : null,
      url: typeof details.url === 'string' ? details.url : null,
    }),
  opening_balances: (details) =>
    openingBalancesDraft({
      workspaceName: required(details, 'workspaceName'),
      programName: required(details, 'programName'),
      importedBy: required(details, 'importedBy'),
      balances: Number(details.balances),
      amountCents: Number(details.amountCents),
      url: required(details, 'url'),
    }),
}

/** What the outbox keeps of a mail, the words that managers have given to its kind, and the brand of its program. */
type OutboxMail = {
  kind: OutboxKind
  details: Stored
  edited?: EditedText | undefined
  brand?: Brand | undefined
  /** Whether a manager tries it: its subject says so. */
  isTest?: boolean
  /** Where its recipient ends such mails. */
  unsubscribeUrl?: string | undefined
}

/** Says at the foot of a mail how to end such mails. */
const unsubscribeLine = (details: Stored, url: string | undefined): Paragraph[] => {
  const from = typeof details.workspaceName === 'string' ? details.workspaceName : details.programName
  return url
    ? [['Unsubscribe from such emails of ', { name: String(from) }, ':', { link: url, label: 'Unsubscribe' }]]
    : []
}

/** The content of an outbox email. @throws if its details do not match its kind */
export const outboxContent = ({
  kind,
  details,
  edited,
  brand,
  isTest = false,
  unsubscribeUrl,
}: OutboxMail): MailContent => {
  const hasBrand = brand && isBranded(brand) && isOfProgram(kind)
  const mail = render(
    DRAFTS[kind](details, edited),
    hasBrand ? { ...brand, name: required(details, 'programName') } : undefined,
    unsubscribeLine(details, unsubscribeUrl),
  )
  return isTest ? { ...mail, subject: subjectLine(`Test: ${mail.subject}`) } : mail
}
