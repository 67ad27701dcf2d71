/** The texts of an import's report. */

import { formatMoney } from '../../../lib/money.ts'
import { counted } from '../../../lib/plural.ts'
import { cellText, csvLine } from './cells.ts'
import { ERROR_HEADER, headerKey, headersFor, type Mapping } from './columns.ts'
import { dateOf } from './dates.ts'
import {
  type BrokenLink,
  type Failure,
  failureOf,
  type Outcomes,
  type OwnedCustomer,
  problemOf,
} from './outcomes.ts'
import { type CsvRecord, orderOfDates } from './records.ts'
import type { BalancesElsewhere } from './warnings.ts'

/** A dry run changes nothing, which its texts reflect. */
type Asked = { dryRun: boolean; withBalances: boolean }

/** * The counts of partners and of customers; null where the file has none. *
 * @example
 * summary(outcomes, { dryRun: true, withBalances: false }).partners
 * // '412 new, 31 existing, 4 slugs renamed, 2 rows with errors'
 */
export const summary = (
  { partners, customers }: Outcomes,
  { dryRun, withBalances }: Asked,
): { partners: string | null; customers: string | null } => {
  const failed = (all: Outcomes['partners'] | Outcomes['customers']) =>
    all.filter((outcome) => failureOf(outcome, withBalances) !== null).length
  const sent = partners.filter(({ row }) => !problemOf(row, withBalances))
  const partnersWith = (status: string) => sent.filter(({ result }) => result?.status === status).length
  const customersWith = (status: string) =>
    customers.filter(({ row, result }) => !row.problem && result?.status === status).length
  const renamed = sent.filter(({ result }) => result?.status === 'created' && result.requestedSlug).length
  const mapped = sent.filter(({ result }) => result?.status === 'created' && result.couponMapped).length
  const errors = (number: number) =>
    number > 0 ? counted(number, 'row with errors', 'rows with errors') : null
  const list = (...parts: (string | null)[]) => parts.filter(Boolean).join(', ')
  const some = (number: number, text: string) => (number > 0 ? text : null)

  return {
    partners:
      partners.length === 0
        ? null
        : list(
            `${partnersWith('created').toLocaleString('en')} ${dryRun ? 'new' : 'imported'}`,
            some(
              partnersWith('skipped_existing'),
              `${partnersWith('skipped_existing').toLocaleString('en')} existing`,
            ),
            some(
              partnersWith('completed'),
              `${counted(partnersWith('completed'), 'existing one', 'existing ones')} ${dryRun ? 'to get' : 'with'} an opening balance`,
            ),
            some(renamed, `${counted(renamed, 'slug')} renamed`),
            some(mapped, `${counted(mapped, 'coupon')} linked`),
            errors(failed(partners)),
          ),
    customers:
      customers.length === 0
        ? null
        : list(
            `${customersWith('created').toLocaleString('en')} ${dryRun ? 'new' : 'imported'}`,
            some(
              customersWith('updated'),
              `${customersWith('updated').toLocaleString('en')} ${dryRun ? 'to update' : 'updated'}`,
            ),
            some(
              customersWith('moved'),
              `${customersWith('moved').toLocaleString('en')} ${dryRun ? 'to move' : 'moved'} from another partner`,
            ),
            some(customersWith('unchanged'), `${customersWith('unchanged').toLocaleString('en')} unchanged`),
            errors(failed(customers)),
          ),
  }
}

/** * The label of the import button; null if there is nothing to import. Rows that all exist can be imported again, which * completes an interrupted import. *
 * @example
 * offer(outcomes, { programName: 'Pine & Co', withBalances: false })
 * // 'Import 412 new partners and 900 customers into Pine & Co'
 */
export const offer = (
  { partners, customers }: Outcomes,
  { programName, withBalances }: Pick<Asked, 'withBalances'> & { programName: string },
): string | null => {
  const partnersWith = (status: string) =>
    partners.filter(({ row, result }) => result?.status === status && !problemOf(row, withBalances)).length
  const customersWith = (status: string) =>
    customers.filter(({ row, result }) => result?.status === status && !row.problem).length
  const fresh = partnersWith('created')
  const completed = partnersWith('completed')
  const changed = customersWith('created') + customersWith('updated') + customersWith('moved')
  const here = partnersWith('skipped_existing') + customersWith('unchanged')
  const what = [
    fresh > 0 && counted(fresh, 'new partner'),
    completed > 0 && counted(completed, 'balance of existing partners', 'balances of existing partners'),
    changed > 0 && counted(changed, 'customer'),
  ]
  if (fresh + completed + changed > 0)
    return `Import ${what.filter(Boolean).join(' and ')} into ${programName}`
  return here > 0 ? `Import ${counted(here, 'row')} into ${programName} again` : null
}

/** The links that stop working. Their partners need the new ones. */
export const brokenLinks = ({ partners }: Outcomes, withBalances: boolean): BrokenLink[] =>
  partners.flatMap(({ row, result }) => {
    if (problemOf(row, withBalances) || !result || result.status === 'error') return []
    const why = result.status === 'created' ? 'taken' : 'already_here'
    return [...(result.requestedSlug ? [result.requestedSlug] : []), ...(result.slugsNotKept ?? [])].map(
      (from) => ({ email: row.email, from, to: result.slug, why }),
    )
  })

/** Customers who change partners, or are left with the one that they have because the option says so. */
export const ownedCustomers = ({ customers }: Outcomes): OwnedCustomer[] =>
  customers.flatMap(({ row, result }) =>
    result?.ownerEmail && (result.status === 'moved' || result.code === 'customer_owned')
      ? [
          {
            customer: row.customerExternalId,
            from: result.ownerEmail,
            to: row.partnerEmail,
            moves: result.status === 'moved',
          },
        ]
      : [],
  )

