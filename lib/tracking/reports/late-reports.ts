/** What a report refers of payments that were received before it. */
import { addressesOf, type DecidedReport, type Referrer } from './decided-report.ts'

/** What is marked to be planned again. */
export type LateReport = {
  /**
   * Whether the report says whose the customer is: its own payments count too, and those of all its
   * addresses.
   */
  isReferred: boolean
  /** Whether it names an address. */
  isNamed: boolean
  /** From when on it is. */
  since: Date
}

/**
 * What a report refers of payments received before: these have to be planned again, of the customer
 * from the click on, and of its addresses whose payments were credited to nobody. Then the report
 * has no hash until that is done (mark_late of schema.sql). A sale that somebody has referred by
 * then stays that partner's. A sale in whole seconds is a processor's. Concurrent reports commit in
 * another order than that of their times, so they count within a second; an import or a code counts
 * for the sales after it.
 *
 * @param changes what the report changes of its customer, if that is known
 * @returns undefined if there can be none
 */
export const lateOf = (
  { report, customer, adoptsSales, at, receivedAt }: DecidedReport,
  changes: { isReferred: boolean } | null,
  referrer: Referrer | null,
): LateReport | undefined => {
  const isNamed = addressesOf(report).length > 0
  if (!(referrer || at < receivedAt) || !(customer || adoptsSales || isNamed)) return undefined
  const { isClickedFirst } = customer ?? { isClickedFirst: adoptsSales }
  return {
    isReferred: changes?.isReferred ?? adoptsSales,
    isNamed,
    since: (isClickedFirst && referrer?.clickedAt) || at,
  }
}
