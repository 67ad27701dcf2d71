/**
 * The texts of emails to managers and members: about a workspace, its webhooks and imports, and
 * about their own address.
 */
import {
  type Message,
  type RichMessage,
  type Tag,
  inEnglish as t,
} from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { Role } from '../../rules/roles/roles.ts'
import { exactMoney, formatMoney } from '../../values/money.ts'
import type {
  InvitationDetails,
  ManualEarning,
  ManualEarningsDetails,
  MemberAddressDetails,
  OpeningBalancesDetails,
  SupportAddressDetails,
  WebhookDisabledDetails,
  WorkspaceNoticeDetails,
} from '../outbox/details.ts'
import { draft, paragraph } from './compose.tsx'
import type { Draft, Paragraph } from './paragraphs.ts'

type Notice = WorkspaceNoticeDetails['notice']

const INVITED: Record<Role, RichMessage<{ by: Tag; workspace: Tag }>> = {
  manager: m.mails_invited_manager,
  finance: m.mails_invited_finance,
  support: m.mails_invited_support,
  member: m.mails_invited_member,
}

/** Invites a member to a workspace. */
export const invitationDraft = ({
  workspaceName,
  role,
  invitedBy,
  url,
}: InvitationDetails): Draft =>
  draft(t(m.mails_invited_subject, { workspace: workspaceName }), t(m.mails_invited_preview), [
    t(m.mail_hello),
    paragraph(t, INVITED[role], {
      by: { name: invitedBy },
      workspace: { name: workspaceName },
    }),
    { button: t(m.sign_in), link: url },
    t(m.mails_invited_sign_in),
    t(m.mails_invited_ignore),
  ])

/** Reports to a manager that a webhook endpoint was disabled. */
export const webhookDisabledDraft = ({ workspaceName, host, url }: WebhookDisabledDetails): Draft =>
  draft(t(m.mails_webhook_subject, { host }), t(m.mails_webhook_preview), [
    t(m.mail_hello),
    paragraph(t, m.mails_webhook_failed, {
      workspace: { name: workspaceName },
      host: { name: host },
    }),
    t(m.mails_webhook_correct),
    { button: t(m.mails_webhook_button), link: url },
  ])

/**
 * Reports to all managers that somebody imported opening balances, which the next payout run pays.
 */
export const openingBalancesDraft = (details: OpeningBalancesDetails): Draft => {
  const { workspaceName, programName, importedBy, balances, amountCents, url } = details
  const amount = formatMoney(amountCents, 'USD')
  return draft(t(m.mails_balances_subject, { amount }), t(m.mails_balances_payable), [
    t(m.mail_hello),
    paragraph(t, m.mails_balances_imported, {
      by: { name: importedBy },
      count: balances,
      amount,
      program: { name: programName },
      workspace: { name: workspaceName },
    }),
    t(m.mails_balances_payable),
    t(m.mails_balances_unexpected),
    { button: t(m.mails_balances_button), link: url },
    t(m.mails_all_managers),
  ])
}

/** Reports to all managers what was made payable by hand. */
export const manualEarningsDraft = ({
  workspaceName,
  programName,
  made,
  more,
}: ManualEarningsDetails): Draft => {
  const amountOf = ({ amountCents, currency }: ManualEarning) => formatMoney(amountCents, currency)
  const [first] = made
  const amount = [first ? amountOf(first) : '', ...(made.length > 1 ? ['…'] : [])].join(', ')
  return draft(
    t(m.mails_manual_subject, { program: programName, amount }),
    t(m.mails_manual_preview),
    [
      t(m.mail_hello),
      paragraph(t, m.mails_manual_intro, {
        program: { name: programName },
        workspace: { name: workspaceName },
      }),
      ...made.map((one) =>
        paragraph(t, m.mails_manual_line, {
          what: one.what,
          by: { name: one.by },
          partner: { name: one.partner ?? '' },
          amount: amountOf(one),
        }),
      ),
      ...(more > 0 ? [t(m.mails_manual_more, { count: more })] : []),
      t(m.mails_manual_unexpected),
      t(m.mails_all_managers),
    ],
  )
}

