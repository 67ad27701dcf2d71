/**
 * - `queued`: not attempted yet
 * - `held`: waits until its workspace may mail people who never signed in
 * - `retrying`: is attempted again
 * - `sent`: the transport has accepted it
 * - `failed`: is not attempted again unless a manager retries it
 * - `delivered`, `bounced`, `suppressed` (the address bounced or complained before), `complained`
 *   (reported as spam): what the provider reports of a sent mail
 */
export const MAIL_STATUSES = [
  'queued',
  'held',
  'retrying',
  'sent',
  'delivered',
  'bounced',
  'suppressed',
  'complained',
  'failed',
] as const
export type MailStatus = (typeof MAIL_STATUSES)[number]

/** What the provider reports of a mail that was sent. */
const DELIVERIES = [
  'delivered',
  'bounced',
  'suppressed',
  'complained',
] as const satisfies MailStatus[]
export type Delivery = (typeof DELIVERIES)[number]

export const isDelivery = (status: string | undefined): status is Delivery =>
  (DELIVERIES as readonly (string | undefined)[]).includes(status)

export const MAIL_KINDS = [
  'moved',
  'welcome',
  'message',
  'application_rejected',
  'partner_invitation',
  'invitation',
  'connect_account',
  'connect_reminder',
  'bank_refused',
  'payout_account',
  'address_link',
  'address_changed',
  'payout_sent',
  'payout_failed',
  'payment_details',
  'tier_changed',
  'payout_returned',
  'payout_approval',
  'payout_report',
  'payout_review',
  'payout_preview',
  'payout_problem',
  'shadow_week',
  'opening_balances',
  'manual_earnings',
  'webhook_disabled',
  'member_address',
  'workspace_notice',
  'support_address',
] as const
export type MailKind = (typeof MAIL_KINDS)[number]

/** Mails to partners, applicants and invited people whose words managers may change. */
export const EDITABLE_KINDS = [
  'welcome',
  'moved',
  'partner_invitation',
  'application_rejected',
  'connect_account',
  'connect_reminder',
  'payout_sent',
  'payout_failed',
  'payout_returned',
  'bank_refused',
] as const satisfies MailKind[]
export type EditableKind = (typeof EDITABLE_KINDS)[number]

/** Mails to partners, applicants and invited people. */
export const PARTNER_MAIL_KINDS = [
  ...EDITABLE_KINDS,
  'tier_changed',
  'payment_details',
  'payout_account',
  'address_link',
  'address_changed',
] as const satisfies MailKind[]
export type PartnerMailKind = (typeof PARTNER_MAIL_KINDS)[number]

/** Whether a kind is written in the recipient's language. Mails to managers are English. */
export const isTranslated = (kind: string): boolean =>
  [...PARTNER_MAIL_KINDS, 'message', 'new_browser', 'passkey'].includes(kind)

/** Mails with editable texts, and what a manager writes to many partners. */
export type TextKind = EditableKind | 'message'

/**
 * Those that a merchant sends to many, from which people can unsubscribe, for each workspace. Their
 * details have a `portalUrl` or a `url`.
 */
export const UNSUBSCRIBABLE_KINDS = [
  'message',
  'moved',
  'partner_invitation',
] as const satisfies MailKind[]

/** Mails withheld from banned partners. Those about payouts, account and application are sent. */
export const WITHHELD_KINDS = [
  'moved',
  'welcome',
  'message',
  'connect_account',
  'connect_reminder',
  'tier_changed',
] as const satisfies MailKind[]

/** Mails with what the partner earns, or would earn. */
export const REWARD_KINDS = ['welcome', 'moved', 'partner_invitation'] as const satisfies MailKind[]

/** Mails of a program, with its brand. Others are about an account at a workspace or Tributary. */
export const isOfProgram = (kind: string): boolean =>
  kind === 'message' ||
  kind === 'tier_changed' ||
  (kind !== 'bank_refused' && (EDITABLE_KINDS as readonly string[]).includes(kind))

/** Mails in the name of a merchant. Others are of Tributary, or about an account there. */
export const isOfMerchant = (kind: string): boolean =>
  isOfProgram(kind) || ['bank_refused', 'payment_details', 'payout_account'].includes(kind)

/** The mails of the outbox. A mail to a person about its account belongs to no workspace. */
export type OutboxKind = MailKind | 'new_browser' | 'passkey'
