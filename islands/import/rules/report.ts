/** The texts of an import's report. */

import { isMoved } from '../../../lib/imports/customers/customer-import.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { formatMoney } from '../../../lib/values/money.ts'
import { joined } from './lists.ts'
import {
  type BrokenLink,
  failureOf,
  type Outcomes,
  type OwnedCustomer,
  problemOf,
} from './outcomes.ts'
import type { BalancesElsewhere } from './warnings.ts'

/** A dry run changes nothing, which its texts reflect. */
type Asked = { dryRun: boolean; withBalances: boolean }

/**
 * The counts of partners and of customers; null where the file has none.
 *
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
  const partnersWith = (status: string) =>
    sent.filter(({ result }) => result?.status === status).length
  const customersWith = (status: string) =>
    customers.filter(({ row, result }) => !row.problem && result?.status === status).length
  const count = {
    existing: partnersWith('skipped_existing'),
    completed: partnersWith('completed'),
    renamed: sent.filter(({ result }) => result?.status === 'created' && result.requestedSlug)
      .length,
    coupons: sent.filter(({ result }) => result?.status === 'created' && result.couponMapped)
      .length,
    updated: customersWith('updated'),
    moved: customers.filter(({ row, result }) => !row.problem && result && isMoved(result)).length,
    unchanged: customersWith('unchanged'),
  }
  const when = dryRun ? 'preview' : 'done'
  /** The created rows, and other results that occurred. */
  const list = (created: number, others: [count: number, text: string][], errors: number) =>
    [
      inEnglish(m.import_some_created, { count: created, when }),
      ...others.flatMap(([number, text]) => (number > 0 ? text : [])),
      ...(errors > 0 ? [inEnglish(m.import_some_failed, { count: errors })] : []),
    ].join(', ')

  return {
    partners:
      partners.length === 0
        ? null
        : list(
            partnersWith('created'),
            [
              [count.existing, inEnglish(m.import_some_existing, { count: count.existing })],
              [
                count.completed,
                inEnglish(m.import_some_completed, { count: count.completed, when }),
              ],
              [count.renamed, inEnglish(m.import_some_renamed, { count: count.renamed })],
              [count.coupons, inEnglish(m.import_some_coupons, { count: count.coupons })],
            ],
            failed(partners),
          ),
    customers:
      customers.length === 0
        ? null
        : list(
            customersWith('created'),
            [
              [count.updated, inEnglish(m.import_some_updated, { count: count.updated, when })],
              [count.moved, inEnglish(m.import_some_moved, { count: count.moved, when })],
              [count.unchanged, inEnglish(m.import_some_unchanged, { count: count.unchanged })],
            ],
            failed(customers),
          ),
  }
}

/**
 * The label of the import button; null if there is nothing to import. Rows that all exist can be
 * imported again, which completes an interrupted import.
 *
 * @example
 * offer(outcomes, { programName: 'Pine & Co', withBalances: false })
 * // 'Import 412 new partners and 900 customers into Pine & Co'
 */
export const offer = (
  { partners, customers }: Outcomes,
  { programName, withBalances }: Pick<Asked, 'withBalances'> & { programName: string },
): string | null => {
  const partnersWith = (status: string) =>
    partners.filter(({ row, result }) => result?.status === status && !problemOf(row, withBalances))
      .length
  const customersWith = (status: string) =>
    customers.filter(({ row, result }) => result?.status === status && !row.problem).length
  const fresh = partnersWith('created')
  const completed = partnersWith('completed')
  const changed = customersWith('created') + customersWith('updated')
  const here = partnersWith('skipped_existing') + customersWith('unchanged')
  const what = [
    ...(fresh > 0 ? [inEnglish(m.import_new_partners, { count: fresh })] : []),
    ...(completed > 0 ? [inEnglish(m.import_balances_of_existing, { count: completed })] : []),
    ...(changed > 0 ? [inEnglish(m.import_customers, { count: changed })] : []),
  ]
  if (what.length > 0) return inEnglish(m.import_offer, { what: joined(what), programName })
  return here > 0 ? inEnglish(m.import_offer_again, { count: here, programName }) : null
}

/** The links that stop working. Their partners need the new links. */
export const brokenLinks = ({ partners }: Outcomes, withBalances: boolean): BrokenLink[] =>
  partners.flatMap(({ row, result }) => {
    if (problemOf(row, withBalances) || !result || result.status === 'error') return []
    const why = result.status === 'created' ? 'taken' : 'already_here'
    return [
      ...(result.requestedSlug ? [result.requestedSlug] : []),
      ...(result.slugsNotKept ?? []),
    ].map((from) => ({ email: row.email, from, to: result.slug, why }))
  })

/** Customers whose partner changes, or would change without the option. */
export const ownedCustomers = ({ customers }: Outcomes): OwnedCustomer[] =>
  customers.flatMap(({ row, result }) =>
    result?.ownerEmail && (isMoved(result) || result.code === 'customer_owned')
      ? [
          {
            customer: row.customerExternalId,
            from: result.ownerEmail,
            to: row.partnerEmail,
            moves: isMoved(result),
          },
        ]
      : [],
  )

/** Banned partners of imported customers: later sales of these customers are not credited. */
export const bannedPartners = ({ customers }: Outcomes): { email: string; customers: number }[] =>
  [
    ...Map.groupBy(
      customers.filter(({ result }) => result?.code === 'partner_banned'),
      ({ row }) => row.partnerEmail,
    ),
  ].map(([email, found]) => ({ email, customers: found.length }))

/** The effects of the options, as text. */
export type Effects = { mails: string; balances: string }

/** What each option does, or would do. */
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

  const isChosen = String(chosen.balances)
  const balances = [
    inEnglish(m.import_creates_payable, {
      chosen: isChosen,
      sum: formatMoney(cents([...fresh, ...completed]), 'USD'),
    }),
    ...elsewhere.map(({ count, currency, amountCents }) =>
      inEnglish(m.import_also_owed, { count, sum: formatMoney(amountCents, currency) }),
    ),
    ...(cents(here) > 0
      ? [inEnglish(m.import_existing_not_imported, { sum: formatMoney(cents(here), 'USD') })]
      : []),
    ...(unreadable > 0
      ? [inEnglish(m.import_invalid_balances, { count: unreadable, chosen: isChosen })]
      : []),
  ]
  return {
    mails: inEnglish(m.import_sends, { chosen: String(chosen.mails), count: fresh.length }),
    balances: balances.join(' '),
  }
}
