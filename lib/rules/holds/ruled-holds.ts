/** Holds for what the decision about an event says: see `RULED_HOLDS`. */
import { RULED_HOLDS } from '../steps/steps.ts'
import type { HoldBook } from './hold-book.ts'
import type { ComparedSale, Hold, Rule } from './hold-facts.ts'

const isRuled = ({ reason, resolution }: Hold): boolean =>
  resolution === null && RULED_HOLDS.some((ruled) => ruled === reason)

/**
 * Whether a rule replaces the hold of a commission. It never replaces a manager's own hold, and
 * replaces a decision, or a possible duplicate, only if the reason is new.
 */
const isReplaced = (hold: Hold, { reason, isNew }: Rule): boolean =>
  hold.resolution === null
    ? hold.reason !== 'manual' &&
      hold.reason !== reason &&
      (isNew || hold.reason !== 'possible_duplicate')
    : isNew && hold.resolution === 'released'

/** Holds the current commission of an event, or releases what rules have held of it. */
export const holdByRule = (book: HoldBook, event: ComparedSale, rule: Rule): void => {
  const own = book.all().filter(({ sale }) => sale === event)
  if (rule.reason === null) {
    for (const { commission, hold } of own) if (isRuled(hold)) book.release(commission.id)
    return
  }
  const current = event.commissions.find(({ id }) => id === event.commissionId)
  // A commission in a payout is not held.
  if (!current || current.isPaid) return
  const hold = book.holdOf(event)
  const isDecided = own.some(
    ({ commission, hold }) => commission !== current || hold.resolution !== null,
  )
  if (!rule.isNew && isDecided) return
  if (!hold || isReplaced(hold, rule)) book.hold(event, rule.reason)
}
