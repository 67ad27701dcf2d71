/**
 * Expected sales: reported by API, while sales come from a payment processor, which is expected to
 * report them too. Design, section 5, "Who reports sales".
 */

/** Processors retry failed webhooks for days. After a week, the sale is missing. */
const EXPECTED_DAYS = 7

/** Sales reported before this time should have been reported by the processor. */
export const overdueSince = (now: Date): Date =>
  new Date(now.getTime() - EXPECTED_DAYS * 86_400_000)

/** How far apart the two reports of a purchase may be. */
export const EXPECTED_HOURS = EXPECTED_DAYS * 24
