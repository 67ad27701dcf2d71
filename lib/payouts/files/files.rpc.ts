/** The RPC methods of the payouts Worker that make files with the details of partners. */
import type { TakerFormat } from './formats.ts'
import type { Decimal } from './paypal.ts'
import type { TemplateCode } from './wise-template.ts'

/** A part of a file of a manual run, and the manager who requests it. */
type Part = {
  workspaceId: string
  /** A UUID of a run of the workspace. */
  runId: string
  currency: string
  /** From 1. */
  part: number
  /** The email address of the manager. */
  actor: string
  now: Date
}

export type BankFileRequest = Part & {
  format: Exclude<TakerFormat, 'wise_template'>
  /** For Wise: the currency that the merchant pays in; null for that of the payouts. */
  sourceCurrency: string | null
  decimal: Decimal
}

export type BankFile = { text: string; payouts: number }

export type TemplateRequest = Part & {
  /** A template of Wise: its first line, and the rows of saved recipients. */
  template: string
  sourceCurrency: string | null
}

export type TemplateFile = BankFile & {
  /** Columns that Wise may need and that the merchant fills. */
  unfilled: string[]
  leftOut: { id: string; partnerId: string; reference: string; code: TemplateCode }[]
}
