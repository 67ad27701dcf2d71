import type { Act } from '../../audit/audit.queries.ts'
import type { CreditOutcome, HandCreditRequest } from '../../rules/attribution/hand-credits.ts'
import type { DecidedHolds, HoldRequest, UndecidedHolds } from '../../rules/holds/hold-facts.ts'
import type { MergeDecision } from '../../rules/identities/possible-merges.ts'
import type { CorrectionOutcome, SaleCorrection } from '../../rules/refunds/corrections.ts'
import type { HandRefundOutcome } from '../../rules/refunds/hand-refunds.ts'
import type { RefundReport } from '../../rules/refunds/refund.ts'
import type { Report } from '../../rules/steps/report.ts'

/** What the Worker of a processor's webhook offers the Workers that record reports. */
export type ReportsService = {
  /**
   * Completes a merchant's report that came after a payment: adds it to the sale that a processor
   * reported first, ties the ids that it gives, and recomputes what depends on it.
   *
   * @returns the response to the report
   */
  joinReport: (
    workspaceId: string,
    report: IncompleteReport | IncompleteRefund,
  ) => Promise<{ id: string; attributed: boolean }>
  /**
   * Decides the holds of a reported sale, and of the sales near it. It reads and writes nothing:
   * few reports need it, and the bundles of the Workers that record them have no room for the rule.
   */
  decideHolds: (request: HoldRequest, undecided: UndecidedHolds) => Promise<DecidedHolds>
}

/** What it offers managers' and backends' Workers. */
export type CreditsService = {
  /** Credits an event to a partner by hand, or to nobody. */
  creditEvent: (act: Act, eventId: string, credit: HandCreditRequest) => Promise<CreditOutcome>
  /** Adds to a sale what its report lacked, and decides it again. */
  correctSale: (
    act: Act,
    externalId: string,
    correction: SaleCorrection,
  ) => Promise<CorrectionOutcome>
  /** Records a refund of a sale by hand. */
  refundByHand: (act: Act, report: RefundReport) => Promise<HandRefundOutcome>
  /** Merges two customers who may be one, or leaves them apart. @returns what is decided now */
  decideMerge: (act: Act, id: string, decision: MergeDecision) => Promise<MergeDecision | 'missing'>
}

/** What it offers the import of customers. */
export type ReferralsService = {
  /** Recomputes the sales that depend on who referred these customers. */
  replanCustomers: (workspaceId: string, customerIds: string[]) => Promise<void>
}

/** A saved report, and what it may change of a sale that a processor reported. */
export type IncompleteReport = Pick<
  Report,
  'kind' | 'externalId' | 'customerExternalId' | 'metadata' | 'lines' | 'country' | 'code'
> & {
  /** A click of the workspace. */
  clickId: string | null
  bodyHash: string
}

/** A saved refund of a sale that a processor reports too. */
export type IncompleteRefund = {
  kind: 'refund'
  externalId: string
  saleExternalId: string
  bodyHash: string
}
