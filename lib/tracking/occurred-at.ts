/** When a reported sale or lead took place. */

/** How far back a report may be dated. */
export const MAX_AGE_DAYS = 400

/** How far a merchant's clock may differ from ours: neither a fast one nor a slow one loses a sale. */
export const CLOCK_DIFFERENCE_MS = 5 * 60_000

/** The time by which a report is judged: the one that it gives, but never in the future, else that of its receipt. */
export const judgedAt = ({ occurredAt }: { occurredAt?: Date | undefined }, now: Date): Date =>
  occurredAt && occurredAt < now ? occurredAt : now
