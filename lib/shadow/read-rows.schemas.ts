/** Reads the rows of an upload. Each is valid, or says what to correct. */
import type { ReadRow } from '../imports/commissions/platform-commissions.ts'
import { CommissionUploadRow } from './shadow.schemas.ts'

/** By invalid field. */
const PROBLEMS: Record<string, string> = {
  id: 'Enter the commission’s id, of at most 255 characters in one line, or leave it blank.',
  state: 'The state is pending, due, paid, voided or other.',
  amountCents: 'Enter the commission in minor units, a whole number.',
  currency: 'Enter the currency as an ISO 4217 code, such as USD.',
  saleAmountCents:
    'Enter the amount of the sale in minor units, a whole number from 0, or leave it blank.',
  saleIds: 'Enter at most five ids of the sale, as a list.',
  customerExternalId:
    'Enter the customer’s id, of at most 255 characters in one line, or leave it blank.',
  customerEmail: 'Correct the customer’s email address, or leave it blank.',
  partnerEmail: 'Correct the partner’s email address, or leave it blank.',
  soldAt: 'Enter when the customer paid: a date, such as 2026-01-31, or a time with its zone.',
}

/** One row of an upload. */
export const readCommissionRow = (input: unknown): ReadRow => {
  const { data, error } = CommissionUploadRow.safeParse(input)
  if (data) return { row: data }
  const { id } = Object(input) as { id?: unknown }
  const field = String(error.issues[0]?.path[0] ?? '')
  return {
    id: typeof id === 'string' ? id.slice(0, 255) : null,
    message: PROBLEMS[field] ?? 'The row is not an object with the fields of a commission.',
  }
}
