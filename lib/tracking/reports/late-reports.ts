/** What a report refers of payments that were received before it. */
import type { Credit } from '../../rules/attribution/attribution.ts'
import { addressesOf, changesOf, type DecidedReport, referrerOf } from './decided-report.ts'

/** What is marked to be planned again. */
export type LateReport = {
  /**
   * Whether the report says whose the customer is: its own payments count too, and those of all its
   * addresses.
   */
  isReferred: boolean
  /**
   * Whether it says when it took place: what the customer bought since may depend on it in every
   * way.
   */
  isDated: boolean
  /** From when on it is. */
  since: Date
  /** The addresses that the report names. */
  emails: string[]
}

/**
 * What a report refers of payments received before: these have to be planned again, of the customer
 * from the click on, and of its addresses whose payments were credited to nobody. Then the report
 * has no hash until that is done (mark_late of schema.sql). A sale that somebody has referred by
 * then stays that partner's. A sale in whole seconds is a processor's. Concurrent reports commit in
 * another order than that of their times, so they count within a second; an import or a code counts
 * for the sales after it.
 *
 * @returns null if there can be none
 */
export const lateOf = (decided: DecidedReport, credit: Credit): LateReport | null => {
  const { report, customer, adoptsSales, at, receivedAt } = decided
  const referrer = referrerOf(decided)
  const emails = addressesOf(report)
  const isDated = at < receivedAt
  if (!(referrer || isDated) || !(customer || adoptsSales || emails.length)) return null
  const { isReferred, isClickedFirst } = customer
    ? { ...changesOf(decided, customer, credit), ...customer }
    : { isReferred: adoptsSales, isClickedFirst: adoptsSales }
  return { isReferred, isDated, since: (isClickedFirst && referrer?.clickedAt) || at, emails }
}
