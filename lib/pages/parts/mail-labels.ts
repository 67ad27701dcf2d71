import { inEnglish, type Message } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { MailKind, MailStatus } from '../../mail/mails.ts'
import type { Shown } from '../layout/text.ts'

export const MAIL_LABELS: Record<MailKind, Message> = {
  moved: m.mails_moved,
  welcome: m.mails_welcome,
  message: m.mails_message,
  application_rejected: m.mails_application_rejected,
  partner_invitation: m.mails_invitation_program,
  invitation: m.mails_invitation,
  connect_account: m.mails_connect_account,
  address_link: m.mails_link_new_address,
  address_changed: m.address_changed,
  payout_account: m.mails_payout_account,
  bank_refused: m.mails_refused_bank,
  connect_reminder: m.mails_connect_account_reminder,
  payout_sent: m.mails_payout_sent,
  payout_failed: m.mails_payout_failed,
  payment_details: m.mails_payment_details_changed,
  tier_changed: m.mails_tier_changed,
  payout_returned: m.mails_payout_returned,
  payout_approval: m.mails_payout_run_approve,
  payout_report: m.mails_payout_report,
  payout_review: m.mails_payout_review,
  payout_preview: m.mails_payout_preview,
  payout_problem: m.mails_payout_problem,
  shadow_week: m.mails_week_shadow_run,
  opening_balances: m.mails_opening_balances_imported,
  manual_earnings: m.mails_manual_earnings,
  webhook_disabled: m.mails_webhook_endpoint_disabled,
  member_address: m.mails_member_address,
  workspace_notice: m.mails_about_workspace,
  support_address: m.mails_support_address,
}

/** The label of a kind. Audit entries of other versions may have unknown kinds. */
export const mailLabel = (kind: string): string => {
  const label = Object.entries(MAIL_LABELS).find(([known]) => known === kind)?.[1]
  return label ? inEnglish(label) : kind
}

export const mailStatusLabel = (status: MailStatus): Shown =>
  status === 'complained' ? m.mails_complained : status
