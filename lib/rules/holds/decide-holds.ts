/** Decides the holds of a saved sale or lead, and of the sales near it. */
import { HoldBook } from './hold-book.ts'
import type { DecidedHolds, HoldRequest, UndecidedHolds } from './hold-facts.ts'
import { holdDuplicates } from './possible-duplicates.ts'
import { matchExpected } from './received-sales.ts'
import { holdByRule } from './ruled-holds.ts'

/** Of an event that is not compared with others. */
const NOTHING = { steps: [], isOfOthers: false }

export const decideHolds = (
  request: HoldRequest,
  { version, facts }: UndecidedHolds,
): DecidedHolds => {
  const book = new HoldBook(facts.sales)
  const saved = book.sale(request.eventId)
  if (!saved) throw new Error('The facts of holds lack the event.')
  const { steps, isOfOthers } =
    request.duplicateHours === null ? NOTHING : holdDuplicates(book, saved, request)
  if (request.rule) holdByRule(book, saved, request.rule)
  const matched = matchExpected(saved, facts)
  return {
    version,
    isOfOthers,
    ...book.changes(),
    steps: matched ? [...steps, matched] : steps,
  }
}
