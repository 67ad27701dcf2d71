/** Mails to managers and members: about a workspace, its webhooks and imports, their addresses. */
import {
  type Message,
  type RichMessage,
  type Tag,
  inEnglish as t,
} from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { ROLES, type Role } from '../../rules/roles/roles.ts'
import { exactMoney, formatMoney } from '../../values/money.ts'
import type { ManualEarning, WorkspaceNotice } from '../outbox/details.ts'
import { listIn, optional, required, type Stored } from '../outbox/stored-details.ts'
import { draft, paragraph, type Write } from './compose.tsx'
import type { Paragraph } from './paragraphs.ts'

const INVITED: Record<Role, RichMessage<{ by: Tag; workspace: Tag }>> = {
  manager: m.mails_invited_manager,
  finance: m.mails_invited_finance,
  support: m.mails_invited_support,
  member: m.mails_invited_member,
}

type Notice = { subject: string; preview: string; words: Paragraph[] }

type NoticeDetails = {
  workspace: string
  /** The actor; for `manager_recovered`, the new manager. */
  person: string | null
  /**
   * Who became or stopped being a manager; the limit of payout runs that need no approval, in minor
   * units, null for none; or the sum of the run.
   */
  what: string | null
  /** The day of the deletion, or of the first payout, such as 2026-12-24; the month of the budget. */
  day: string | null
  /** Only of `payout_settings` and `budget_used`. */
  programName: string | null
}

/** Notices of who may manage, pay, or pay alone: the subject, the change, its consequence. */
type Change = [
  subject: Message<{ workspace: string }>,
  words: RichMessage<{ person: Tag; what: Tag; workspace: Tag }>,
  then: Message,
]
const CHANGES = {
  manager_added: [m.mails_recovered_subject, m.mails_manager_added, m.mails_manager_added_then],
  manager_removed: [
    m.mails_manager_removed_subject,
    m.mails_manager_removed,
    m.mails_manager_removed_then,
  ],
  finance_added: [m.mails_finance_added_subject, m.mails_finance_added, m.mails_finance_added_then],
  finance_removed: [
    m.mails_finance_removed_subject,
    m.mails_finance_removed,
    m.mails_manager_removed_then,
  ],
  limit_requested: [
    m.mails_limit_requested_subject,
    m.mails_limit_requested,
    m.mails_limit_requested_then,
  ],
  limit_approved: [m.mails_limit_subject, m.mails_limit_approved, m.mails_limit_then],
  limit_declined: [
    m.mails_limit_declined_subject,
    m.mails_limit_declined,
    m.mails_limit_declined_then,
  ],
  run_approved_first: [
    m.mails_run_approved_first_subject,
    m.mails_run_approved,
    m.mails_run_approved_first_then,
  ],
  run_approved: [m.mails_run_approved_subject, m.mails_run_approved, m.mails_run_approved_then],
} satisfies Partial<Record<WorkspaceNotice, Change>>

const isChange = (notice: string): notice is keyof typeof CHANGES => Object.hasOwn(CHANGES, notice)

/** A limit in minor units, as it is typed in the settings: it is the same in every currency. */
const limitIn = (what: string | null): string =>
  what === null ? t(m.mails_no_limit) : exactMoney(BigInt(what), 'USD')

const changeNotice = (
  notice: keyof typeof CHANGES,
  { workspace, person, what }: NoticeDetails,
): Notice => {
  const [subject, words, then]: Change = CHANGES[notice]
  return {
    subject: t(subject, { workspace }),
    preview: t(then),
    words: [
      paragraph(t, words, {
        person: { name: person ?? t(m.mails_a_manager) },
        what: { name: notice.startsWith('limit_') ? limitIn(what) : (what ?? '') },
        workspace: { name: workspace },
      }),
      t(then),
    ],
  }
}

const NOTICES: Record<
  Exclude<WorkspaceNotice, keyof typeof CHANGES>,
  (details: NoticeDetails) => Notice
