/** The content of each kind of mail, from the details that the outbox keeps. */
import { type Brand, isBranded } from '../brand/brand.ts'
import type { Language } from '../languages/languages.ts'
import { inEnglish, type Translate, translator } from '../languages/message.ts'
import * as m from '../languages/messages.ts'
import {
  addressChangedDraft,
  addressLinkDraft,
  messageDraft,
  movedDraft,
  newBrowserDraft,
  partnerInvitationDraft,
  payoutAccountDraft,
  rejectionDraft,
  welcomeDraft,
} from './account-texts.tsx'
import { paragraph, render } from './compose.tsx'
import { type RenderedMail, subjectLine } from './content.ts'
import type { ConnectDetails, MoneyDetails, MovedDetails, PayoutRunDetails } from './details.ts'
import { inLanguage } from './in-language.ts'
import { isOfProgram, isTranslated, type OutboxKind } from './mails.ts'
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
import { runDraft } from './run-texts.tsx'
import { shadowWeekDraft } from './shadow-texts.tsx'
import type { EditedText } from './texts.ts'
import {
  invitationDraft,
  memberAddressDraft,
  noticeOf,
  openingBalancesDraft,
  supportAddressDraft,
  webhookDisabledDraft,
  workspaceNoticeDraft,
} from './workspace-texts.tsx'

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

/** Mails to managers are English. */
const DRAFTS: Record<OutboxKind, (details: Stored, edited: EditedText | undefined, t: Translate) => Draft> = {
  moved: (details, edited, t) => movedDraft(toMoved(details), edited, t),
  message: (details, edited, t) => {
    if (!edited) throw new Error('The text of this mail was removed.')
    return messageDraft(
      {
        ...toPartner(details),
        workspaceName: required(details, 'workspaceName'),
        sentBy: required(details, 'sentBy'),
      },
      edited,
      t,
    )
  },
  welcome: (details, edited, t) => welcomeDraft(toWelcome(details), edited, t),
  application_rejected: (details, edited, t) =>
    rejectionDraft(
      {
        applicantName: required(details, 'applicantName'),
        programName: required(details, 'programName'),
        reason: typeof details.reason === 'string' ? details.reason : null,
      },
      edited,
      t,
    ),
  partner_invitation: (details, edited, t) =>
    partnerInvitationDraft(
      {
        programName: required(details, 'programName'),
        workspaceName: required(details, 'workspaceName'),
        invitedBy: typeof details.invitedBy === 'string' ? details.invitedBy : null,
        url: required(details, 'url'),
      },
      edited,
      t,
    ),
  invitation: (details) =>
    invitationDraft({
      workspaceName: required(details, 'workspaceName'),
      role: details.role === 'manager' ? 'manager' : 'member',
      invitedBy: required(details, 'invitedBy'),
      url: required(details, 'url'),
    }),
  address_link: (details, _, t) => addressLinkDraft(aboutAddress(details), t),
  address_changed: (details, _, t) => addressChangedDraft(aboutAddress(details), t),
  new_browser: (details, _, t) =>
    newBrowserDraft(
      {
        browser: required(details, 'browser'),
        signedInAt: required(details, 'signedInAt'),
        url: required(details, 'url'),
      },
      t,
    ),
  payout_account: (details, _, t) =>
    payoutAccountDraft(
      {
        partnerName: typeof details.partnerName === 'string' ? details.partnerName : null,
        workspaceName: required(details, 'workspaceName'),
        change:
          details.change === 'disconnected' || details.change === 'changed' ? details.change : 'connected',
        ...(typeof details.heldUntil === 'string' && { heldUntil: details.heldUntil }),
        ...(typeof details.confirmUrl === 'string' && { confirmUrl: details.confirmUrl }),
        portalUrl: required(details, 'portalUrl'),
      },
      t,
    ),
  bank_refused: (details, edited, t) =>
    bankRefusedDraft(
      {
        partnerName: typeof details.partnerName === 'string' ? details.partnerName : null,
        workspaceName: required(details, 'workspaceName'),
        amount: required(details, 'amount'),
        reason: typeof details.reason === 'string' ? details.reason : null,
        portalUrl: required(details, 'portalUrl'),
      },
      edited,
      t,
    ),
  connect_account: (details, edited, t) => connectAccountDraft(aboutConnecting(details), edited, t),
  connect_reminder: (details, edited, t) => connectReminderDraft(aboutConnecting(details), edited, t),
  payout_sent: (details, edited, t) =>
    payoutSentDraft(
      {
        ...aboutMoney(details),
        method: details.method === 'manual' ? 'manual' : 'stripe',
      },
      edited,
      t,
    ),
  payment_details: (details, _, t) =>
    paymentDetailsDraft(
      {
        partnerName: typeof details.partnerName === 'string' ? details.partnerName : null,
        workspaceName: required(details, 'workspaceName'),
        paidBy: typeof details.paidBy === 'string' ? details.paidBy : null,
        effectiveAt: typeof details.effectiveAt === 'string' ? details.effectiveAt : '',
        portalUrl: required(details, 'portalUrl'),
      },
      t,
    ),
  payout_failed: (details, edited, t) =>
    payoutFailedDraft({ ...aboutMoney(details), reason: required(details, 'reason') }, edited, t),
  payout_returned: (details, edited, t) =>
    payoutReturnedDraft({ ...aboutMoney(details), reason: required(details, 'reason') }, edited, t),
  payout_approval: (details) => runDraft('payout_approval', aboutRun(details)),
  payout_report: (details) => runDraft('payout_report', aboutRun(details)),
  payout_review: (details) => runDraft('payout_review', aboutRun(details)),
  payout_preview: (details) => runDraft('payout_preview', aboutRun(details)),
  payout_problem: (details) => runDraft('payout_problem', aboutRun(details)),
  shadow_week: (details) =>
    shadowWeekDraft({
      workspaceName: required(details, 'workspaceName'),
      programName: required(details, 'programName'),
      from: required(details, 'from'),
      to: required(details, 'to'),
      sums: Array.isArray(details.sums) ? details.sums : [],
      url: required(details, 'url'),
    }),
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
  support_address: (details) =>
    supportAddressDraft({
      workspaceName: required(details, 'workspaceName'),
      programName: required(details, 'programName'),
      sentBy: required(details, 'sentBy'),
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
  /** The recipient's, if it is known. */
  language?: Language | undefined
}

/** Says at the foot of a mail how to end such mails. */
const unsubscribeLine = (details: Stored, url: string | undefined, t: Translate): Paragraph[] => {
  if (!url) return []
  const workspace = typeof details.workspaceName === 'string' ? details.workspaceName : details.programName
  const link = { link: url, label: t(m.unsubscribe) }
  return [paragraph(t, m.mail_unsubscribe, { workspace: { name: String(workspace) }, link })]
}

/** The content of an outbox email. @throws if its details do not match its kind */
export const outboxContent = ({
  kind,
  details,
  edited,
  brand,
  isTest = false,
  unsubscribeUrl,
  language: asked = 'en',
}: OutboxMail): RenderedMail => {
  const language = isTranslated(kind) ? asked : 'en'
  const t = translator(language)
  const own = inLanguage(details, language)
  const hasBrand = brand && isBranded(brand) && isOfProgram(kind)
  const mail = render(
    DRAFTS[kind](own, edited, t),
    hasBrand ? { ...brand, name: required(details, 'programName') } : undefined,
    unsubscribeLine(details, unsubscribeUrl, t),
    language,
  )
  return isTest
    ? { ...mail, subject: subjectLine(inEnglish(m.mails_test_subject, { subject: mail.subject })) }
    : mail
}
