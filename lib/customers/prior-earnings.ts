/** What another platform paid a partner for a customer. It is shown, and never in the ledger. */

/** @property commissions their number; null if it is not known, as the amount may be */
export type PriorCommissions = {
  commissions: number | null
  amountCents: number | null
  currency: string
}

/** The same, with the partner who was paid. */
export type Prior = PriorCommissions & { partnerId: string }

/** What was paid for all customers of a partner in a currency, who still belong to it. */
export type PriorSum = {
  currency: string
  customers: number
  commissions: number
  amountCents: number
}
