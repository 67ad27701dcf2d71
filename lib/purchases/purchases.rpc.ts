/** What the Worker of a processor's webhook offers the Worker that records sales. */
export type PurchasesService = {
  /**
   * Adds a merchant's report to a sale that a processor reported first, and updates the ledger.
   *
   * @returns the response to the report
   */
  joinReport: (workspaceId: string, report: SaleReport) => Promise<{ id: string; attributed: boolean }>
}

/** What a merchant's report may change of a sale that a processor reported. */
export type SaleReport = {
  externalId: string
  customerExternalId: string
  /** A click of the workspace. */
  clickId: string | null
  bodyHash: string
}
