/** A purchase as it is stored: what was received of it, and what the ledger has. */
import type { Fact } from '../rules/purchases/facts.ts'
import type { Cap } from '../rules/rewards/caps.ts'
import type { LineFacts } from '../rules/steps/steps.ts'
import type { AppliedCap } from './cap-cuts.ts'
import type { RuledSale } from './line-rewards.ts'
import type { Stored } from './payments.ts'
import type { Reported, Settings } from './purchase-account.ts'
import type { StoredTier } from './tiers.ts'

/** An event of a payment processor. Times are ISO 8601. */
type StoredEvent = {
  id: string
  facts: Fact[]
  occurredAt: string
  receivedAt: string
  /** The code of its outcome, null until it is processed. */
  outcome: string | null
}

/** Amounts are minor units. */
export type RecordedSale = {
  id: string
  externalId: string
  customerId: string | null
  occurredAt: string
  amountCents: number
  returnedCents: number
  currency: string
  /** The codes of the steps of its decision. */
  steps: string[]
  /** What its lines earn by these steps, if they were rewarded one by one. */
  lineRewards: LineFacts[]
  /** The cap that reduced what it earns. */
  cap: AppliedCap | null
  /** Null if it has no tier, and its reward asks for none. */
  tier: StoredTier | null
  isToBeReplanned: boolean
  /** What counts for the program of its partner at present. Null if it credits nobody. */
  settings: Settings | null
  /** Whether it may be recorded with former settings. */
  hadOtherSettings: boolean
  /**
   * Whether no earlier sale of its subscription was rewarded; of its customer, if the subscription
   * is not known.
   */
  isFirstRewarded: boolean
  commission: {
    amountCents: number
    currency: string
    reversedCents: number
    basisPoints: number | null
    flatCents: number | null
    flatCurrency: string | null
    /** If it was rewarded line by line, or its reward has rules. */
    ruled: RuledSale | null
    caps: Cap[] | null
    /** What earlier sales of the customer earned the partner; null if no cap asks for it. */
    earnedBefore: number | null
    /** What managers reversed by hand, of which commission of the same partner. */
    byHand: { amountCents: number; ofCents: number }[]
    isRejected: boolean
    /** Whether it was compared with the sale that it may be a copy of, or that one with it. */
    isCompared: boolean
  } | null
  /** What all its commissions and reversals sum up to, by currency. */
  earned: { amountCents: number; currency: string }[]
}

export type StoredPurchase = {
  /** The row by which the purchase was found. */
  rootId: string
  /** The processor's ids of it. */
  keys: string[]
  events: StoredEvent[]
  /** Oldest first. */
  sales: RecordedSale[]
  /** The refunds that the merchant reported. */
  reported: Reported[]
}

export const storedOf = ({ events }: Pick<StoredPurchase, 'events'>): Stored[] =>
  events.flatMap(({ facts, occurredAt }) =>
    facts.map((fact) => ({ fact, at: Date.parse(occurredAt) })),
  )

/** How long an event may be unprocessed, or a payment wait: processors retry for three days. */
const PENDING_MS = 3 * 24 * 60 * 60_000

/** Whether a purchase is about to change, so that it can't be compared yet. `now` is in ms. */
export const isPending = ({ events, sales }: StoredPurchase, now: number): boolean =>
  sales.some(({ isToBeReplanned }) => isToBeReplanned) ||
  events.some(
    ({ outcome, receivedAt }) =>
      (outcome === null || outcome === 'waiting') && Date.parse(receivedAt) > now - PENDING_MS,
  )

/** Who reported the sales that earn, until when. The current setting comes last, without end. */
export type SalesFrom = { until: string | null; salesFrom: string }

/**
 * Whether a payment earned as the merchant reported it, by the setting at that time. Times count in
 * whole seconds.
 */
export const isMerchants = (settings: SalesFrom[], paidAt: number): boolean =>
  settings.find(
    ({ until }) => until === null || Date.parse(until) > Math.floor(paidAt / 1_000) * 1_000 + 999,
  )?.salesFrom === 'api'

/** Whether a sale earns anything at present. */
export const earns = ({ earned }: RecordedSale): boolean =>
  earned.some(({ amountCents }) => amountCents !== 0)