/**
 * The link by which one of the two addresses approves that a member changes from one to the other.
 */
export const memberAddressDraft = ({ from, to, isNew, url }: MemberAddressDetails): Draft =>
  draft(
    t(isNew ? m.mails_address_new_subject : m.mails_address_subject),
    t(m.mails_address_preview),
    [
      t(m.mail_hello),
      paragraph(t, m.mails_address_wants, { from: { name: from }, to: { name: to } }),
      t(isNew ? m.mails_address_old_asked : m.mails_address_new_asked),
      t(m.mails_address_open),
      { button: t(isNew ? m.layout_confirm_address : m.mails_address_review), link: url },
      t(m.mails_address_once),
      t(isNew ? m.mails_address_ignore : m.mails_address_not_you),
    ],
  )

/** Asks whoever reads the support address of a program whether replies may go there. */
export const supportAddressDraft = ({
  workspaceName,
  programName,
  sentBy,
  url,
}: SupportAddressDetails): Draft =>
  draft(
    t(m.mails_support_subject, { workspace: workspaceName, program: programName }),
    t(m.mails_support_preview),
    [
      t(m.mail_hello),
      paragraph(t, m.mails_support_wants, {
        by: { name: sentBy },
        workspace: { name: workspaceName },
        program: { name: programName },
      }),
      t(m.mails_support_confirm),
      { button: t(m.layout_confirm_address), link: url },
      t(m.mails_support_days),
      t(m.mails_support_ignore),
    ],
  )

type NoticeTexts = { subject: string; preview: string; words: Paragraph[] }

/** A change of who may manage or pay, or of what one may pay alone. */
const changeTexts = (
  { workspaceName: workspace, person, what }: WorkspaceNoticeDetails,
  subject: Message<{ workspace: string }>,
  words: RichMessage<{ person: Tag; what: Tag; workspace: Tag }>,
  then: string,
): NoticeTexts => ({
  subject: t(subject, { workspace }),
  preview: then,
  words: [
    paragraph(t, words, {
      person: { name: person ?? t(m.mails_a_manager) },
      what: { name: what ?? '' },
      workspace: { name: workspace },
    }),
    then,
  ],
})

/** A limit in minor units, as it is typed in the settings: it is the same in every currency. */
const withLimit = (details: WorkspaceNoticeDetails): WorkspaceNoticeDetails => ({
  ...details,
  what: details.what === null ? t(m.mails_no_limit) : exactMoney(BigInt(details.what), 'USD'),
})

