/** The data of each template: `mails.details`, by kind. */

import type { Role, RoleNotice } from '../../rules/roles/roles.ts'

/** `moved` welcomes an imported partner, `welcome` one that was added or has applied. */
export type WelcomeDetails = {
  partnerName: string | null
  programName: string
  /** The partner's own link: the program's site with `?via=`. */
  link: string
  portalUrl: string
  /**
   * Who sent it: the workspace, and the address of the manager, who has signed in with it. Mails of
   * older versions lack them.
   */
  workspaceName: string | null
  sentBy: string | null
}

/** `moved`, with the partner's link on the earlier platform. */
export type MovedDetails = WelcomeDetails & {
  /** The imported link, and whether it credits the partner here; missing if it is unknown. */
  formerLink?: { url: string; works: boolean }
}

/** `message`: what a manager wrote to many partners. Its words are those of the mailing. */
export type MessageDetails = {
  partnerName: string | null
  programName: string
  workspaceName: string
  sentBy: string
  portalUrl: string
}

/** `application_rejected`: to somebody who wanted to be a partner. */
export type RejectionDetails = {
  applicantName: string
  programName: string
  /** What the manager wrote; null for nothing. */
  reason: string | null
}

/** `partner_invitation`: to somebody whom a manager wants as a partner. */
export type PartnerInvitationDetails = {
  programName: string
  workspaceName: string
  /** null if a backend invites. */
  invitedBy: string | null
  /** The page on which the person accepts. */
  url: string
}

export type MoneyDetails = {
  partnerName: string | null
  programName: string
  /** As formatMoney writes it: "49.00 USD". */
  amount: string
  portalUrl: string
}

/** `connect_account` and `connect_reminder`. */
export type ConnectDetails = MoneyDetails & {
  /** Why the amount cannot be paid, as far as the partner can change it. */
  problem: 'not_connected' | 'account_restricted'
}

/** `address_link`, to the new address, and `address_changed`, to the old one. */
export type AddressDetails = {
  partnerName: string | null
  from: string
  to: string
  /** The link that proves the new address, or the portal. */
  url: string
  /** The merchant that changed the address; null if the partner did. */
  workspaceName?: string | null
  /** The link by which the old address reverts the change, at least until `heldUntil`, a text. */
  revertUrl?: string | null
  heldUntil?: string | null
}

/** What a `workspace_notice` to managers is about. */
export type WorkspaceNotice =
  | 'manager_recovered'
  | RoleNotice
  | 'limit_requested'
  | 'limit_approved'
  | 'limit_declined'
  | 'run_approved_first'
  | 'run_approved'
  | 'deletion_scheduled'
  | 'deletion_canceled'
  | 'deletion_called_off'
  | 'payout_settings'
  | 'passkey_added'
  | 'budget_used'

/** `new_browser`: somebody signed in as the recipient in a browser for the first time. */
export type NewBrowserDetails = {
  /** Such as "Firefox on Windows". */
  browser: string
  /** "25 Nov 2026, 10:00 UTC". */
  signedInAt: string
  /** The page that lists the sessions. */
  url: string
}

/** `passkey`: a passkey of the recipient was added or removed. */
export type PasskeyDetails = {
  change: 'added' | 'removed'
  /** As the recipient named it. */
  name: string
  /** Such as "Firefox on Windows"; missing if a manager removed it. */
  browser?: string
  /** When an added one takes effect: "28 Nov 2026, 10:00 UTC"; null is at once. */
  countsFrom?: string | null
  /** The address of the manager who removed it. */
  by?: string
  /** The page that lists the passkeys. */
  url: string
}

/** `support_address`: to the support address of a program, which somebody who reads it confirms. */
export type SupportAddressDetails = {
  workspaceName: string
  programName: string
  /** The email address of the manager who asked. */
  sentBy: string
  /** The link that confirms the address. */
  url: string
}

