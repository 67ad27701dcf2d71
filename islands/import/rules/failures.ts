/** The failures of an import: how to fix them, and a file of their rows. */

import { inEnglish, type Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { type Failure, failureOf, type Outcomes, problemOf } from './outcomes.ts'
import { cellText, csvLine } from './reading/cells.ts'
import { ERROR_HEADER, headerKey, headersFor, type Mapping } from './reading/columns.ts'
import { dateOf } from './reading/dates.ts'
import { type CsvRecord, orderOfDates } from './reading/records.ts'

/** How to fix the failures of each code. */
const REMEDIES: Record<string, Message> = {
  email_invalid: m.import_fix_email_invalid,
  name_invalid: m.import_fix_name_invalid,
  slug_invalid: m.import_fix_slug_invalid,
  slug_missing: m.import_fix_slug_missing,
  coupon_invalid: m.import_fix_coupon_invalid,
  coupon_taken: m.import_fix_coupon_taken,
  coupon_not_added: m.import_fix_coupon_not_added,
  group_not_found: m.import_fix_group_not_found,
  opening_balance_invalid: m.import_fix_opening_balance_invalid,
  balance_not_usd: m.import_fix_balance_not_usd,
  partner_not_found: m.import_fix_partner_not_found,
  partner_failed: m.import_fix_partner_failed,
  partner_ambiguous: m.import_fix_partner_ambiguous,
  customer_id_invalid: m.import_fix_customer_id_invalid,
  customer_email_invalid: m.import_fix_customer_email_invalid,
  partner_email_invalid: m.import_fix_email_invalid,
  started_at_invalid: m.import_fix_started_at_invalid,
}

const remedyOf = (code: string): string | undefined => {
  const remedy = REMEDIES[code]
  return remedy && inEnglish(remedy)
}

export type FailureGroup = { code: string; remedy: string; failures: Failure[] }

/** The failures by code, largest group first, including coupons that were not imported. */
export const failureGroups = (
  outcomes: Outcomes,
  { withBalances }: { withBalances: boolean },
): FailureGroup[] => {
  const coupons = outcomes.partners.flatMap(({ row, result }): Failure[] =>
    result?.status !== 'error' && result?.code && !problemOf(row, withBalances)
      ? [
          {
            code: result.code,
            message:
              result.message ??
              inEnglish(m.import_coupon_not_imported, { couponId: row.couponId ?? '' }),
            lines: row.lines,
          },
        ]
      : [],
  )
  const groups = new Map<string, Failure[]>()
  for (const failure of [...failures(outcomes, withBalances), ...coupons]) {
    const group = groups.get(failure.code)
    if (group) group.push(failure)
    else groups.set(failure.code, [failure])
  }
  return [...groups]
    .map(([code, found]) => ({
      code,
      remedy: remedyOf(code) ?? found[0]?.message ?? inEnglish(m.import_rows_rejected),
      failures: found,
    }))
    .sort((a, b) => b.failures.length - a.failures.length)
}

/** Every failure. If a customer's partner failed in the same file, the code is `partner_failed`. */
const failures = ({ partners, customers }: Outcomes, withBalances: boolean): Failure[] => {
  const failed = new Set(
    partners.filter((outcome) => failureOf(outcome, withBalances)).map(({ row }) => row.email),
  )
  return [
    ...partners.flatMap((outcome) => failureOf(outcome, withBalances) ?? []),
    ...customers.flatMap((outcome) => {
      const failure = failureOf(outcome, withBalances)
      if (failure?.code !== 'partner_not_found' || !failed.has(outcome.row.partnerEmail))
        return failure ?? []
      return {
        ...failure,
        code: 'partner_failed',
        message: inEnglish(m.import_partner_has_error),
      }
    }),
  ]
}

/**
 * A CSV file of the failed lines, with the reason in the last column. A corrected file needs no
 * mapping: its headers carry the mapping, and its dates are ISO 8601. It starts with a byte order
 * mark, which Excel needs.
 */
export const errorCsv = (
  {
    headers,
    records,
    columns,
    inCents,
    zone,
  }: { headers: string[]; records: CsvRecord[] } & Omit<Mapping, 'rows'>,
  outcomes: Outcomes,
  withBalances: boolean,
): string => {
  const messages = new Map<number, Set<string>>()
  for (const { lines, message } of failures(outcomes, withBalances)) {
    for (const line of lines) messages.set(line, (messages.get(line) ?? new Set()).add(message))
  }
  const kept = headers.flatMap((header, column) =>
    headerKey(header) === headerKey(ERROR_HEADER) ? [] : [column],
  )
  const order = orderOfDates(columns, records)
  const written = (cell: string, column: number) =>
    columns[column] === 'startedAt' ? (dateOf(cellText(cell), order, zone) ?? cell) : cell
  const failed = records.filter(({ line }) => messages.has(line))
  const lines = failed.map(({ line, cells }) =>
    csvLine([
      ...kept.map((column) => written(cells[column] ?? '', column)),
      [...(messages.get(line) ?? [])].join(' '),
    ]),
  )
  const names = headersFor(
    kept.map((column) => headers[column] ?? ''),
    { columns: kept.map((column) => columns[column] ?? null), inCents },
  )
  return `\ufeff${csvLine([...names, ERROR_HEADER])}${lines.join('')}`
}
