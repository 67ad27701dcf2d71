/** What a report refers of payments that were received before it. */
import { addressesOf, type DecidedReport, type Referrer } from './decided-report.ts'

/** What is marked to be recomputed after a report. */
export type LateReport = {
  /** Whether it decides the owner: payments of the customer and its addresses are recomputed. */
  isReferred: boolean
  /** Whether it names an address. */
  isNamed: boolean
  /** Payments from this time on are recomputed. */
  since: Date
}

/**
 * Which payments, received before a report, have to be recomputed because of it: the customer's
 * since the click, and those of its addresses that were credited to nobody. Until that is done, the
 * report has no hash (mark_late of schema.sql). A sale that another partner had referred before
 * keeps its partner. Sales at whole seconds are a processor's. Concurrent reports may commit out of
 * order, so referrals within the same second count; an import or a code counts only for sales after
 * it.
 *
 * @param changes what the report changes of its customer, if that is known
 * @returns undefined if there can be none
 */
export const lateOf = (
  { report, customer, adoptsSales, occurredAt, receivedAt }: DecidedReport,
  changes: { isReferred: boolean } | null,
  referrer: Referrer | null,
): LateReport | undefined => {
  const isNamed = addressesOf(report).length > 0
  if (!(referrer || occurredAt < receivedAt) || !(customer || adoptsSales || isNamed))
    return undefined
  const { isClickedFirst } = customer ?? { isClickedFirst: adoptsSales }
  return {
    isReferred: changes?.isReferred ?? adoptsSales,
    isNamed,
    since: (isClickedFirst && referrer?.clickedAt) || occurredAt,
  }
}
