/** What a report refers of payments that were received before it. */
import { addressesOf, type DecidedReport, type Referrer, renumbers } from './decided-report.ts'

/** What is marked to be recomputed after a report. */
export type LateReport = {
  /** Whether it decides the owner: payments of the customer and its addresses are recomputed. */
  isReferred: boolean
  /** Whether it names an address. */
  isNamed: boolean
  /** Whether it is a sale that may change the payment number of later ones: see `renumbers`. */
  isPaid: boolean
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
  decided: DecidedReport,
  changes: { isReferred: boolean } | null,
  referrer: Referrer | null,
): LateReport | undefined => {
  const { report, customer, adoptsSales, occurredAt, receivedAt } = decided
  const isKnown = customer !== null || adoptsSales
  const isNamed = addressesOf(report).length > 0
  const mayRefer = (referrer !== null || occurredAt < receivedAt) && (isKnown || isNamed)
  const isPaid = isKnown && renumbers(decided)
  if (!mayRefer && !isPaid) return undefined
  const { isClickedFirst } = customer ?? { isClickedFirst: adoptsSales }
  return {
    isReferred: mayRefer && (changes?.isReferred ?? adoptsSales),
    isNamed: mayRefer && isNamed,
    isPaid,
    since: (isClickedFirst && referrer?.clickedAt) || occurredAt,
  }
}
