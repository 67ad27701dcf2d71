/**
 * What the holds of a saved sale or lead are decided from. It is known once the event is saved,
 * under the locks that show it concurrent sales: see hold_commissions of schema.sql.
 */
import { EXPECTED_HOURS } from '../purchases/expected-sales.ts'
import { SALE_EXPECTED } from '../purchases/processors.ts'
import type { HoldReason, HoldResolution } from '../steps/holds.ts'
import type { RuledHold, Step } from '../steps/steps.ts'

/** What a rule says of an event's commission: why it is held, or null if no rule holds it. */
export type Rule = {
  reason: RuledHold | null
  /** Whether a manager cannot have decided about the reason, because it was not known before. */
  isNew: boolean
}

/** How far apart two sales may be that are one purchase. */
const DUPLICATE_HOURS = 24

/** Sales that a processor is expected to report, and how they are recognised by their steps. */
export const EXPECTED = {
  hours: EXPECTED_HOURS,
  open: [{ code: SALE_EXPECTED }],
  received: [{ code: 'expected_sale_received' }],
} as const satisfies { hours: number; open: Pick<Step, 'code'>[]; received: Pick<Step, 'code'>[] }

/** An event that is being saved, and what it is compared with. */
export type HoldRequest = {
  eventId: string
  /** Sales that are recorded as the same purchase from now on. */
  tiedIds: string[]
  /** Whether its commission is made in this transaction. */
  isNew: boolean
  /** Null leaves what rules hold. */
  rule: Rule | null
  /** Null if the event is not compared with sales that may be the same purchase. */
  duplicateHours: number | null
  /** Null if it is not compared with sales that a processor is expected to report. */
  expected: typeof EXPECTED | null
}

/** @param comparesWith which sales near it may be the same purchase */
export const holdRequest = (
  event: Pick<HoldRequest, 'eventId' | 'isNew' | 'rule'> & { tiedIds?: string[] },
  comparesWith: { duplicates: boolean; expected: boolean },
): HoldRequest => ({
  tiedIds: [],
  ...event,
  duplicateHours: comparesWith.duplicates ? DUPLICATE_HOURS : null,
  expected: comparesWith.expected ? EXPECTED : null,
})

/** Of what kind an id of a purchase is: of the merchant's own, or the processor's. */
export type IdKind = 'report' | 'invoice' | 'payment' | 'checkout'

export type Hold = {
  reason: HoldReason
  /** The event that may be the same purchase. */
  evidenceId: string | null
  /** Null while it is open. */
  resolution: HoldResolution | null
  isResolvedByHand: boolean
}

export type HeldCommission = {
  id: string
  kind: 'sale' | 'lead' | 'reversal'
  /** Whether it is part of a payout. */
  isPaid: boolean
  hold: Hold | null
}

/** A sale, as others are compared with it. */
export type ComparedSale = {
  id: string
  externalId: string
  amountCents: number | null
  subscriptionId: string | null
  /** Whether the merchant has reported it. */
  isReported: boolean
  steps: Step[]
  /** The current one. */
  commissionId: string | null
  /** All of its event, in the order in which they were made. */
  commissions: HeldCommission[]
  /** Of the ids that are known of it. An id of the merchant's counts once a sale is reported by it. */
  kinds: IdKind[]
  /** Its net and gross amounts, in minor units of one currency. */
  amounts: number[]
  /** The sales near it that earn, under ids of other kinds. */
  near: string[]
}

export type HoldFacts = {
  /** The event, the sales near it, and all that holds connect with these. */
  sales: ComparedSale[]
  /** The sales near it of which one may be expected, and the other the processor's. */
  expected: string[]
  /** The ids of processors' sales that expected sales of the buyer were matched with. */
  received: string[]
}

/** What is to be decided about an event. */
export type UndecidedHolds = {
  eventId: string
  /** Of the facts, for optimistic concurrency: it is not saved if they have changed since. */
  version: string
  facts: HoldFacts
}

/** What hold_commissions writes. */
export type DecidedHolds = {
  version: string
  /** Whether commissions are held that may be part of a payout meanwhile. */
  isOfOthers: boolean
  /** Holds that follow to the commission that replaces the held one. */
  moved: { from: string; to: string }[]
  /** Holds whose evidence is recorded as the same purchase as another event from now on. */
  evidence: { commissionId: string; evidenceId: string }[]
  resolved: { commissionId: string; resolution: HoldResolution }[]
  held: { commissionId: string; reason: HoldReason; evidenceId: string | null }[]
  steps: { eventId: string; steps: Step[] }[]
}
