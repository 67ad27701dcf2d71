/** When a commission becomes payable. */
import { UTCDateMini } from '@date-fns/utc'
import { addDays } from 'date-fns/addDays'
import type { PartnerTerms } from './attribution.ts'

/**
 * The later of the end of the holding period and the net terms. Net 15 is the 15th of the next
 * month: terms count from the last day of the sale's month, as for an invoice of that day. In UTC.
 *
 * @param earnedAt when the sale was paid, or the event was received
 */
export const payableFrom = (
  { holdingDays, netDays }: Pick<PartnerTerms, 'holdingDays' | 'netDays'>,
  earnedAt: Date,
): Date => {
  const held = new Date(addDays(new UTCDateMini(earnedAt), holdingDays))
  if (netDays === null) return held
  const net = new Date(Date.UTC(earnedAt.getUTCFullYear(), earnedAt.getUTCMonth() + 1, netDays))
  return net > held ? net : held
}