/** Banned partners of imported customers: later sales of these customers are credited to nobody. */
export const bannedPartners = ({ customers }: Outcomes): { email: string; customers: number }[] =>
  [
    ...Map.groupBy(
      customers.filter(({ result }) => result?.code === 'partner_banned'),
      ({ row }) => row.partnerEmail,
    ),
  ].map(([email, found]) => ({ email, customers: found.length }))

/** The effects of the options, as text. */
export type Effects = { mails: string; balances: string }

/** What each option does, or would do if it is not chosen. */
export const effects = (
  { partners }: Outcomes,
  chosen: { mails: boolean; balances: boolean },
  elsewhere: BalancesElsewhere[] = [],
): Effects => {
  const fresh = partners.filter(
    ({ row, result }) => result?.status === 'created' && !problemOf(row, chosen.balances),
  )
  const completed = partners.filter(({ result }) => result?.status === 'completed')
  const cents = (some: Outcomes['partners']) =>
    some.reduce((total, { row }) => total + (row.openingBalanceCents ?? 0), 0)
  const here = partners.filter(({ result }) => result?.status === 'skipped_existing')
  const unreadable = partners.filter(({ row }) => row.balanceProblem && !row.problem).length

  const mails = `${chosen.mails ? 'Sends' : 'Would send'} ${counted(fresh.length, 'email')}.`
  const balances = [
    `${chosen.balances ? 'Creates' : 'Would create'} ${formatMoney(cents([...fresh, ...completed]), 'USD')} payable now.`,
    ...elsewhere.map(
      ({ count, currency, amountCents }) =>
        `${counted(count, 'partner')} also owed ${formatMoney(amountCents, currency)} in another program.`,
    ),
    cents(here) > 0 ? `${formatMoney(cents(here), 'USD')} of existing partners is not imported.` : null,
    unreadable > 0
      ? `${counted(unreadable, 'row')} with an invalid balance ${chosen.balances ? 'will not be imported' : 'would not be imported'}.`
      : null,
  ]
  return { mails, balances: balances.filter(Boolean).join(' ') }
}

/** How to fix the failures of each code. */
const REMEDIES: Record<string, string> = {
  email_invalid: 'Correct the partner’s email address in these rows.',
  name_invalid: 'Shorten or correct the partner’s name in these rows.',
  slug_invalid: 'Change the slug in these rows, or leave it empty to generate one.',
  slug_missing:
    'Write the slug itself in these rows, such as maya. Leave it empty only if the partner has no link: a new one is generated.',
  coupon_invalid: 'Correct the coupon ID in these rows, or leave it empty.',
  coupon_taken:
    'These partners do not get the coupon, which another partner has. Remove it there first, then add it on this partner’s page, under “Coupon aliases”.',
  coupon_not_added:
    'These partners exist, and are not changed. Add the coupon on the partner’s page, under “Coupon aliases”.',
  group_not_found: 'These groups are not there any more. Import the file again, and choose others.',
  opening_balance_invalid: 'Correct the balance in these rows, or import without opening balances.',
  balance_not_usd: 'Convert these balances to USD first, or import without opening balances.',
  partner_not_found: 'Import the partners of these customers, then import these rows again.',
  partner_failed: 'The partners of these customers have errors. Fix those to import both.',
  partner_ambiguous: 'The partner belongs to more than one program. Import these rows for one program.',
  customer_id_invalid: 'Add the customer ID of the payment processor, or an email address, to these rows.',
  customer_email_invalid: 'Correct the customer’s email address in these rows, or leave it empty.',
  partner_email_invalid: 'Correct the partner’s email address in these rows.',
  started_at_invalid: 'Write the dates in these rows as 2025-01-31, or leave them empty.',
}

export type FailureGroup = { code: string; remedy: string; failures: Failure[] }

/** The failures by code, largest group first, including coupons that were not imported. */
export const failureGroups = (
  outcomes: Outcomes,
  { withBalances }: Pick<Asked, 'withBalances'>,
): FailureGroup[] => {
  const coupons = outcomes.partners.flatMap(({ row, result }): Failure[] =>
    result?.status !== 'error' && result?.code && !problemOf(row, withBalances)
      ? [
          {
            code: result.code,
            message: result.message ?? `The coupon ${row.couponId} was not imported.`,
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
      remedy: REMEDIES[code] ?? found[0]?.message ?? 'These rows were rejected.',
      failures: found,
    }))
    .sort((a, b) => b.failures.length - a.failures.length)
}

/** Every failure. A customer whose partner failed in the same file gets the code `partner_failed`. */
const failures = ({ partners, customers }: Outcomes, withBalances: boolean): Failure[] => {
  const failed = new Set(
    partners.filter((outcome) => failureOf(outcome, withBalances)).map(({ row }) => row.email),
  )
  return [
    ...partners.flatMap((outcome) => failureOf(outcome, withBalances) ?? []),
    ...customers.flatMap((outcome) => {
      const failure = failureOf(outcome, withBalances)
      if (failure?.code !== 'partner_not_found' || !failed.has(outcome.row.partnerEmail)) return failure ?? []
      return {
        ...failure,
        code: 'partner_failed',
        message: 'The row of the customer’s partner has an error.',
      }
    }),
  ]
}

/**
 * A CSV file of the failed lines, with the reason in the last column. Once fixed, it can be imported without mapping:
 * its headers carry the mapping, and its dates are ISO 8601. It starts with a byte order mark, which Excel needs.
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
