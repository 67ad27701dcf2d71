/** Adjustments: what a manager adds to a partner's earnings, or deducts from them. */

/** An adjustment as it is requested. */
export type Adjustment = {
  /** Identifies repeated requests. */
  externalId: string
  partnerId: string
  /** Minor units, negative to deduct. */
  amountCents: number
  currency: string
  reason: string
  /** null is at once. */
  payableAt: Date | null
  /** The event that it is about. */
  eventId: string | null
  /** The commission that it is about. */
  commissionId: string | null
}

/** The same adjustment for many partners: a bonus by hand. */
export type BulkAdjustment = Pick<
  Adjustment,
  'externalId' | 'amountCents' | 'currency' | 'reason' | 'payableAt'
> & {
  /** Each once. */
  partnerIds: string[]
}

/** Partners of one such request. */
export const MAX_BULK = 1_000

/** What an adjustment names that does not exist. */
export type MissingSubject = 'partner' | 'event' | 'commission'

/** When an adjustment becomes payable: never before it was made. */
export const adjustmentPayableAt = (
  { payableAt }: Pick<Adjustment, 'payableAt'>,
  now: Date,
): Date => (payableAt !== null && payableAt > now ? payableAt : now)