/** `payout_account`: a partner's Stripe account was connected, changed or disconnected. */
export type PayoutAccountDetails = {
  partnerName: string | null
  workspaceName: string
  /** `changed`: it replaced another one. */
  change: 'connected' | 'changed' | 'disconnected'
  /** Until when payouts to a changed account are held: "25 Nov 2026, 10:00 UTC". */
  heldUntil?: string
  /** The link that ends the hold; missing if the address is a former one, or changed recently. */
  confirmUrl?: string
  /** Whether the recipient is a former address that the partner has left recently. */
  isFormer?: boolean
  portalUrl: string
}

/** `bank_refused`: a payout of a partner's Stripe account failed. `reason`: Stripe's, or null. */
export type BankRefusedDetails = {
  partnerName: string | null
  workspaceName: string
  amount: string
  reason: string | null
  portalUrl: string
}

/** `payout_sent`. */
export type PayoutSentDetails = MoneyDetails & { method: 'stripe' | 'manual' }

/** `payout_failed`. `reason` is a sentence. */
export type PayoutFailedDetails = MoneyDetails & { reason: string }

/** `payout_returned`. `reason` is the manager's text. */
export type PayoutReturnedDetails = MoneyDetails & { reason: string }

/** `invitation`: to a new member of a workspace. */
export type InvitationDetails = {
  workspaceName: string
  role: Role
  invitedBy: string
  /** The sign-in page. */
  url: string
}

/** `opening_balances`: to all managers, about an import. */
export type OpeningBalancesDetails = {
  workspaceName: string
  programName: string
  importedBy: string
  balances: number
  /** Their sum, in cents of USD. */
  amountCents: number
  /** The audit log. */
  url: string
}

/** `manual_earnings`: to all managers, about what was made payable by hand. */
export type ManualEarningsDetails = {
  workspaceName: string
  programName: string
  /** The first twenty. `more` counts the others. */
  made: ManualEarning[]
  more: number
}

/** One amount that was made payable. `partner` is the slug; null if it is for several partners. */
export type ManualEarning = {
  what: 'adjustment' | 'bonuses' | 'credit' | 'release' | 'cut_over'
  /** An email address, or `API key "<name>"`. */
  by: string
  partner: string | null
  amountCents: number
  currency: string
}

/** `payment_details`: how a partner is paid has changed, or a change was canceled. */
export type PaymentDetailsDetails = {
  partnerName: string | null
  workspaceName: string
  /** Such as "PayPal (a•••@e•••.com)"; null if the change was canceled. */
  paidBy: string | null
  /** When it takes effect: "25 Nov 2026, 10:00 UTC". */
  effectiveAt: string
  /** Whether the recipient is a former address that the partner has left recently. */
  isFormer?: boolean
  portalUrl: string
}

/** `tier_changed`: tiers have moved a partner into another group. */
export type TierDetails = {
  partnerName: string | null
  programName: string
  /** `left`: the partner fell below the tier, and is in its former group again. */
  change: 'reached' | 'left'
  tier: string
  portalUrl: string
}

/** `shadow_week`: to managers, about a week of a shadow run. */
export type ShadowWeekDetails = {
  workspaceName: string
  programName: string
  from: string
  to: string
  /** By outcome. Amounts as formatMoney writes them. */
  sums: { outcome: string; sales: number; here: string; there: string }[]
  /** The page of the run. */
  url: string
}

/** Payouts or balances with a status or code, and their sums: "49.00 USD and 1,200 JPY". */
export type PayoutSum = { code: string; payouts: number; amount: string }

/**
 * `payout_approval`, `payout_report`, `payout_preview`, `payout_review` and `payout_problem`: to
 * managers, about a run.
 */
export type PayoutRunDetails = {
  workspaceName: string
  /** null for all programs. */
  programName: string | null
  /** The scheduled day, or that of sending, as 2026-12-01; null if a manager started the run. */
  day: string | null
  sums: PayoutSum[]
  /** Why payouts failed or wait. */
  messages: string[]
  /** The page of the run. */
  url: string
}
