/** Turns a file into rows, rows into calls, and responses into outcomes. */
import type { CustomerResult } from '../../lib/imports/customers/customer-import.ts'
import type { PartnerResult } from '../../lib/imports/partners/partner-import.ts'
import { rest } from './dom.ts'
import type { CsvFile } from './file.ts'
import { createsGroups, groupOf } from './rules/groups.ts'
import { type Outcomes, problemOf } from './rules/outcomes.ts'
import { customerBody, customerCalls, partnerBody, partnerCalls } from './rules/reading/chunks.ts'
import type { Mapping } from './rules/reading/columns.ts'
import {
  collectRows,
  type FileCustomer,
  type FilePartner,
  orderOfDates,
  type Rows,
} from './rules/reading/records.ts'
import type { Answer, Job, Options } from './store.ts'

export type Call =
  | { kind: 'partners'; rows: FilePartner[] }
  | { kind: 'customers'; rows: FileCustomer[] }

/** A few milliseconds of work between paints. */
const RECORDS_PER_PAINT = 2_000

/** The rows of a file, collected in pieces so that the page stays responsive. */
export const rowsOf = async ({ records }: CsvFile, mapping: Mapping): Promise<Rows> => {
  const collector = collectRows(mapping, orderOfDates(mapping.columns, records))
  for (const [index, record] of records.entries()) {
    if (index % RECORDS_PER_PAINT === 0) await rest()
    collector.add(record)
  }
  return collector.rows()
}

/** The calls that import the rows: partners first, because customers refer to them. */
export const callsOf = ({ partners, customers }: Rows, withBalances: boolean): Call[] => [
  ...partnerCalls(partners.filter((row) => !problemOf(row, withBalances))).map(
    (rows): Call => ({ kind: 'partners', rows }),
  ),
  ...customerCalls(customers.filter((row) => !row.problem)).map(
    (rows): Call => ({ kind: 'customers', rows }),
  ),
]

export const rowCount = (calls: Call[]): number =>
  calls.reduce((total, { rows }) => total + rows.length, 0)

export const urlOf = (workspace: string, { kind }: Call): string =>
  `/api/workspaces/${encodeURIComponent(workspace)}/${kind}/import`

/** The settings that an import saves first. */
export const settingOf = ({
  workspace,
  programId,
  options,
}: Job): { url: string; body: object } | null =>
  options.creditKnown
    ? {
        url: `/api/workspaces/${encodeURIComponent(workspace)}/programs/${programId}`,
        body: { attributeKnownCustomers: true },
      }
    : null

/** The body of a call. @param importId null for a dry run */
export const bodyOf = (
  call: Call,
  programId: string,
  options: Options,
  importId: string | null,
): object => {
  const dryRun = importId === null
  const head = { programId, ...(importId && { importId }) }
  return call.kind === 'partners'
    ? {
        ...head,
        options: {
          sendWelcomeEmail: options.mails,
          importOpeningBalances: options.balances,
          ...(options.completeExisting && { completeExisting: true }),
          ...(options.mails &&
            Object.keys(options.linkForms).length > 0 && { linkForms: options.linkForms }),
          ...(createsGroups(options.groups) && { createGroups: true }),
          dryRun,
        },
        rows: call.rows.map((row) => ({ ...partnerBody(row), ...groupOf(row, options.groups) })),
      }
    : {
        ...head,
        options: { keepOwners: options.keepOwners, dryRun },
        rows: call.rows.map(customerBody),
      }
}

/** The outcome of each row. Rows that were not sent have no result. */
export const outcomesOf = (rows: Rows, calls: Call[], answers: Answer[]): Outcomes => {
  const results = new Map<FilePartner | FileCustomer, PartnerResult | CustomerResult>()
  for (const [index, call] of calls.entries()) {
    for (const [place, row] of call.rows.entries()) {
      const result = answers[index]?.results[place]
      if (result) results.set(row, result)
    }
  }
  return {
    partners: rows.partners.map((row) => ({
      row,
      result: (results.get(row) as PartnerResult) ?? null,
    })),
    customers: rows.customers.map((row) => ({
      row,
      result: (results.get(row) as CustomerResult) ?? null,
    })),
  }
}
