/** A payment processor that has stopped reporting, as far as the times of its events show. */

/** Events that are looked at, newest first. Fewer than `FEWEST` have no usual pace. */
export const EVENTS_READ = 50
const FEWEST = 10

/** A processor that retries webhooks, and a quiet weekend, are shorter. */
const QUIET_MS = 3 * 86_400_000
/** How many times the usual pause makes a silence. */
const USUAL_PAUSES = 10

/** A processor's newest deliveries: how many, and when the first and the last were received. */
export type Deliveries = { count: number; firstAt: Date; lastAt: Date }

/**
 * Whether a processor is silent: for three days, and for ten times as long as it usually pauses. A
 * processor that has sent few events has no usual pause.
 */
export const isSilent = ({ count, firstAt, lastAt }: Deliveries, now: Date): boolean => {
  if (count < FEWEST) return false
  const usualMs = (lastAt.getTime() - firstAt.getTime()) / (count - 1)
  return now.getTime() - lastAt.getTime() > Math.max(QUIET_MS, USUAL_PAUSES * usualMs)
}
