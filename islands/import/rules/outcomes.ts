/** The outcome of each row of an import: the row with the API's result. */
import type { CustomerResult } from '../../../lib/imports/customer-import.ts'
import type { PartnerResult } from '../../../lib/imports/partner-import.ts'
import { slugKey } from '../../../lib/slugs.ts'
import type { FileCustomer, FilePartner, Problem } from './records.ts'

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
  why: 'taken' | 'second_link' | 'already_here'
}

/** The problem that keeps a row from being sent. Balance problems matter only if balances are imported. */
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
  return { code, message: result.message ?? 'This row was rejected.', lines: row.lines }
}

/** Corrects the dry run of customers, which does not find partners that the same file will create. */
export const expectNewPartners = ({ partners, customers }: Outcomes, withBalances: boolean): Outcomes => {
  const created = new Set(
    partners
      .filter((outcome) => outcome.result?.status === 'created' && !problemOf(outcome.row, withBalances))
      .map(({ row }) => row.email),
  )
  return {
    partners,
    customers: customers.map(({ row, result }) =>
      result?.status === 'partner_not_found' && created.has(row.partnerEmail)
        ? { row, result: { ...result, status: 'created' } }
        : { row, result },
    ),
  }
}

/** What a dry run found to be new: partners by email, customers by ID. */
export type Expected = { partners: Set<string>; customers: Set<string> }

/** The new partners and customers of some outcomes. */
export const expectedOf = ({ partners, customers }: Outcomes): Expected => ({
  partners: new Set(partners.filter((one) => one.result?.status === 'created').map(({ row }) => row.email)),
  customers: new Set(
    customers.filter((one) => one.result?.status === 'created').map(({ row }) => row.customerExternalId),
  ),
})

/**
 * Corrects outcomes after a lost response or a closed tab: the retried call finds what the first one created. A row
 * that the dry run found to be new counts as created.
 */
export const countLostResponses = ({ partners, customers }: Outcomes, expected: Expected): Outcomes => ({
  partners: partners.map(({ row, result }) => {
    if (result?.status !== 'skipped_existing' || !expected.partners.has(row.email)) return { row, result }
    const renamed = row.slug && result.slug && slugKey(row.slug) !== slugKey(result.slug)
    return { row, result: { ...result, status: 'created', ...(renamed && { requestedSlug: row.slug }) } }
  }),
  customers: customers.map(({ row, result }) =>
    result?.status === 'unchanged' && expected.customers.has(row.customerExternalId)
      ? { row, result: { ...result, status: 'created' } }
      : { row, result },
  ),
})
