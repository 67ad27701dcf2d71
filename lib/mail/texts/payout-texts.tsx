/** The texts of mails to partners about money: payouts, and what is missing to be paid. */
import type { Translate } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { optional, required, type Stored } from '../outbox/stored-details.ts'
import { draft, editableDraft, greeting, paragraph, type Write } from './compose.tsx'
import type { Paragraph } from './paragraphs.ts'

/** Common to the mails about an amount. @returns where they lead */
const portalOf = (details: Stored): string =>
  required(details, 'programName', 'amount', 'portalUrl').portalUrl

/** A button of the portal, to which the reader may have to sign in. */
const button = (label: string, link: string, t: Translate): Paragraph[] => [
  { button: label, link },
  t(m.mail_sign_in_hint),
]

const reasonOf = (reason: string, t: Translate): Paragraph =>
  paragraph(t, m.mail_reason, { reason: { name: reason } })

/** Describes what a partner with earnings must do to be paid. */
const howToConnect = (details: Stored, t: Translate): Paragraph[] => {
  const link = portalOf(details)
  return details.problem === 'account_restricted'
    ? [t(m.mail_restricted_text), ...button(t(m.mail_restricted_button), link, t)]
    : [t(m.mail_connect_text), ...button(t(m.mail_connect_button), link, t)]
}

/** Why a payout was not paid, perhaps in Stripe's words, and what the partner should check. */
const notPaid = (details: Stored, advice: string, label: string, t: Translate): Paragraph[] => [
  reasonOf(required(details, 'reason').reason, t),
  t(m.mail_still_owed),
  advice,
  ...button(label, portalOf(details), t),
]

export const PAYOUT_TEXTS = {
  payout_sent: (details, t, edited) => {
    const rest = [
      t(details.method === 'manual' ? m.mail_paid_by_bank : m.mail_paid_by_stripe),
      paragraph(t, m.mail_see_commissions, { link: { link: portalOf(details) } }),
      t(m.mail_sign_in_hint),
      t(m.mail_thanks),
    ]
    return editableDraft('payout_sent', details, edited, rest, t)
  },
  payout_failed: (details, t, edited) => {
    const rest = notPaid(details, t(m.mail_portal_shows_account), t(m.mail_open_portal), t)
    return editableDraft('payout_failed', details, edited, rest, t)
  },
  payout_returned: (details, t, edited) => {
    const rest = notPaid(details, t(m.mail_check_details_text), t(m.mail_check_details), t)
    return editableDraft('payout_returned', details, edited, rest, t)
  },
  connect_account: (details, t, edited) =>
    editableDraft('connect_account', details, edited, howToConnect(details, t), t),
  connect_reminder: (details, t, edited) =>
    editableDraft('connect_reminder', details, edited, howToConnect(details, t), t),
  // Reports a change, or that a change was canceled.
  payment_details: (details, t) => {
    const { workspaceName: workspace, portalUrl } = required(details, 'workspaceName', 'portalUrl')
    const paidBy = optional(details, 'paidBy')
    const name = { name: workspace }
    const time = { name: optional(details, 'effectiveAt') ?? '' }
    const end =
      details.isFormer === true
        ? [t(m.mail_former_address)]
        : button(t(m.mail_open_portal), portalUrl, t)
    if (paidBy === null) {
      return draft(t(m.mail_details_stay_subject, { workspace }), t(m.mail_details_stay_preview), [
        greeting(details, t),
        paragraph(t, m.mail_details_stay, { workspace: name }),
        t(m.mail_details_enter_again),
        ...end,
      ])
    }
    const change = { time, workspace: name, method: { name: paidBy } }
    const subject = t(m.mail_details_change_subject, { workspace })
    return draft(subject, t(m.mail_details_change_preview), [
      greeting(details, t),
      paragraph(t, m.mail_details_change, change),
      t(m.mail_details_until_then),
      ...end,
    ])
  },
  // Only the partner can correct it, at Stripe.
  bank_refused: (details, t, edited) => {
    const { portalUrl } = required(details, 'workspaceName', 'amount', 'portalUrl')
    const reason = optional(details, 'reason')
    const rest = [
      ...(reason ? [reasonOf(reason, t)] : []),
      t(m.mail_bank_account_needed),
      ...button(t(m.mail_open_portal), portalUrl, t),
    ]
    return editableDraft('bank_refused', details, edited, rest, t)
  },
} satisfies Record<string, Write>
