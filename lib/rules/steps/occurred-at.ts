/** When a reported sale or lead took place. */

/** How far back a report may be dated. */
export const MAX_AGE_DAYS = 400

/** How far a merchant's clock may differ from ours, either way, without losing a sale. */
export const CLOCK_DIFFERENCE_MS = 5 * 60_000

/**
 * How late a visitor's act may reach us and count as of its own time: a click from a slow phone, or
 * the lead of a buyer whose payment Stripe reports first. Not longer: whoever knows of a sale must
 * not claim it afterwards by a click or a lead.
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

/** A report's own time, but never one in the future; without one, that of its receipt. */
export const judgedAt = ({ occurredAt }: { occurredAt?: Date | undefined }, now: Date): Date =>
  occurredAt && occurredAt < now ? occurredAt : now
