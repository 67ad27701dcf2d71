/** The kinds of mails, as managers read them. */
import type { MailKind, MailStatus } from '../mail/mails.ts'

export const MAIL_LABELS: Record<MailKind, string> = {
  moved: 'We’ve moved',
  welcome: 'Welcome',
  message: 'Message to partners',
  application_rejected: 'Application rejected',
  partner_invitation: 'Invitation to a program',
  invitation: 'Invitation',
  connect_account: 'Connect your account',
  address_link: 'Link to a new address',
  address_changed: 'Address changed',
  payout_account: 'Stripe account connected, changed or disconnected',
  bank_refused: 'Refused by the bank',
  connect_reminder: 'Connect your account (reminder)',
  payout_sent: 'Payout sent',
  payout_failed: 'Payout failed',
  payment_details: 'Payment details changed',
  payout_returned: 'Payout returned',
  payout_approval: 'Payout run to approve',
  payout_report: 'Payout report',
  payout_review: 'Payout review',
  payout_preview: 'Payout preview',
  payout_problem: 'Payout problem',
  shadow_week: 'Week of a shadow run',
  opening_balances: 'Opening balances imported',
  webhook_disabled: 'Webhook endpoint disabled',
  member_address: 'Link to change a member’s address',
  workspace_notice: 'About the workspace',
  support_address: 'Link to confirm a support address',
}

/** The label of a kind, which an audit entry of another version may have. */
export const mailLabel = (kind: string): string =>
  Object.entries(MAIL_LABELS).find(([known]) => known === kind)?.[1] ?? kind

/** A mail's status as managers read it. */
export const mailStatusLabel = (status: MailStatus): string =>
  status === 'complained' ? 'reported as spam' : status
