/**
 * Sales reported by API that a payment processor is expected to report too, because the workspace's
 * sales come from it. Design, section 5, "Who reports sales".
 */

/** A processor retries a failed webhook for days; after a week, its sale is missing. */
const EXPECTED_DAYS = 7

/** Sales reported before this time should have been reported by the processor. */
export const overdueSince = (now: Date): Date =>
  new Date(now.getTime() - EXPECTED_DAYS * 86_400_000)

/** How far apart the two reports of a purchase may be. */
export const EXPECTED_HOURS = EXPECTED_DAYS * 24
