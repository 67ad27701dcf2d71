/** When a reported sale or lead took place. */

/** How far back a report may be dated. */
export const MAX_AGE_DAYS = 400

/**
 * How far a merchant's clock may differ from ours: neither a fast one nor a slow one loses a sale.
 */
export const CLOCK_DIFFERENCE_MS = 5 * 60_000

/**
 * How long what a visitor does may take to reach us: a click from a slow phone, or the lead of a
 * buyer whose payment Stripe reports first. It counts as of its own time. Whoever knows of a sale
 * for longer must not claim it by a click or a lead.
 */
export const DELIVERY_MS = 5 * 60_000

/**
 * When a report was received. Never at a whole second: a recorded time in whole seconds is a
 * processor's.
 *
 * @param place in a batch, each of whose reports was received a millisecond after the one before it
 */
export const receivedAt = (now: Date, place = 0): Date => {
  const milliseconds = Math.max(now.getUTCMilliseconds(), 1) + place
  const wholeSeconds = Math.floor((milliseconds - 1) / 999)
  return new Date(Number(now) - now.getUTCMilliseconds() + milliseconds + wholeSeconds)
}

/**
 * The time by which a report is judged: the one that it gives, but never in the future, else that
 * of its receipt.
 */
export const judgedAt = ({ occurredAt }: { occurredAt?: Date | undefined }, now: Date): Date =>
  occurredAt && occurredAt < now ? occurredAt : now
