/** Caps of a reward: what is earned at most. docs/rewards.md, "Caps". */

/** What a sale, a customer, or a partner's month earns at most. */
export const CAPPED = ['sale', 'customer', 'partner_month'] as const
export type Capped = (typeof CAPPED)[number]

/** At most so much in its currency. Commissions in other currencies are not capped by it. */
export type Cap = { per: Capped; amountCents: number; currency: string }