> = {
  manager_recovered: ({ workspace, person }) => ({
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
  deletion_scheduled: ({ workspace, person, day }) => ({
    subject: t(m.mails_deletion_subject, { workspace, day: day ?? '' }),
    preview: t(m.mails_deletion_preview),
    words: [
      paragraph(t, m.mails_deletion_scheduled, {
        person: { name: person ?? t(m.mails_a_manager) },
        workspace: { name: workspace },
        day: day ?? '',
      }),
      t(m.mails_deletion_until_then),
    ],
  }),
  deletion_canceled: ({ workspace, person }) => ({
    subject: t(m.mails_not_deleted_subject, { workspace }),
    preview: t(m.mails_not_deleted_preview),
    words: [
      paragraph(t, m.mails_deletion_canceled, {
        person: { name: person ?? t(m.mails_a_manager) },
        workspace: { name: workspace },
      }),
    ],
  }),
  deletion_called_off: ({ workspace }) => ({
    subject: t(m.mails_called_off_subject, { workspace }),
    preview: t(m.mails_called_off_pay),
    words: [
      paragraph(t, m.mails_called_off, { workspace: { name: workspace } }),
      t(m.mails_called_off_pay),
    ],
  }),
  passkey_added: ({ workspace, person, day }) => ({
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
  budget_used: ({ workspace, programName, day }) => ({
    subject: t(m.mails_budget_subject, { program: programName ?? workspace, month: day ?? '' }),
    preview: t(m.mails_budget_preview),
    words: [
      paragraph(t, m.mails_budget_used, {
        program: { name: programName ?? '' },
        month: { name: day ?? '' },
        workspace: { name: workspace },
      }),
      t(m.mails_budget_then),
    ],
  }),
  payout_settings: ({ workspace, programName, person, day }) => ({
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

const isNotice = (notice: string): notice is keyof typeof NOTICES => Object.hasOwn(NOTICES, notice)

/** @throws if the notice is unknown */
const noticeOf = (details: Stored): Notice => {
  const notice = optional(details, 'notice') ?? ''
  const own: NoticeDetails = {
    workspace: required(details, 'workspaceName').workspaceName,
    person: optional(details, 'person'),
    what: optional(details, 'what'),
    day: optional(details, 'day'),
    programName: optional(details, 'programName'),
  }
  if (isChange(notice)) return changeNotice(notice, own)
  if (isNotice(notice)) return NOTICES[notice](own)
  throw new Error('The mail’s details have an unknown notice.')
}

export const WORKSPACE_TEXTS = {
  invitation: (details) => {
    const names = ['workspaceName', 'invitedBy', 'url'] as const
    const { workspaceName: workspace, invitedBy, url } = required(details, ...names)
    const role = ROLES.find((one) => one === details.role) ?? 'member'
    return draft(t(m.mails_invited_subject, { workspace }), t(m.mails_invited_preview), [
      t(m.mail_hello),
      paragraph(t, INVITED[role], { by: { name: invitedBy }, workspace: { name: workspace } }),
      { button: t(m.sign_in), link: url },
      t(m.mails_invited_sign_in),
      t(m.mails_invited_ignore),
    ])
  },
  webhook_disabled: (details) => {
    const { workspaceName, host, url } = required(details, 'workspaceName', 'host', 'url')
    const about = { workspace: { name: workspaceName }, host: { name: host } }
    return draft(t(m.mails_webhook_subject, { host }), t(m.mails_webhook_preview), [
      t(m.mail_hello),
      paragraph(t, m.mails_webhook_failed, about),
      t(m.mails_webhook_correct),
      { button: t(m.mails_webhook_button), link: url },
    ])
  },
  // To all managers, because the next payout run pays them.
  opening_balances: (details) => {
    const names = ['workspaceName', 'programName', 'importedBy', 'url'] as const
    const { workspaceName, programName, importedBy, url } = required(details, ...names)
    const amount = formatMoney(Number(details.amountCents), 'USD')
    return draft(t(m.mails_balances_subject, { amount }), t(m.mails_balances_payable), [
      t(m.mail_hello),
      paragraph(t, m.mails_balances_imported, {
        by: { name: importedBy },
        count: Number(details.balances),
        amount,
        program: { name: programName },
        workspace: { name: workspaceName },
      }),
      t(m.mails_balances_payable),
      t(m.mails_balances_unexpected),
      { button: t(m.mails_balances_button), link: url },
      t(m.mails_all_managers),
    ])
  },
  manual_earnings: (details) => {
    const { workspaceName, programName } = required(details, 'workspaceName', 'programName')
    const made = listIn<ManualEarning>(details, 'made')
    const more = Number(details.more)
    const amountOf = ({ amountCents, currency }: ManualEarning) =>
      formatMoney(amountCents, currency)
    const [first] = made
    const amount = [first ? amountOf(first) : '', ...(made.length > 1 ? ['…'] : [])].join(', ')
    const subject = t(m.mails_manual_subject, { program: programName, amount })
    return draft(subject, t(m.mails_manual_preview), [
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
    ])
  },
  // To the new address, or to the present one. Both have to approve.
  member_address: (details) => {
    const { from, to, url } = required(details, 'from', 'to', 'url')
    const isNew = details.isNew === true
    const subject = t(isNew ? m.mails_address_new_subject : m.mails_address_subject)
    return draft(subject, t(m.mails_address_preview), [
      t(m.mail_hello),
      paragraph(t, m.mails_address_wants, { from: { name: from }, to: { name: to } }),
      t(isNew ? m.mails_address_old_asked : m.mails_address_new_asked),
      t(m.mails_address_open),
      { button: t(isNew ? m.layout_confirm_address : m.mails_address_review), link: url },
      t(m.mails_address_once),
      t(isNew ? m.mails_address_ignore : m.mails_address_not_you),
    ])
  },
  support_address: (details) => {
    const names = ['workspaceName', 'programName', 'sentBy', 'url'] as const
    const { workspaceName, programName, sentBy, url } = required(details, ...names)
    const subject = { workspace: workspaceName, program: programName }
    return draft(t(m.mails_support_subject, subject), t(m.mails_support_preview), [
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
    ])
  },
  workspace_notice: (details) => {
    const { subject, preview, words } = noticeOf(details)
    const url = optional(details, 'url')
    const button: Paragraph[] = url ? [{ button: t(m.mails_open_workspace), link: url }] : []
    return draft(subject, preview, [t(m.mail_hello), ...words, ...button, t(m.mails_all_managers)])
  },
} satisfies Record<string, Write>
