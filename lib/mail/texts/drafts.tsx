/** What each kind of mail says, from the details that the outbox keeps. */
import type { Translate } from '../../languages/message.ts'
import { ROLES } from '../../rules/roles/roles.ts'
import type { OutboxKind } from '../mails.ts'
import {
  aboutAddress,
  aboutConnecting,
  aboutMoney,
  aboutRun,
  optional,
  required,
  type Stored,
  toMoved,
  toPartner,
  toWelcome,
} from '../outbox/stored-details.ts'
import {
  addressChangedDraft,
  addressLinkDraft,
  messageDraft,
  movedDraft,
  newBrowserDraft,
  partnerInvitationDraft,
  passkeyDraft,
  payoutAccountDraft,
  rejectionDraft,
  welcomeDraft,
} from './account-texts.tsx'
import type { Draft } from './paragraphs.ts'
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
  manualEarningsDraft,
  memberAddressDraft,
  noticeOf,
  openingBalancesDraft,
  supportAddressDraft,
  webhookDisabledDraft,
  workspaceNoticeDraft,
} from './workspace-texts.tsx'

/** The draft of each kind of mail. Mails to managers are English. */
export const DRAFTS: Record<
  OutboxKind,
  (details: Stored, edited: EditedText | undefined, t: Translate) => Draft
> = {
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
        reason: optional(details, 'reason'),
      },
      edited,
      t,
    ),
  partner_invitation: (details, edited, t) =>
    partnerInvitationDraft(
      {
        programName: required(details, 'programName'),
        workspaceName: required(details, 'workspaceName'),
        invitedBy: optional(details, 'invitedBy'),
        url: required(details, 'url'),
      },
      edited,
      t,
    ),
  invitation: (details) =>
    invitationDraft({
      workspaceName: required(details, 'workspaceName'),
      role: ROLES.find((role) => role === details.role) ?? 'member',
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
  passkey: (details, _, t) =>
    passkeyDraft(
      {
        change: details.change === 'removed' ? 'removed' : 'added',
        name: required(details, 'name'),
        browser: optional(details, 'browser') ?? '',
        countsFrom: optional(details, 'countsFrom'),
        by: optional(details, 'by') ?? '',
        url: required(details, 'url'),
      },
      t,
    ),
  payout_account: (details, _, t) =>
    payoutAccountDraft(
      {
        partnerName: optional(details, 'partnerName'),
        workspaceName: required(details, 'workspaceName'),
        change:
          details.change === 'disconnected' || details.change === 'changed'
            ? details.change
            : 'connected',
        ...(typeof details.heldUntil === 'string' && { heldUntil: details.heldUntil }),
        ...(typeof details.confirmUrl === 'string' && { confirmUrl: details.confirmUrl }),
        isFormer: details.isFormer === true,
        portalUrl: required(details, 'portalUrl'),
      },
      t,
    ),
  bank_refused: (details, edited, t) =>
    bankRefusedDraft(
      {
        partnerName: optional(details, 'partnerName'),
        workspaceName: required(details, 'workspaceName'),
        amount: required(details, 'amount'),
        reason: optional(details, 'reason'),
        portalUrl: required(details, 'portalUrl'),
      },
      edited,
      t,
    ),
  connect_account: (details, edited, t) => connectAccountDraft(aboutConnecting(details), edited, t),
  connect_reminder: (details, edited, t) =>
    connectReminderDraft(aboutConnecting(details), edited, t),
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
        partnerName: optional(details, 'partnerName'),
        workspaceName: required(details, 'workspaceName'),
        paidBy: optional(details, 'paidBy'),
        effectiveAt: optional(details, 'effectiveAt') ?? '',
        isFormer: details.isFormer === true,
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
  manual_earnings: (details) =>
    manualEarningsDraft({
      workspaceName: required(details, 'workspaceName'),
      programName: required(details, 'programName'),
      made: Array.isArray(details.made) ? details.made : [],
      more: Number(details.more),
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
      person: optional(details, 'person'),
      what: optional(details, 'what'),
      day: optional(details, 'day'),
      url: optional(details, 'url'),
      programName: optional(details, 'programName'),
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
