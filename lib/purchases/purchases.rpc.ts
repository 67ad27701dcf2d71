/** What the stripe-webhook Worker offers to those that set it up, or that hear of a sale after Stripe did. */
export type StripeService = {
  /** Encrypts a signing secret for the database. */
  encryptSecret: (workspaceId: string, secret: string) => Promise<string>
  /**
   * Adds what a merchant reports of a sale to what Stripe has told of it before, and brings the ledger into line.
   *
   * @returns the sale as whoever reported it hears of it
   */
  joinReport: (workspaceId: string, report: SaleReport) => Promise<{ id: string; attributed: boolean }>
}

/** What of a merchant's report may change a sale that Stripe has told of. */
export type SaleReport = {
  externalId: string
  customerExternalId: string
  /** A click of the workspace. */
  clickId: string | null
  bodyHash: string
}
