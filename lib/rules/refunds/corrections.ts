/** Corrections of reported sales: what a report lacked. docs/decisions.md, "Corrections". */

/** What a correction adds: at least one of them. */
export type SaleCorrection = {
  clickId?: string | null | undefined
  customerExternalId?: string | null | undefined
}

/** What became of a correction. */
export type CorrectionOutcome =
  | { outcome: 'corrected'; id: string; attributed: boolean }
  | { outcome: 'no_sale' | 'no_click' | keyof typeof CORRECTION_REFUSALS }

/** Why a correction is refused: a sale is corrected once. */
export const CORRECTION_REFUSALS = {
  has_click: 'This sale has another click already. Credit it by hand instead.',
  has_customer: 'This sale belongs to a known customer already. Credit it by hand instead.',
} as const
