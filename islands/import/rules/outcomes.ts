/** The outcome of each row of an import: the row with the API's result. */
import { type CustomerResult, isMoved } from '../../../lib/imports/customers/customer-import.ts'
import type { PartnerResult } from '../../../lib/imports/partners/partner-import.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import type { FileCustomer, FilePartner, Problem, Rows } from './reading/records.ts'

/** A row and its result; null for a row that was not sent. */
export type Outcome<Row, Result> = { row: Row; result: Result | null }

export type Outcomes = {
  partners: Outcome<FilePartner, PartnerResult>[]
  customers: Outcome<FileCustomer, CustomerResult>[]
}

/** A failed row: its lines and the reason. */
export type Failure = Problem & { lines: number[] }

/** A link that stops working: its slug, and the partner's new one. */
export type BrokenLink = {
  email: string
  from: string
  to: string
  why: 'taken' | 'already_here'
}

/** A customer whose partner is not that of the row, and whether the import changes that. */
export type OwnedCustomer = { customer: string; from: string; to: string; moves: boolean }

/** Why a row is not sent. Balance problems matter only if balances are imported. */
export const problemOf = (row: FilePartner | FileCustomer, withBalances: boolean): Problem | null =>
  row.problem ?? ('balanceProblem' in row && withBalances ? row.balanceProblem : null)

/** Why a row failed, or null. */
export const failureOf = (
  { row, result }: Outcome<FilePartner, PartnerResult> | Outcome<FileCustomer, CustomerResult>,
  withBalances: boolean,
): Failure | null => {
  const problem = problemOf(row, withBalances)
  if (problem) return { ...problem, lines: row.lines }
  if (result?.status !== 'error' && result?.status !== 'partner_not_found') return null
  const code = result.code ?? result.status
  return { code, message: result.message ?? inEnglish(m.import_row_rejected), lines: row.lines }
}

/** The outcomes of these rows. */
export const outcomesWith = (outcomes: Outcomes, { partners, customers }: Rows): Outcomes => {
  const kept = new Set<object>([...partners, ...customers])
  return {
    partners: outcomes.partners.filter(({ row }) => kept.has(row)),
    customers: outcomes.customers.filter(({ row }) => kept.has(row)),
  }
}

/** Corrects the dry run of customers, which does not know partners that the same file creates. */
export const expectNewPartners = (
  { partners, customers }: Outcomes,
  withBalances: boolean,
): Outcomes => {
  const created = new Set(
    partners
      .filter(
        (outcome) => outcome.result?.status === 'created' && !problemOf(outcome.row, withBalances),
      )
      .map(({ row }) => row.email),
  )
  return {
    partners,
    customers: customers.map(({ row, result }) =>
      result?.status === 'partner_not_found' && created.has(row.partnerEmail)
        ? { row, result: { ...result, status: result.ownerEmail ? 'updated' : 'created' } }
        : { row, result },
    ),
  }
}

/** The outcomes of a dry run if existing partners get no opening balance. */
export const leaveExisting = ({ partners, customers }: Outcomes): Outcomes => ({
  partners: partners.map(({ row, result }) =>
    result?.status === 'completed'
      ? { row, result: { ...result, status: 'skipped_existing' } }
      : { row, result },
  ),
  customers,
})

/** The outcomes of a dry run if customers keep their partners. */
export const keepOwners = ({ partners, customers }: Outcomes): Outcomes => ({
  partners,
  customers: customers.map(({ row, result }) =>
    result && isMoved(result)
      ? { row, result: { ...result, status: 'unchanged', code: 'customer_owned' } }
      : { row, result },
  ),
})