const NOTICES: Record<Notice, (details: WorkspaceNoticeDetails) => NoticeTexts> = {
  manager_recovered: ({ workspaceName: workspace, person }) => ({
    subject: t(m.mails_recovered_subject, { workspace }),
    preview: t(m.mails_recovered_preview),
    words: [
      paragraph(t, m.mails_recovered, {
        person: { name: person ?? t(m.mails_somebody) },
        workspace: { name: workspace },
      }),
      t(m.mails_recovered_unknown),
    ],
  }),
  manager_added: (details) =>
    changeTexts(
      details,
      m.mails_recovered_subject,
      m.mails_manager_added,
      t(m.mails_manager_added_then),
    ),
  manager_removed: (details) =>
    changeTexts(
      details,
      m.mails_manager_removed_subject,
      m.mails_manager_removed,
      t(m.mails_manager_removed_then),
    ),
  finance_added: (details) =>
    changeTexts(
      details,
      m.mails_finance_added_subject,
      m.mails_finance_added,
      t(m.mails_finance_added_then),
    ),
  finance_removed: (details) =>
    changeTexts(
      details,
      m.mails_finance_removed_subject,
      m.mails_finance_removed,
      t(m.mails_manager_removed_then),
    ),
  limit_requested: (details) =>
    changeTexts(
      withLimit(details),
      m.mails_limit_requested_subject,
      m.mails_limit_requested,
      t(m.mails_limit_requested_then),
    ),
  limit_approved: (details) =>
    changeTexts(
      withLimit(details),
      m.mails_limit_subject,
      m.mails_limit_approved,
      t(m.mails_limit_then),
    ),
  limit_declined: (details) =>
    changeTexts(
      withLimit(details),
      m.mails_limit_declined_subject,
      m.mails_limit_declined,
      t(m.mails_limit_declined_then),
    ),
  run_approved_first: (details) =>
    changeTexts(
      details,
      m.mails_run_approved_first_subject,
      m.mails_run_approved,
      t(m.mails_run_approved_first_then),
    ),
  run_approved: (details) =>
    changeTexts(
      details,
      m.mails_run_approved_subject,
      m.mails_run_approved,
      t(m.mails_run_approved_then),
    ),
  deletion_scheduled: ({ workspaceName: workspace, person, day: known }) => {
    const day = known ?? ''
    return {
      subject: t(m.mails_deletion_subject, { workspace, day }),
      preview: t(m.mails_deletion_preview),
      words: [
        paragraph(t, m.mails_deletion_scheduled, {
          person: { name: person ?? t(m.mails_a_manager) },
          workspace: { name: workspace },
          day,
        }),
        t(m.mails_deletion_until_then),
      ],
    }
  },
  deletion_canceled: ({ workspaceName: workspace, person }) => ({
    subject: t(m.mails_not_deleted_subject, { workspace }),
    preview: t(m.mails_not_deleted_preview),
    words: [
      paragraph(t, m.mails_deletion_canceled, {
        person: { name: person ?? t(m.mails_a_manager) },
        workspace: { name: workspace },
      }),
    ],
  }),
  deletion_called_off: ({ workspaceName: workspace }) => ({
    subject: t(m.mails_called_off_subject, { workspace }),
    preview: t(m.mails_called_off_pay),
    words: [
      paragraph(t, m.mails_called_off, { workspace: { name: workspace } }),
      t(m.mails_called_off_pay),
    ],
  }),
  passkey_added: ({ workspaceName: workspace, person, day }) => ({
    subject: t(m.mails_passkey_added_subject, { workspace }),
    preview: t(m.mails_passkey_added_then),
    words: [
      paragraph(t, m.mails_passkey_added, {
        person: { name: person ?? t(m.mails_somebody) },
        day: { name: day ?? '' },
        workspace: { name: workspace },
      }),
      t(m.mails_passkey_added_then),
    ],
  }),
  payout_settings: ({ workspaceName: workspace, programName, person, day }) => ({
    subject: t(m.mails_settings_subject, { program: programName ?? workspace }),
    preview: t(m.mails_settings_preview),
    words: [
      paragraph(t, m.mails_settings_changed, {
        person: { name: person ?? t(m.mails_a_manager) },
        program: { name: programName ?? '' },
        workspace: { name: workspace },
      }),
      ...(day === null ? [] : [t(m.mails_settings_day, { day })]),
      t(m.mails_settings_unexpected),
    ],
  }),
}

/** A notice as the outbox keeps it. @throws if it is an unknown one */
export const noticeOf = (value: unknown): Notice => {
  if (typeof value === 'string' && Object.hasOwn(NOTICES, value)) return value as Notice
  throw new Error('The mail’s details have an unknown notice.')
}

/**
 * Reports to all managers what changes who may manage the workspace or pay from it, when it pays,
 * or whether it stays.
 */
export const workspaceNoticeDraft = (details: WorkspaceNoticeDetails): Draft => {
  const { subject, preview, words } = NOTICES[details.notice](details)
  const button: Paragraph[] = details.url
    ? [{ button: t(m.mails_open_workspace), link: details.url }]
    : []
  return draft(subject, preview, [t(m.mail_hello), ...words, ...button, t(m.mails_all_managers)])
}
