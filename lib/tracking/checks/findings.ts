/** Signs that a workspace's sales are lost, doubled or wrong. docs/decisions.md, "Checks". */
import type { DoubtfulCredits } from './doubtful-credits.queries.ts'
import { type Deliveries, isSilent } from './silent-processor.ts'
import {
  type BusiestCustomer,
  isForMany,
  isOtherUnit,
  type MedianAmounts,
} from './unlikely-reports.ts'

/** Each check, in the order in which managers read them: what loses most sales comes first. */
export const CHECKS = [
  'silent_processor',
  'unreadable_events',
  'missing_sales',
  'other_unit',
  'shared_customer',
  'likely_credits',
  'mismatches',
  'possible_duplicates',
  'possible_merges',
  'doubtful_credits',
  'refused_visits',
] as const

export type Check = (typeof CHECKS)[number]

/** Like a step of a decision: a stable code, and the facts that its text is written from. */
export type Finding = {
  check: Check
  /** How many of them, where they are counted, else 1. */
  count: number
  facts: Record<string, string | number>
}

/** What the checks read. Counts stop at a limit. */
export type CheckedFacts = {
  /** The newest events of the payment processor. */
  deliveries: Deliveries | null
  unreadableEvents: number
  /** Sales that the processor should have reported by now. */
  missingSales: number
  /** What the sales of each program amount to, and did before. */
  medianAmounts: MedianAmounts[]
  /** Who has the most reported sales, if there are any. */
  busiestCustomer: BusiestCustomer | null
  /** Recent sales that nobody was credited with although a partner probably referred them. */
  likelyCredits: number
  /** Reports of the last days that differ from the event with their ID. */
  mismatches: number
  possibleDuplicates: number
  possibleMerges: number
  /** The partners whom late leads and unverified addresses have credited lately. */
  doubtfulCredits: DoubtfulCredits[]
  /** Visits by a partner's link that were not recorded, of the last days, by program. */
  refusedVisits: { programId: string; program: string; visits: number }[]
}

const DAY_MS = 86_400_000

const findingOf = (check: Check, count: number): Finding[] =>
  count > 0 ? [{ check, count, facts: {} }] : []

const silence = (deliveries: Deliveries | null, now: Date): Finding[] => {
  if (!deliveries || !isSilent(deliveries, now)) return []
  const days = Math.floor((now.getTime() - deliveries.lastAt.getTime()) / DAY_MS)
  return [{ check: 'silent_processor', count: 1, facts: { days } }]
}

const otherUnits = (medians: MedianAmounts[]): Finding[] =>
  medians.filter(isOtherUnit).map(({ program, currency, beforeCents, latestCents }) => ({
    check: 'other_unit',
    count: 1,
    facts: { program, currency, beforeCents, latestCents },
  }))

const sharedCustomer = (busiest: BusiestCustomer | null): Finding[] =>
  busiest && isForMany(busiest) ? [{ check: 'shared_customer', count: 1, facts: busiest }] : []

const doubtful = (credits: DoubtfulCredits[]): Finding[] =>
  findingOf(
    'doubtful_credits',
    credits.reduce((sum, { lateLeads, byAddress }) => sum + lateLeads + byAddress, 0),
  )

/** Managers look at the overview more often than that, so they have seen what is older. */
const NOTICED_DAYS = 30

export const noticedSince = (now: Date): Date => new Date(now.getTime() - NOTICED_DAYS * DAY_MS)

/** What was found, in the order of the checks. */
export const findingsOf = (facts: CheckedFacts, now: Date): Finding[] => [
  ...silence(facts.deliveries, now),
  ...findingOf('unreadable_events', facts.unreadableEvents),
  ...findingOf('missing_sales', facts.missingSales),
  ...otherUnits(facts.medianAmounts),
  ...sharedCustomer(facts.busiestCustomer),
  ...findingOf('likely_credits', facts.likelyCredits),
  ...findingOf('mismatches', facts.mismatches),
  ...findingOf('possible_duplicates', facts.possibleDuplicates),
  ...findingOf('possible_merges', facts.possibleMerges),
  ...doubtful(facts.doubtfulCredits),
  ...facts.refusedVisits.map(({ programId, program, visits }) => ({
    check: 'refused_visits' as const,
    count: visits,
    facts: { programId, program },
  })),
]
