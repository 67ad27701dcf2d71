/** The ids that other systems give to customers, sales and coupons. */

/**
 * Longer than the ids of merchants' systems, and short enough for a Postgres index. Names are as
 * long at most.
 */
export const MAX_ID_LENGTH = 255
