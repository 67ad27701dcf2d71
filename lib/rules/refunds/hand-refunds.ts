/** Refunds by hand: a manager records what was refunded of a sale. */

export type HandRefundOutcome =
  | { outcome: 'refunded' }
  /** A form of the same id was saved with other values. */
  | { outcome: 'saved_before' }
  /** More than is left of the sale, in its minor units. */
  | { outcome: 'exceeds'; leftCents: number }
