/** What the templates of the outbox are filled with: `mails.details`, by kind. */

/** Tells a partner who was imported where the program is now. */
export type MovedDetails = {
  partnerName: string | null
  programName: string
  /** The partner's own link: the program's site with `?via=`. */
  link: string
  portalUrl: string
}

/** What the mails about a partner's money have in common. */
export type MoneyDetails = {
  partnerName: string | null
  programName: string
  /** As formatMoney writes it: "49.00 USD". */
  amount: string
  portalUrl: string
}

/** Tells a partner that a payout was made. */
export type PayoutSentDetails = MoneyDetails & { method: 'stripe' | 'manual' }

/** Tells a partner that a payout could not be made. `reason` is a sentence. */
export type PayoutFailedDetails = MoneyDetails & { reason: string }

/** Tells somebody that they are a member of a workspace from now on. */
export type InvitationDetails = {
  workspaceName: string
  role: 'manager' | 'member'
  /** The e-mail address of whoever invited them. */
  invitedBy: string
  /** Where to sign in. */
  url: string
}
